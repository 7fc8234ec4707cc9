package org.jhal.engine.queue;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jhal.driver.support.BackOff;
import org.jspecify.annotations.Nullable;

/**
 * How often a completion thread looks at an event. Each look takes a lock in the native runtime
 * that whoever issues needs too, and reads what other threads write, which takes that from the
 * thread that writes it next. So it looks at once where nothing happens, less often while more is
 * being issued, and rarely while others do its work: a host thread that polls, and helpers. Whoever
 * depends on it says so by {@link #hurry}.
 *
 * <p>The methods under "Others" are for any thread, the rest for the completion thread.
 */
final class PollingPace {
  private static final long MIN_PAUSE_NANOS = 200;
  private static final long MAX_PAUSE_NANOS = 10_000;
  private static final long POLLED_PAUSE_NANOS = 2_000;
  private static final long HELPED_PAUSE_NANOS = 20_000;
  private static final int MANY_REFUSALS = 100; // some microseconds

  private final long spinNanos;
  private final LongSupplier issued;

  /** Set by who depends on the next look, cleared by that. */
  private volatile boolean isHurried;

  /** The completion thread, while it naps. */
  private volatile @Nullable Thread napping;

  // Of the completion thread.
  private long idleSince;
  private long issuedBefore;
  private long pauseNanos = MIN_PAUSE_NANOS; // while nobody polls or helps

  /**
   * The pace of one completion thread.
   *
   * @param spinNanos how long it polls while nothing is issued, before it sleeps
   * @param issued how many operations were issued so far
   */
  PollingPace(long spinNanos, LongSupplier issued) {
    this.spinNanos = spinNanos;
    this.issued = issued;
  }

  // Others.

  /**
   * A host thread has polled, and does not any more.
   *
   * @param hasSeen whether it has seen what it waited for, and settled the operation
   */
  void endPoll(Operation<?> operation, boolean hasSeen) {
    // The completion thread may nap, and somebody depend on what was issued behind the operation.
    if (!hasSeen || (issued.getAsLong() > operation.place() && napping != null)) {
      hurry();
    }
  }

  /** The completion thread is to look now, whoever polls or helps. */
  void hurry() {
    if (!isHurried) {
      isHurried = true; // before the look at who naps; a nap is announced before its look at this
    }
    Thread thread = napping;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  // The completion thread.

  /** It begins to wait for something. */
  void begin() {
    idleSince = System.nanoTime();
    issuedBefore = issued.getAsLong();
  }

  /** Whether it polls at all before it sleeps. */
  boolean spins() {
    return spinNanos > 0;
  }

  /** Whether nothing was issued, and nobody has helped, for as long as it polls. */
  boolean isIdle() {
    return System.nanoTime() - idleSince >= spinNanos;
  }

  /** Whether somebody depends on the look that follows. */
  boolean takeHurry() {
    boolean hurried = isHurried;
    if (hurried) {
      isHurried = false;
    }
    return hurried;
  }

  /**
   * Waits until it is time to look again.
   *
   * @param isPolled whether a host thread polls what is to be looked at
   */
  void pause(boolean isHelped, boolean isPolled) {
    long now = System.nanoTime();
    long issuedNow = issued.getAsLong();
    if (issuedNow == issuedBefore && !isHelped) {
      pauseNanos = MIN_PAUSE_NANOS;
    } else {
      pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
      issuedBefore = issuedNow;
      idleSince = now;
    }
    long idle = now - idleSince;
    if (isHelped) {
      spin(now, HELPED_PAUSE_NANOS);
    } else if (isPolled && idle >= spinNanos) {
      nap(BackOff.length(idle));
    } else {
      spin(now, isPolled ? POLLED_PAUSE_NANOS : pauseNanos);
    }
  }

  /**
   * Waits for a helper, which is through in a moment, unless its thread does not run.
   *
   * @param refused how often that has been so before
   */
  void awaitHelper(int refused) {
    if (refused < MANY_REFUSALS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(this, BackOff.length(0));
      boolean ignored = Thread.interrupted(); // it would not park
    }
  }

  private void spin(long start, long nanos) {
    while (!isHurried && System.nanoTime() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  private void nap(long nanos) {
    napping = Thread.currentThread();
    if (!isHurried) {
      LockSupport.parkNanos(this, nanos);
      boolean ignored = Thread.interrupted(); // somebody's callback left it set; it would not park
    }
    napping = null;
  }
}
