// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.tool;

import java.io.PrintWriter;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.RunFacts;

/**
 * A progress line on a terminal. It is rewritten when a test ends, and must be erased before
 * anything else is printed.
 *
 * <p>Thread-safe.
 */
final class CtsProgress {
  private final PrintWriter err;
  private final int all;
  private int done; // guarded by this, as are the others
  private int failed;
  private String last = ""; // the last test; invocations of a test are consecutive
  private int shown; // how many columns are written

  /** A line on {@code err} for a run of {@code all} tests. */
  CtsProgress(PrintWriter err, int all) {
    this.err = err;
    this.all = all;
  }

  /** A test, or one invocation of it, has ended. */
  synchronized void ended(CtsReport.Entry entry) {
    if (!entry.test().equals(last)) {
      last = entry.test();
      done++;
    }
    if (entry.outcome() == CtsReport.Outcome.FAILED) {
      failed++;
    }
    String text =
        done + "/" + all + (failed == 0 ? "" : ", " + failed + " failed") + "  " + entry.test();
    err.print(text);
    err.flush();
    shown = text.length();
  }

  /** Erases the line. */
  synchronized void wipe() {
    if (shown > 0) {
      err.print("\r" + " ".repeat(shown) + "\r");
      err.flush();
      shown = 0;
    }
  }

  /** Whether stderr is a terminal. The launcher detects that, because Java cannot. */
  static boolean isOnTerminal() {
    String setting = System.getProperty(RunFacts.TERMINAL_PROPERTY);
    return setting == null ? System.console() != null : Boolean.parseBoolean(setting);
  }
}
