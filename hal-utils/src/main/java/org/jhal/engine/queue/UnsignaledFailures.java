// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import org.jhal.HalException;
import org.jhal.engine.timeline.Failures;

/**
 * Logs the failures of operations of one queue that signal nothing, which no timeline reports (rule
 * Q7b). In each period a few are logged, and the others only counted.
 *
 * <p>Thread-safe.
 */
final class UnsignaledFailures {
  private static final System.Logger LOG = System.getLogger(UnsignaledFailures.class.getName());

  /** How many are logged within {@link #PERIOD_NANOS}. */
  static final int MOST = 10;

  static final long PERIOD_NANOS = 10_000_000_000L;

  private final String queue;

  @GuardedBy("this")
  private long since = System.nanoTime(); // when the current period began

  @GuardedBy("this")
  private int logged; // in the current period

  @GuardedBy("this")
  private long omitted; // since the last line

  UnsignaledFailures(String queue) {
    this.queue = queue;
  }

  /**
   * Logs the failure of an operation, unless it is reported elsewhere: by a signal, or by the
   * timeline that the operation has waited for. Called once per operation that has failed.
   */
  void log(Operation<?> operation, HalException failure) {
    if (operation.signalCount() > 0) {
      return;
    }
    for (OperationWait<?> wait : operation.waits()) {
      if (wait.semaphore().over() == failure) {
        return;
      }
    }
    long missing = take(System.nanoTime());
    if (missing >= 0) {
      Failures.log(
          LOG,
          Level.WARNING,
          queue
              + " "
              + operation.name()
              + " failed, and has no signal that would report it"
              + (missing == 0 ? "" : "; " + missing + " more such failures were not logged"),
          failure);
    }
  }

  /** Returns -1 if the failure is only counted; else how many were since the last that was not. */
  synchronized long take(long now) {
    if (now - since > PERIOD_NANOS) {
      since = now;
      logged = 0;
    }
    if (logged == MOST) {
      omitted++;
      return -1;
    }
    logged++;
    long missing = omitted;
    omitted = 0;
    return missing;
  }
}
