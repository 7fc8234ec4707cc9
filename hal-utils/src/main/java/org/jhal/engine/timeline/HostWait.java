// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.spi.DurationText;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;

/**
 * A host thread that waits for a value (rules S4, K5). It checks the value, polls the native event
 * that covers it for a bounded time, and then parks until it is released.
 */
final class HostWait extends WaitNode {
  /** How long a thread parks at most before it looks at the value itself. */
  private static final long LOOK_NANOS = 1_000_000_000;

  private final Thread thread = Thread.currentThread();
  private volatile boolean isReleased; // written by the thread that releases this, read by `thread`

  private HostWait() {
    super(null);
  }

  @Override
  public void released(Cascade cascade) {
    isReleased = true; // volatile: also makes `failure` visible
    LockSupport.unpark(thread);
  }

  /** Waits for a value. A null timeout means no limit; zero or less only checks the value. */
  static void await(EngineSemaphore semaphore, long wanted, @Nullable Duration timeout)
      throws InterruptedException {
    if (!tryAwait(semaphore, wanted, timeout)) {
      throw expired(semaphore, wanted, Objects.requireNonNull(timeout));
    }
  }

  /** As {@link #await}, but returns false if the time is up first. */
  static boolean tryAwait(EngineSemaphore semaphore, long wanted, @Nullable Duration timeout)
      throws InterruptedException {
    try {
      boolean isReached = isReachedWithin(semaphore, wanted, timeout);
      if (isReached) {
        semaphore.noteObserved(wanted);
      }
      return isReached;
    } catch (HalException e) {
      semaphore.noteObservedFailure();
      throw e;
    }
  }

  private static boolean isReachedWithin(
      EngineSemaphore semaphore, long wanted, @Nullable Duration timeout)
      throws InterruptedException {
    semaphore.checkOpen();
    long limit = timeout == null ? Long.MAX_VALUE : nanos(timeout);
    if (limit > 0) {
      HostWaits.check();
    }
    if (isReached(semaphore, wanted)) {
      return true;
    }
    Span span = limit > 0 ? FlightRecorder.hostWait(semaphore.number(), wanted) : null;
    String outcome = "interrupted";
    try {
      boolean isReached = waitUntil(semaphore, wanted, limit);
      outcome = isReached ? "reached" : "late";
      return isReached;
    } catch (HalException e) {
      outcome = e.status().name();
      throw e;
    } finally {
      Span.end(span, outcome);
    }
  }

  private static boolean waitUntil(EngineSemaphore semaphore, long wanted, long limit)
      throws InterruptedException {
    long start = System.nanoTime();
    if (limit > 0 && poll(semaphore, wanted, start, limit)) {
      return true;
    }
    boolean isReached = true;
    HostWait wait = new HostWait();
    if (semaphore.register(wait, wanted, null)) {
      try {
        isReached = wait.park(semaphore, wanted, start, limit);
      } finally {
        // If a signaller has removed the node meanwhile, this does nothing, and released() only
        // sets a field of an object that is garbage.
        if (!wait.isReleased) {
          semaphore.deregister(wait);
        }
      }
    }
    HalException failed = wait.failure;
    if (failed != null) {
      throw failed.again();
    }
    return isReached;
  }

  private static HalException expired(EngineSemaphore semaphore, long wanted, Duration timeout) {
    // A mere check gets no explanation: that walks all open operations, too slow to poll with.
    return new HalException(
        Status.DEADLINE_EXCEEDED,
        nanos(timeout) == 0
            ? semaphore + " has not reached " + wanted
            : "waited "
                + DurationText.of(timeout)
                + " for "
                + semaphore
                + " to reach "
                + wanted
                + "; "
                + semaphore.explain(wanted));
  }

  /** Parks until it is released. Returns false if the limit has passed first. */
  private boolean park(EngineSemaphore semaphore, long wanted, long start, long limit)
      throws InterruptedException {
    while (!isReleased) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long left = limit == Long.MAX_VALUE ? Long.MAX_VALUE : limit - (System.nanoTime() - start);
      if (left <= 0) {
        return false;
      }
      LockSupport.parkNanos(semaphore, Math.min(left, LOOK_NANOS));
      // An error, such as a lack of memory, may have ended a signaller behind raising the value.
      if (!isReleased && isReached(semaphore, wanted)) {
        return true;
      }
    }
    return true;
  }

  /**
   * Polls the event of the operation that will raise the value, if there is one, for at most the
   * spin time of that operation's device, and settles the operation. Returns whether the value is
   * reached.
   */
  private static boolean poll(EngineSemaphore semaphore, long wanted, long start, long limit)
      throws InterruptedException {
    Producer operation = coveringSoon(semaphore, wanted, start, limit);
    if (operation == null) {
      return isReached(semaphore, wanted);
    }
    long begin = System.nanoTime();
    long spin = Math.min(operation.spinNanos(), limit - (begin - start));
    if (spin <= 0) {
      return false;
    }
    operation.settleWhenFired(
        begin + spin,
        () ->
            semaphore.currentValue() >= wanted
                || semaphore.over() != null
                || Thread.currentThread().isInterrupted());
    boolean isReached = isReached(semaphore, wanted);
    if (!isReached && Thread.interrupted()) {
      throw new InterruptedException();
    }
    return isReached;
  }

  /**
   * Returns the operation that will raise the value, or null if there is none. If one is left to an
   * issue thread, waits a moment until that has issued it: to park and to be woken takes longer.
   */
  private static @Nullable Producer coveringSoon(
      EngineSemaphore semaphore, long wanted, long start, long limit) {
    while (true) {
      Producer operation = semaphore.covering(wanted);
      if (operation != null
          || !semaphore.expectsEvent()
          || semaphore.currentValue() >= wanted
          || semaphore.over() != null
          || Thread.currentThread().isInterrupted()
          || System.nanoTime() - start >= limit
          || PlatformThreads.isCurrentVirtual()) {
        return operation;
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Whether the value is reached.
   *
   * @throws HalException if the semaphore has failed or is closed
   */
  private static boolean isReached(EngineSemaphore semaphore, long wanted) {
    boolean reached = semaphore.currentValue() >= wanted; // before the failure: it takes precedence
    HalException failed = semaphore.over();
    if (failed != null) {
      throw failed.again();
    }
    return reached;
  }

  private static long nanos(Duration timeout) {
    return Math.max(0, TimeUnit.NANOSECONDS.convert(timeout)); // Long.MAX_VALUE at most
  }
}
