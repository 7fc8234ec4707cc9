// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A log that throws for each line, as one does of which a full stack has spoilt a class. */
public final class BrokenLog extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("org.jhal");
  private final Level before = logger.getLevel();

  public BrokenLog() {
    setLevel(Level.ALL);
    logger.setLevel(Level.ALL);
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord line) {
    throw new NoClassDefFoundError("Could not initialize a class of the log");
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
