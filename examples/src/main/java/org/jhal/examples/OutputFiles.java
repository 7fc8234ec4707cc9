// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;

/** Files that the examples' commands write. */
public final class OutputFiles {
  private OutputFiles() {}

  /** Writes a picture. */
  public static void writePng(BufferedImage picture, Path file) throws IOException {
    try (OutputStream stream = Files.newOutputStream(file)) {
      if (!ImageIO.write(picture, "png", stream)) {
        throw new IOException("this JDK writes no PNG files");
      }
    }
  }

  /**
   * Describes an exception of the file system to users: as a failure whose message names the file
   * and the reason.
   *
   * @param output what was to be written, unless the exception names a file
   */
  public static HalException failure(Path output, IOException e) {
    String file = e instanceof FileSystemException f ? f.getFile() : null;
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    Status known = HostFailures.status(e);
    Status status = known == null ? Status.DATA_LOSS : known;
    if (e instanceof NoSuchFileException) {
      status = Status.NOT_FOUND;
      reason = "no such file or folder";
    } else if (e instanceof AccessDeniedException) {
      status = Status.PERMISSION_DENIED;
      reason = "permission denied";
    } else if (e instanceof FileAlreadyExistsException) {
      status = Status.FAILED_PRECONDITION;
      reason = "a file is in the way";
    }
    return new HalException(
        status,
        "cannot write "
            + (file == null ? output : file)
            + ": "
            + (reason == null ? "the system gives no reason" : reason),
        e);
  }
}
