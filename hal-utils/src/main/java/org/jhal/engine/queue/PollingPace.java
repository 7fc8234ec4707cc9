package org.jhal.engine.queue;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jhal.driver.support.BackOff;
import org.jspecify.annotations.Nullable;

/**
 * How often a completion thread looks at the oldest event in flight, and when it sleeps.
 *
 * <ul>
 *   <li>While operations are being issued, and for {@code completion-spin} after the last, it
 *       polls.
 *   <li>Then it sleeps in the native runtime until the event fires.
 *   <li>While a host thread polls the same event, that thread settles the operation. A thread that
 *       sleeps on the event in the native runtime would slow both down, so this one naps instead.
 * </ul>
 *
 * <p>{@link #endPoll} is for any thread, the rest for the completion thread.
 */
final class PollingPace {
  private static final long PAUSE_NANOS = 200;
  private static final long POLLED_PAUSE_NANOS = 2_000;

  private final long spinNanos;
  private final LongSupplier issued;

  /** The completion thread, while it naps. */
  private volatile @Nullable Thread napping;

  // Of the completion thread.
  private long idleSince;
  private long issuedBefore;

  /**
   * The pace of one completion thread.
   *
   * @param spinNanos how long it polls after the last operation was issued
   * @param issued how many operations were issued so far
   */
  PollingPace(long spinNanos, LongSupplier issued) {
    this.spinNanos = spinNanos;
    this.issued = issued;
  }

  /**
   * A host thread polls the operation no more, and has said so by {@link Operation#setPolled}.
   *
   * @param hasSeen whether it has seen the event fire, and settled the operation
   */
  void endPoll(Operation<?> operation, boolean hasSeen) {
    // Nobody else looks after what was issued behind an operation that was seen.
    if (!hasSeen || issued.getAsLong() > operation.place()) {
      Thread thread = napping;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** The completion thread begins to wait for something. */
  void begin() {
    idleSince = System.nanoTime();
    issuedBefore = issued.getAsLong();
  }

  /** Whether nothing was issued for {@code completion-spin}. */
  boolean isIdle() {
    return System.nanoTime() - idleSince >= spinNanos;
  }

  /** Waits until it is time to look at {@code first} again. */
  void pause(Operation<?> first) {
    long now = System.nanoTime();
    long issuedNow = issued.getAsLong();
    if (issuedNow != issuedBefore) {
      issuedBefore = issuedNow;
      idleSince = now;
    }
    if (!first.isPolled()) {
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
    // Announced before the look at isPolled, which a host thread clears before it looks here.
    napping = Thread.currentThread();
    if (first.isPolled()) {
      LockSupport.parkNanos(this, nanos);
      boolean ignored = Thread.interrupted(); // somebody's callback left it set; it would not park
    }
    napping = null;
  }
}
