// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what devices of this process report as never closed, until it is closed. */
final class Leaks extends Handler {
  private static final Logger LOGGER = Logger.getLogger("org.jhal");

  private final List<String> reports = new CopyOnWriteArrayList<>();

  Leaks() {
    LOGGER.addHandler(this);
  }

  /** The reports so far. A leaked object is reported when the garbage collector has found it. */
  List<String> reports() {
    return reports;
  }

  @Override
  public void publish(LogRecord record) {
    if (String.valueOf(record.getMessage()).contains("never closed")) {
      reports.add(record.getMessage());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    LOGGER.removeHandler(this);
  }
}
