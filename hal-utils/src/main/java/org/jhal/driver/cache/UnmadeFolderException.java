package org.jhal.driver.cache;

import java.io.IOException;

/** A folder is missing and cannot be made; the cause says why. */
final class UnmadeFolderException extends IOException {
  private static final long serialVersionUID = 1L;

  UnmadeFolderException(IOException cause) {
    super(cause);
  }
}
