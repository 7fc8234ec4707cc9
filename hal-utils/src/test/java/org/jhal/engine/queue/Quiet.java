// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what the engine logs, instead of printing it, until it is closed. */
public final class Quiet extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("org.jhal");
  private final boolean parentHandlers = logger.getUseParentHandlers();
  private final List<String> lines = new ArrayList<>(); // guarded by this

  public Quiet() {
    setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  /** How many lines contain {@code part}. */
  public synchronized long count(String part) {
    return lines.stream().filter(line -> line.contains(part)).count();
  }

  /**
   * What was logged, less the reports about forgotten handles: those come from any test that ran in
   * this JVM, whenever the garbage collector finds them. Ask {@link #count} for them.
   */
  public synchronized List<String> lines() {
    return lines.stream().filter(line -> !line.contains("was never closed")).toList();
  }

  @Override
  public synchronized void publish(LogRecord line) {
    lines.add(line.getLevel() + " " + line.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(parentHandlers);
  }
}
