package org.jhal.cts.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Takes the log while calls fail on purpose: warnings are expected then, errors are bugs. So is a
 * thread that dies, and a device that is closed and could not end its work.
 */
public final class FaultLog extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("org.jhal");
  private final boolean parentHandlers = logger.getUseParentHandlers();
  private final Thread.@Nullable UncaughtExceptionHandler previous =
      Thread.getDefaultUncaughtExceptionHandler();
  private final List<String> errors = new ArrayList<>(); // guarded by this

  /** Begins to take it. */
  public FaultLog() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> add("thread " + thread.getName() + " died", thrown));
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

  /** Throws if there was any. */
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
