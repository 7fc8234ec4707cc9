// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Captures what JHAL logs during a test, and exceptions that end threads. System.Logger writes to
 * java.util.logging unless another backend is installed. With another backend, the log is not
 * checked.
 *
 * <p>Thread-safe.
 */
final class LogCapture extends Handler {
  /** Enough stack frames to include those of the test, below those of any driver. */
  private static final int FRAMES = 40;

  // A field, because java.util.logging holds loggers only by weak references.
  private final Logger logger = Logger.getLogger("org.jhal");
  private final boolean parentHandlers = logger.getUseParentHandlers();
  private final Thread.@Nullable UncaughtExceptionHandler previous =
      Thread.getDefaultUncaughtExceptionHandler();
  private final List<Problem> problems = new ArrayList<>(); // guarded by this
  private final List<String> allowed = new ArrayList<>(); // guarded by this
  private boolean areWarningsAllowed; // guarded by this

  private record Problem(boolean isWarning, String text) {}

  LogCapture() {
    setLevel(Level.ALL);
  }

  void start() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> add(false, "thread " + thread.getName() + " died", thrown));
  }

  void stop() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(parentHandlers);
    Thread.setDefaultUncaughtExceptionHandler(previous);
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
      String text = new SimpleFormatter().formatMessage(record);
      add(true, record.getLevel() + " " + record.getLoggerName() + ": " + text, record.getThrown());
    }
  }

  private synchronized void add(boolean isWarning, String text, @Nullable Throwable thrown) {
    StringBuilder line = new StringBuilder(text);
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      line.append(" <- ").append(t);
      StackTraceElement[] stack = t.getStackTrace();
      for (int i = 0; i < Math.min(FRAMES, stack.length); i++) {
        line.append("\n      at ").append(stack[i]);
      }
    }
    problems.add(new Problem(isWarning, line.toString()));
  }

  /** Allows lines that contain {@code part}, including earlier ones. */
  synchronized void allow(String part) {
    allowed.add(part);
  }

  /** Allows all warnings, including earlier ones. */
  synchronized void allowWarnings() {
    areWarningsAllowed = true;
  }

  /** Removes all lines that contain {@code part}. Returns whether there were any. */
  synchronized boolean consume(String part) {
    return problems.removeIf(problem -> problem.text.contains(part));
  }

  /** The warnings, errors and dead threads that are not allowed. */
  synchronized List<String> problems() {
    return problems.stream()
        .filter(problem -> !(problem.isWarning && areWarningsAllowed))
        .map(Problem::text)
        .filter(text -> allowed.stream().noneMatch(text::contains))
        .toList();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
