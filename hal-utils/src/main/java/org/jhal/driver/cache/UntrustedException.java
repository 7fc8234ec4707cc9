package org.jhal.driver.cache;

import java.io.IOException;

/** Another user may have written a folder or a file; the message says why. */
final class UntrustedException extends IOException {
  private static final long serialVersionUID = 1L;

  UntrustedException(String reason) {
    super(reason);
  }
}
