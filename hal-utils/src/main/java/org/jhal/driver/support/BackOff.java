// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition that can only be polled. */
public final class BackOff {
  private static final long FIRST_NANOS = 10_000;
  private static final long LAST_NANOS = 1_000_000;

  private BackOff() {}

  /** A deadline, in terms of {@link System#nanoTime()}, that is never reached. */
  public static long never() {
    return System.nanoTime() + Long.MAX_VALUE / 2;
  }

  /**
   * Polls until {@code isOver} returns true or {@link System#nanoTime()} has passed {@code
   * deadline}; returns the last result. Polls at least once, and less often over time; see {@link
   * #length}. Not interruptible; restores the interrupt status.
   *
   * @param waiter the object that the thread parks on, as thread dumps show it
   */
  public static boolean await(Object waiter, long deadline, BooleanSupplier isOver) {
    long start = System.nanoTime();
    boolean interrupted = false;
    try {
      while (!isOver.getAsBoolean()) {
        long now = System.nanoTime();
        if (now - deadline >= 0) {
          return false;
        }
        LockSupport.parkNanos(waiter, Math.min(length(now - start), deadline - now));
        interrupted |= Thread.interrupted(); // otherwise parking would return at once
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** How long to sleep before the next poll after a wait of {@code waited}; both in nanoseconds. */
  public static long length(long waited) {
    return Math.max(FIRST_NANOS, Math.min(waited / 8, LAST_NANOS));
  }
}
