// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

/** A file is not a report, or cannot be read. The message states where and why. */
public final class BadReportException extends Exception {
  private static final long serialVersionUID = 1L;

  BadReportException(String message) {
    super(message);
  }
}
