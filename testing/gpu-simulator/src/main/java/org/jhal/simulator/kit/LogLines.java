// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Passes on the log records of a logger, until it is closed. */
public final class LogLines extends Handler implements AutoCloseable {
  // A field, because java.util.logging holds loggers only weakly.
  private final Logger logger;
  private final boolean parentHandlers;
  private final Consumer<LogRecord> listener;

  /**
   * Begins to listen.
   *
   * @param listener called on the thread that logs
   */
  public LogLines(String name, Consumer<LogRecord> listener) {
    this.logger = Logger.getLogger(name);
    this.parentHandlers = logger.getUseParentHandlers();
    this.listener = listener;
    logger.addHandler(this);
  }

  /** Suppresses the printing of these records meanwhile. */
  public LogLines silently() {
    logger.setUseParentHandlers(false);
    return this;
  }

  @Override
  public void publish(LogRecord line) {
    listener.accept(line);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(parentHandlers);
  }
}
