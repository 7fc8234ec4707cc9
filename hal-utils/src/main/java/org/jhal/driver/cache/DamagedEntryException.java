package org.jhal.driver.cache;

import java.io.IOException;

/** The file of an entry may be damaged; the message says why. */
final class DamagedEntryException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedEntryException(String reason) {
    super(reason);
  }
}
