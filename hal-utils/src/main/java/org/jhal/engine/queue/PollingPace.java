// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jhal.driver.support.BackOff;
import org.jspecify.annotations.Nullable;

/**
 * Decides how often the completion thread queries the oldest event in flight, and when it sleeps.
 *
 * <ul>
 *   <li>While operations are being issued, and for {@code completion-spin} after the last one, it
 *       polls, also while one takes up to a millisecond to issue: whoever issues would otherwise
 *       have to wake it, or to wait for locks of the native runtime, and take even longer. If
 *       nobody wants to know ({@link Wish}), it polls seldom: a query takes a lock of the native
 *       runtime that those who issue need, and so does a host thread that polls.
 *   <li>After that it sleeps in the native runtime until the event fires.
 *   <li>While a host thread polls the same event, that thread will settle the operation. The
 *       completion thread then naps instead of sleeping in the native runtime, which would slow the
 *       event down for both.
 * </ul>
 *
 * <p>{@link #endPoll} is for any thread, the rest for the completion thread.
 */
final class PollingPace {
  /** The time between two queries of an event. */
  private static final long PAUSE_NANOS = 200;

  /** The time between two queries of an event that a host thread polls as well. */
  private static final long POLLED_PAUSE_NANOS = 2_000;

  /** If nothing was issued for so long, what is being issued has blocked. */
  private static final long ISSUE_NANOS = 1_000_000;

  private final long spinNanos;
  private final long quietNanos;
  private final Wish wish;
  private final LongSupplier issued;
  private final BooleanSupplier isIssuing;

  /** The completion thread while it naps, else null. Read by host threads. */
  private volatile @Nullable Thread napping;

  // Used by the completion thread alone.
  private long idleSince; // when an operation was last seen to have been issued
  private long issuedBefore; // how many had been issued then
  private long quietSince; // when it last looked, or began to wait

  /**
   * Creates the pace of one completion thread.
   *
   * @param spinNanos the time of {@code completion-spin}
   * @param quietNanos the time between two looks that nobody wants
   * @param issued how many operations were issued so far
   * @param isIssuing whether another one is being issued
   */
  PollingPace(
      long spinNanos, long quietNanos, Wish wish, LongSupplier issued, BooleanSupplier isIssuing) {
    this.spinNanos = spinNanos;
    this.quietNanos = quietNanos;
    this.wish = wish;
    this.issued = issued;
    this.isIssuing = isIssuing;
  }

  /**
   * A host thread has stopped polling the operation, and has cleared {@link Operation#isPolled}
   * before.
   *
   * @param hasSeen whether it has seen the event fire, and settled the operation
   */
  void endPoll(Operation<?> operation, boolean hasSeen) {
    // If the event was seen to fire, and nothing was issued behind the operation, the completion
    // thread can go on napping: retiring the operation is not urgent.
    if (!hasSeen || issued.getAsLong() > operation.place) {
      Thread thread = napping;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /**
   * The completion thread starts to wait for an operation.
   *
   * @param isFresh whether it has not waited for that before; otherwise the time between two looks
   *     goes on
   */
  void begin(boolean isFresh) {
    idleSince = System.nanoTime();
    issuedBefore = issued.getAsLong();
    if (isFresh) {
      quietSince = idleSince;
    }
  }

  /** Whether it may sleep; see {@link #staysAwake}. */
  boolean isIdle() {
    return isIdle(System.nanoTime());
  }

  private boolean isIdle(long now) {
    long issuedNow = issued.getAsLong();
    if (issuedNow != issuedBefore) {
      issuedBefore = issuedNow;
      idleSince = now;
    }
    return !staysAwake(now - idleSince);
  }

  /** Whether it neither sleeps nor parks although nothing was issued for {@code nanos}. */
  boolean staysAwake(long nanos) {
    return nanos < spinNanos || (spinNanos > 0 && nanos < ISSUE_NANOS && isIssuing.getAsBoolean());
  }

  /** Whether it is too early to look at {@code first} and those behind it. */
  boolean isQuiet(Operation<?> first) {
    long now = System.nanoTime();
    return !isWanted(first) && now - quietSince < quietNanos && !isIdle(now);
  }

  /** Whether somebody wants to know soon when {@code first} is over. */
  boolean isWanted(Operation<?> first) {
    return wish.covers(first.place);
  }

  /** The completion thread has looked, and found nothing that is over. */
  void looked() {
    quietSince = System.nanoTime();
  }

  /** Waits until it is time to see again whether {@code first} is to be looked at. */
  void pause(Operation<?> first) {
    boolean isQuiet = isQuiet(first);
    long now = System.nanoTime();
    if (isQuiet) {
      keepQuiet(first, now, Math.min(spinNanos, quietNanos - (now - quietSince)));
    } else if (!first.isPolled) {
      spin(now, PAUSE_NANOS);
    } else if (isIdle(now)) {
      nap(first, BackOff.length(now - idleSince));
    } else {
      spin(now, POLLED_PAUSE_NANOS);
    }
  }

  /**
   * Spins until {@code first} is wanted, or for {@code nanos}. A wish may come at any time, also
   * right behind the check that found none: it stays, and is read here in each turn. If this thread
   * parked, whoever wants something would have to unpark it, which takes some microseconds.
   */
  private void keepQuiet(Operation<?> first, long start, long nanos) {
    while (!isWanted(first) && System.nanoTime() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  private static void spin(long start, long nanos) {
    while (System.nanoTime() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  private void nap(Operation<?> first, long nanos) {
    // A host thread may stop polling between the check of isPolled and the park. It clears isPolled
    // before it reads `napping`, so either the check here sees that or the host thread unparks us.
    napping = Thread.currentThread();
    if (first.isPolled) {
      LockSupport.parkNanos(this, nanos);
      Thread.interrupted(); // left set by a callback, it would prevent parking
    }
    napping = null;
  }
}
