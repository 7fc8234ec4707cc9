// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.util.Timer;
import java.util.TimerTask;

/**
 * A progress bar for a repeated run, or a replay. It appears after a second, so that short runs
 * print nothing, and disappears when it is closed.
 *
 * <p>Thread-safe.
 */
final class Progress implements AutoCloseable {
  private static final int WIDTH = 30;
  private static final long DELAY_MILLIS = 1000;
  private static final long PERIOD_MILLIS = 200;

  private final Timer timer = new Timer("hal-progress", true);
  private final PrintWriter err;
  private final int all;

  private int done; // guarded by this
  private int shown; // how many columns are written; guarded by this
  private boolean closed; // guarded by this

  /** A bar on a terminal behind {@code err}, for {@code all} steps. */
  Progress(PrintWriter err, int all) {
    this(err, all, DELAY_MILLIS);
  }

  /** The same, but it appears after another time. */
  Progress(PrintWriter err, int all, long delayMillis) {
    this.err = err;
    this.all = all;
    timer.schedule(
        new TimerTask() {
          @Override
          public void run() {
            paint();
          }
        },
        delayMillis,
        PERIOD_MILLIS);
  }

  /** Counts one more completed step. */
  synchronized void step() {
    done++;
  }

  /** Prints the bar in its current state. */
  synchronized void paint() {
    if (!closed) {
      String text = bar(done, all);
      err.print("\r" + text);
      err.flush();
      shown = text.length();
    }
  }

  /** The bar after {@code done} of {@code all} steps. */
  static String bar(int done, int all) {
    int filled = (int) ((long) WIDTH * done / all);
    return "[" + "#".repeat(filled) + " ".repeat(WIDTH - filled) + "] " + done + "/" + all;
  }

  /** Erases the bar. */
  @Override
  public synchronized void close() {
    timer.cancel();
    closed = true;
    if (shown > 0) {
      err.print("\r" + " ".repeat(shown) + "\r");
      err.flush();
    }
  }

  /** Whether stderr is a terminal; the launcher knows it, Java does not. */
  static boolean isOnTerminal() {
    String setting = System.getProperty("jhal.terminal");
    return setting == null ? System.console() != null : Boolean.parseBoolean(setting);
  }
}
