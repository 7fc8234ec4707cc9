// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;

/** Turns exceptions of file channels into failures. */
final class FileFailures {
  private FileFailures() {}

  /** A failure whose message begins with {@code what} and whose cause is {@code thrown}. */
  static HalException of(String what, Throwable thrown) {
    Status otherwise = Status.ABORTED;
    if (thrown instanceof UnsupportedOperationException) {
      otherwise = Status.UNIMPLEMENTED;
    } else if (thrown instanceof IllegalArgumentException) {
      otherwise = Status.INVALID_ARGUMENT;
    }
    return HostFailures.of(otherwise, what, thrown);
  }
}
