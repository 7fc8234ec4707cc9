// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.report;

/** A file has no results, or cannot be read; the message says where and why. */
public final class BadResultsException extends Exception {
  private static final long serialVersionUID = 1L;

  BadResultsException(String message) {
    super(message);
  }
}
