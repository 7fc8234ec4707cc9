package org.jhal.driver.support;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what can only be looked at. */
public final class BackOff {
  private static final long FIRST_NANOS = 10_000;
  private static final long LAST_NANOS = 1_000_000;

  private BackOff() {}

  /** A {@link System#nanoTime()} that does not come. */
  public static long never() {
    return System.nanoTime() + Long.MAX_VALUE / 2;
  }

  /**
   * Looks until {@code isOver} says so, or {@link System#nanoTime()} has passed {@code deadline};
   * returns what it said last. Looks at least once, and less often the longer it takes: at most an
   * eighth later than it could. An interrupt does not end it, and is there afterwards.
   *
   * @param waiter for people who look at the thread
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
        interrupted |= Thread.interrupted(); // a parked thread with its flag set would spin
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** How long to nap, in nanoseconds, after a wait of {@code waited}. */
  public static long length(long waited) {
    return Math.max(FIRST_NANOS, Math.min(waited / 8, LAST_NANOS));
  }
}
