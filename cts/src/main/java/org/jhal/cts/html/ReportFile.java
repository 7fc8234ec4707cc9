package org.jhal.cts.html;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a report is to be written. It is checked before the work that the report is about, which
 * may take hours.
 */
public final class ReportFile {
  private ReportFile() {}

  /**
   * Checks that {@code file} can be written, and leaves everything as it is.
   *
   * @throws IOException if it cannot: its folder is missing or read-only, or it is a folder itself
   */
  public static void checkWritable(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileSystemException(file.toString(), null, "is a folder");
    }
    if (!Files.exists(file)) {
      Files.delete(Files.createFile(file));
    } else if (!Files.isWritable(file)) {
      throw new AccessDeniedException(file.toString());
    }
  }
}
