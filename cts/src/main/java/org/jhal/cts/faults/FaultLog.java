// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;

/**
 * Captures the log while calls fail on purpose. Warnings are then expected, but errors are bugs. So
 * are a thread that dies, and a device whose close could not end its work.
 */
public final class FaultLog extends Handler implements AutoCloseable {
  /** Longer than all waits of one case together. */
  private static final Duration LIMIT = Waits.LIMIT.multipliedBy(4);

  private final Logger logger = Logger.getLogger("org.jhal");
  private final boolean parentHandlers = logger.getUseParentHandlers();
  private final Thread.@Nullable UncaughtExceptionHandler previous =
      Thread.getDefaultUncaughtExceptionHandler();
  private final List<String> errors = new ArrayList<>(); // guarded by this

  /** Starts capturing the log. */
  public FaultLog() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> add("thread " + thread.getName() + " died", thrown));
  }

  /**
   * Runs a case and captures its log. The case runs on a separate thread, so that even calls that
   * should never block have a deadline.
   *
   * @param repeat the command that repeats the case, up to the case's name
   * @throws AssertionError if anything went wrong; the message contains the command
   */
  public static void runInTime(String name, String repeat, Task.Action body) {
    try (FaultLog log = new FaultLog()) {
      Task<?> task = Task.run(name, body);
      Waits.awaitTrue(name + " to end", LIMIT, () -> !task.isRunning());
      task.join();
      log.assertNoErrors();
    } catch (Exception | Error e) {
      throw new AssertionError(name + ": " + e.getMessage() + "\nto repeat: " + repeat + name, e);
    }
  }

  private synchronized void add(String text, @Nullable Throwable thrown) {
    errors.add(text + (thrown == null ? "" : ": " + thrown));
  }

  @Override
  public void publish(LogRecord line) {
    String text = line.getMessage();
    if (line.getLevel().equals(Level.SEVERE)
        || text.contains("did not end within")
        || text.contains("is leaked")) {
      add(line.getMessage(), line.getThrown());
    }
  }

  /** Throws if there was an error. */
  public synchronized void assertNoErrors() {
    if (!errors.isEmpty()) {
      throw new AssertionError("logged: " + String.join("\n", errors));
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(parentHandlers);
    Thread.setDefaultUncaughtExceptionHandler(previous);
  }
}
