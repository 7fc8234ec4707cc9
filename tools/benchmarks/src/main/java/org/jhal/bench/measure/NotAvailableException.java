// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

/** This machine does not have what one side of a row needs. The message says what. */
public final class NotAvailableException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what is missing, for people. */
  public NotAvailableException(String message) {
    super(message);
  }
}
