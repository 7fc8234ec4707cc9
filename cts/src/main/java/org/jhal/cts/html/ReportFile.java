// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.html;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Where a report will be written. It is checked before the work that the report describes, which
 * may take hours.
 */
public final class ReportFile {
  private ReportFile() {}

  /** Why a file cannot be used, as text for people, with the file's name. */
  public static String reason(Path file, IOException e) {
    if (e instanceof NoSuchFileException) {
      return "'" + file + "': no such file or folder";
    }
    if (e instanceof AccessDeniedException) {
      return "'" + file + "': permission denied";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "'" + file + "': a file is in the way";
    }
    String reason = e instanceof FileSystemException failure ? failure.getReason() : e.getMessage();
    return "'" + file + "': " + (reason == null ? e : reason);
  }

  /**
   * Checks that {@code file} can be written, without changing anything.
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
