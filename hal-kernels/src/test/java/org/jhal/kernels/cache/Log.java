// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures the log of caches while it is open. */
final class Log extends Handler implements AutoCloseable {
  // A field, because java.util.logging holds loggers only weakly.
  private final Logger logger = Logger.getLogger(KernelCache.class.getName());
  private final List<String> lines = new CopyOnWriteArrayList<>();

  Log() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.ALL);
  }

  /** Level and message of each record. */
  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord record) {
    lines.add(record.getLevel() + " " + record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
    logger.setLevel(null);
  }
}
