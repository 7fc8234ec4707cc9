// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A timeline: a 64-bit number that only grows. Host threads and the queues of any device wait for
 * its values and signal them. Nothing else orders work.
 *
 * <p>Life cycle: <em>alive</em> (the value grows) -> <em>failed</em> (permanently: the first
 * failure stays and reaches every current and later waiter, even for values reached before) ->
 * <em>closed</em>. A semaphore may outlive the device that created it.
 *
 * <p>Contract: rules S1 to S10.
 *
 * <p>Thread-safe: any thread may call any method at any time, but waits are rejected on some
 * threads; see {@link #await(long)}.
 */
public interface TimelineSemaphore extends AutoCloseable {
  /**
   * Returns the current value, in {@code [0, Long.MAX_VALUE]}.
   *
   * @throws HalException the failure, if the semaphore has failed; FAILED_PRECONDITION if it is
   *     closed
   */
  long value();

  /**
   * Returns the failure, or null if there is none. A closed semaphore that never failed has none.
   */
  @Nullable HalException failure();

  /**
   * Gives this semaphore a name, for people: messages have it, such as {@code ready#3} in place of
   * {@code semaphore#3}. The last name that was given counts.
   *
   * @param name at most 100 characters, none of them a control character, and not only spaces
   * @return this semaphore
   * @throws HalException INVALID_ARGUMENT for any other name
   */
  TimelineSemaphore named(String name);

  /**
   * Returns the timepoint {@code value} of this timeline; see {@link Timepoint#Timepoint}.
   *
   * @throws HalException OUT_OF_RANGE if {@code value} is negative
   */
  default Timepoint at(long value) {
    return new Timepoint(this, value);
  }

  /**
   * Raises the value and releases every waiter for a value up to it, in order of value, then of
   * registration (S1, S2). Callbacks run on this thread before the call returns, unless the call
   * was itself made from a callback: then they run once that callback has returned.
   *
   * @param value any value above the current one
   * @throws HalException OUT_OF_RANGE if {@code value} is not above the current one, which then
   *     does not change; the failure, if the semaphore has failed; FAILED_PRECONDITION if it is
   *     closed
   */
  void signal(long value);

  /**
   * Fails the timeline: every current and later waiter gets {@code failure}. Does nothing if the
   * timeline has already failed or is closed (S3).
   */
  void fail(HalException failure);

  /**
   * Blocks until {@code value} is reached. Returns immediately if it is already reached.
   *
   * @throws HalException the failure, if the semaphore fails; CANCELLED if it is closed meanwhile;
   *     FAILED_PRECONDITION if it was closed before, or on a thread that must not wait: in a
   *     callback, in external work, or on another thread of a device, except in a host call;
   *     OUT_OF_RANGE if {@code value} is negative
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  void await(long value) throws InterruptedException;

  /**
   * Blocks until {@code value} is reached, for at most {@code timeout}; if that is zero or less,
   * only checks, which is allowed on every thread.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up: after a wait, the message names the
   *     operations that would signal the value (S10); after a check, it only reports that the value
   *     is not reached. Otherwise as {@link #await(long)}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  void await(long value, Duration timeout) throws InterruptedException;

  /**
   * Blocks until {@code value} is reached, for at most {@code timeout}; if that is zero or less,
   * only checks, which is allowed on every thread.
   *
   * @return false if the time was up first
   * @throws HalException as {@link #await(long)}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  boolean tryAwait(long value, Duration timeout) throws InterruptedException;

  /**
   * Runs {@code callback} once, when {@code value} is reached or the semaphore fails or is closed.
   * If it is already reached or failed, the callback runs immediately, on this thread; from within
   * another callback, it runs once that one has returned.
   *
   * @return the registration, which can cancel the callback
   * @throws HalException FAILED_PRECONDITION if the semaphore is closed; OUT_OF_RANGE if {@code
   *     value} is negative
   */
  Registration onReach(long value, TimepointCallback callback);

  /**
   * Returns a new future that completes once {@code value} is reached, and exceptionally with a
   * {@link HalException} if the semaphore fails or is closed. The future belongs to the caller:
   * cancelling it, or completing it when a time limit expires, affects no other observer and leaves
   * nothing registered. A stage that is derived from it stays with it, as with any future.
   * Dependent actions run under the rules for {@link TimepointCallback}s, unless they are
   * asynchronous.
   *
   * @throws HalException FAILED_PRECONDITION if the semaphore is closed; OUT_OF_RANGE if {@code
   *     value} is negative
   */
  CompletableFuture<@Nullable Void> whenReached(long value);

  /**
   * Describes the semaphore in one line of text for users: its current value, which open operations
   * would raise it to {@code value}, and what these wait for, or that there are none (S10). Walks
   * the open operations of all devices, so it is not for hot paths.
   */
  String explain(long value);

  /**
   * Closes the timeline: host waits, callbacks, futures and unissued operations that wait on it get
   * CANCELLED. Issued work goes on, and its later signals to this semaphore are dropped (S8).
   * Closing twice is harmless.
   */
  @Override
  void close();
}
