package org.jhal;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A timeline: a 64-bit number that only grows. Host threads and the queues of any device wait for
 * its values and signal them. Nothing else orders work.
 *
 * <p>Life cycle: <em>alive</em> (the value grows) -> <em>failed</em> (sticky; the first failure
 * wins and reaches every current and later waiter, even for values reached before) ->
 * <em>closed</em>. A semaphore may outlive the device that made it.
 *
 * <p>Contract: rules S1 to S10.
 *
 * <p>Thread-safe: any thread may use any method at any time.
 */
public interface TimelineSemaphore extends AutoCloseable {
  /**
   * The current value, in {@code [0, Long.MAX_VALUE]}.
   *
   * @throws HalException the failure, if the semaphore has failed; FAILED_PRECONDITION if it is
   *     closed
   */
  long value();

  /** The failure, or null while there is none. A closed semaphore that never failed has none. */
  @Nullable HalException failure();

  /** The timepoint {@code value} of this timeline; see {@link Timepoint#Timepoint}. */
  default Timepoint at(long value) {
    return new Timepoint(this, value);
  }

  /**
   * Raises the value and releases every waiter for a value up to it, in order of value, then of
   * registration (S1, S2). Callbacks run on this thread before the call returns, unless the call
   * was itself made from a callback: then they run once that callback has returned.
   *
   * @param value more than the current value, by any amount
   * @throws HalException OUT_OF_RANGE if {@code value} is not more than the current one, which then
   *     stays; the failure, if the semaphore has failed; FAILED_PRECONDITION if it is closed
   */
  void signal(long value);

  /**
   * Fails the timeline: every current and later waiter gets {@code failure}. Does nothing if it has
   * already failed or is closed (S3).
   */
  void fail(HalException failure);

  /**
   * Blocks until {@code value} is reached. Returns at once if it is already reached.
   *
   * @throws HalException the failure, if the semaphore fails; CANCELLED if it is closed meanwhile;
   *     FAILED_PRECONDITION if it was closed before, or where nobody may wait: in a callback, in
   *     external work, or on another thread of a device, host calls apart; OUT_OF_RANGE if {@code
   *     value} is negative
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  void await(long value) throws InterruptedException;

  /**
   * Blocks until {@code value} is reached, for at most {@code timeout}; with zero or less it only
   * checks.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up, with a message that says which
   *     operations would signal the value (S10), or, after a mere check, that it is not reached;
   *     otherwise as {@link #await(long)}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  void await(long value, Duration timeout) throws InterruptedException;

  /**
   * Blocks until {@code value} is reached, for at most {@code timeout}; with zero or less it only
   * checks.
   *
   * @return false if the time was up first
   * @throws HalException as {@link #await(long)}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  boolean tryAwait(long value, Duration timeout) throws InterruptedException;

  /**
   * Runs {@code callback} once, when {@code value} is reached or the semaphore fails or is closed;
   * immediately, on this thread, if it is already reached or failed. From within another callback,
   * it runs once that callback has returned.
   *
   * @return cancels the callback
   * @throws HalException FAILED_PRECONDITION if the semaphore is closed; OUT_OF_RANGE if {@code
   *     value} is negative
   */
  Registration onReach(long value, TimepointCallback callback);

  /**
   * A stage that completes once {@code value} is reached, and exceptionally with a {@link
   * HalException} if the semaphore fails or is closed. It is no future, and may be shared.
   *
   * <p>Each stage that is derived from it, and each future that {@code toCompletableFuture()}
   * makes, belongs to its caller: to cancel it, or to complete it by a time limit, affects nobody
   * else and leaves nothing behind, neither with the semaphore nor with this stage. Dependent
   * actions run under the rules for {@link TimepointCallback}s, unless they are asynchronous; those
   * for one value in the order in which they were derived.
   *
   * @throws HalException FAILED_PRECONDITION if the semaphore is closed; OUT_OF_RANGE if {@code
   *     value} is negative
   */
  CompletionStage<@Nullable Void> whenReached(long value);

  /**
   * Describes the semaphore in one line for people: its current value, and which open operations
   * would raise it to {@code value} and what they wait for, or that none would (S10). Walks the
   * open operations of all devices, so it is not for hot paths.
   */
  String explain(long value);

  /**
   * Closes the timeline: host waits, callbacks, stages and operations that wait on it get
   * CANCELLED; work that was issued goes on, and its later signals to this semaphore are dropped
   * (S8). Closing twice is harmless.
   */
  @Override
  void close();
}
