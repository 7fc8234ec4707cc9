package org.jhal.engine.queue;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jhal.driver.support.BackOff;
import org.jspecify.annotations.Nullable;

/**
 * Decides how often the completion thread queries the oldest event in flight, and when it sleeps.
 *
 * <ul>
 *   <li>While operations are being issued, and for {@code completion-spin} after the last one, it
 *       polls.
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

  private final long spinNanos;
  private final LongSupplier issued;

  /** The completion thread while it naps, else null. Read by host threads. */
  private volatile @Nullable Thread napping;

  // Used by the completion thread alone.
  private long idleSince; // when an operation was last seen to have been issued
  private long issuedBefore; // how many had been issued then

  /**
   * Creates the pace of one completion thread.
   *
   * @param spinNanos the time of {@code completion-spin}
   * @param issued how many operations were issued so far
   */
  PollingPace(long spinNanos, LongSupplier issued) {
    this.spinNanos = spinNanos;
    this.issued = issued;
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

  /** The completion thread starts to wait for an operation. */
  void begin() {
    idleSince = System.nanoTime();
    issuedBefore = issued.getAsLong();
  }

  /** Whether nothing was issued for the time of {@code completion-spin}. */
  boolean isIdle() {
    return System.nanoTime() - idleSince >= spinNanos;
  }

  /** Waits until it is time to query the event of {@code first} again. */
  void pause(Operation<?> first) {
    long now = System.nanoTime();
    long issuedNow = issued.getAsLong();
    if (issuedNow != issuedBefore) {
      issuedBefore = issuedNow;
      idleSince = now;
    }
    if (!first.isPolled) {
      spin(now, PAUSE_NANOS);
    } else if (isIdle()) {
      nap(first, BackOff.length(now - idleSince));
    } else {
      spin(now, POLLED_PAUSE_NANOS);
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
      boolean ignored = Thread.interrupted(); // left set by a callback, it would prevent parking
    }
    napping = null;
  }
}
