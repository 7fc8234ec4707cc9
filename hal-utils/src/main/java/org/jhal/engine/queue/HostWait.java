package org.jhal.engine.queue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jhal.HalException;
import org.jhal.Status;
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

  @Override
  void released() {
    isReleased = true; // volatile: also makes `failure` visible
    LockSupport.unpark(thread);
  }

  /**
   * Waits for {@code wanted}. A null {@code timeout} means no limit; zero or less only checks the
   * value.
   */
  static void await(EngineSemaphore semaphore, long wanted, @Nullable Duration timeout)
      throws InterruptedException {
    semaphore.checkFutureWait();
    if (isReached(semaphore, wanted)) {
      return;
    }
    long start = System.nanoTime();
    long limit = timeout == null ? Long.MAX_VALUE : nanos(timeout);
    if (limit > 0 && poll(semaphore, wanted, start, limit)) {
      return;
    }
    HostWait wait = new HostWait();
    if (semaphore.register(wait, wanted, null)) {
      try {
        wait.park(semaphore, wanted, start, limit, timeout);
      } finally {
        // A signaller may remove the node between this check and deregister(), which then does
        // nothing. released() only sets a field of an object that is garbage by then.
        if (!wait.isReleased) {
          semaphore.deregister(wait);
        }
      }
    }
    HalException failed = wait.failure;
    if (failed != null) {
      throw failed.again();
    }
  }

  private void park(
      EngineSemaphore semaphore, long wanted, long start, long limit, @Nullable Duration timeout)
      throws InterruptedException {
    while (!isReleased) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long left = timeout == null ? Long.MAX_VALUE : limit - (System.nanoTime() - start);
      if (limit == 0) {
        // No explanation: it walks all open operations, too slow for a caller that polls.
        throw new HalException(Status.DEADLINE_EXCEEDED, semaphore + " has not reached " + wanted);
      }
      if (left <= 0) {
        throw new HalException(
            Status.DEADLINE_EXCEEDED,
            "waited "
                + timeout
                + " for "
                + semaphore
                + " to reach "
                + wanted
                + "; "
                + semaphore.explain(wanted));
      }
      LockSupport.parkNanos(semaphore, Math.min(left, LOOK_NANOS));
      // An error, such as a lack of memory, may have ended a signaller behind raising the value.
      if (!isReleased && isReached(semaphore, wanted)) {
        return;
      }
    }
  }

  /**
   * Polls the event of the operation that will raise the value, if there is one, for at most the
   * spin time of that operation's device. When the event has fired, this thread settles the
   * operation itself instead of waiting for the completion thread.
   *
   * @return whether the value is reached
   */
  private static boolean poll(EngineSemaphore semaphore, long wanted, long start, long limit)
      throws InterruptedException {
    Operation<?> operation = semaphore.retainCovering(wanted);
    if (operation == null) {
      return false;
    }
    try {
      long spin = Math.min(operation.queue.poller().spinNanos(), limit);
      if (spin == 0) {
        return false;
      }
      boolean ignored =
          operation.settleWhenFired(
              start + spin,
              () ->
                  semaphore.currentValue() >= wanted
                      || semaphore.over() != null
                      || Thread.currentThread().isInterrupted());
      boolean isReached = isReached(semaphore, wanted);
      if (!isReached && Thread.interrupted()) {
        throw new InterruptedException();
      }
      return isReached;
    } finally {
      operation.release();
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
    try {
      return Math.max(0, timeout.toNanos());
    } catch (ArithmeticException tooLong) {
      return timeout.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
