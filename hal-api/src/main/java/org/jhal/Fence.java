// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A set of timepoints: what an operation waits for, or what it signals. A single {@link Timepoint}
 * is a fence too, and {@link #NONE} is the empty fence.
 *
 * <p>A fence holds at most one timepoint per semaphore; of several, it keeps the one with the
 * largest value (rule S1a).
 *
 * <p>Immutable; any thread may use it.
 */
public sealed interface Fence permits Timepoint, TimepointSet {
  /**
   * The fence without timepoints. A wait for it returns immediately; signalling it does nothing.
   */
  @SuppressWarnings("ClassInitializationDeadlock") // TimepointSet is used only through this type
  Fence NONE = TimepointSet.none();

  /** Returns a fence of all {@code timepoints}, in this order. */
  static Fence of(Timepoint... timepoints) {
    Objects.requireNonNull(timepoints, "timepoints");
    return of(Arrays.asList(timepoints));
  }

  /** Returns a fence of all {@code timepoints}, in this order. */
  static Fence of(Collection<Timepoint> timepoints) {
    return TimepointSet.of(timepoints);
  }

  /** Returns the number of timepoints in this fence. */
  int size();

  /**
   * Returns the semaphore of timepoint {@code index}.
   *
   * @throws IndexOutOfBoundsException if {@code index} is not in {@code [0, size())}
   */
  TimelineSemaphore semaphore(int index);

  /**
   * Returns the value of timepoint {@code index}.
   *
   * @throws IndexOutOfBoundsException if {@code index} is not in {@code [0, size())}
   */
  long value(int index);

  /**
   * Blocks until every timepoint is reached.
   *
   * @throws HalException the failure of a member as soon as any member has failed, even if others
   *     were reached; FAILED_PRECONDITION if a semaphore is closed, or on a thread that must not
   *     wait, as {@link TimelineSemaphore#await(long)}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAll() throws InterruptedException {
    FenceWait.await(this, true, null);
  }

  /**
   * Blocks until every timepoint is reached, for at most {@code timeout}; if that is zero or less,
   * only checks.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up; the failure of a member as soon as
   *     any member has failed; otherwise as {@link #awaitAll()}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAll(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    FenceWait.await(this, true, timeout);
  }

  /**
   * Blocks until one timepoint is reached. For the empty fence, this returns immediately.
   *
   * @throws HalException the failure of a member as soon as any member has failed, even if others
   *     were reached; otherwise as {@link #awaitAll()}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAny() throws InterruptedException {
    FenceWait.await(this, false, null);
  }

  /**
   * Blocks until one timepoint is reached, for at most {@code timeout}; if that is zero or less,
   * only checks. For the empty fence, this returns immediately.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up; the failure of a member as soon as
   *     any member has failed; otherwise as {@link #awaitAll()}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAny(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    FenceWait.await(this, false, timeout);
  }

  /**
   * Blocks until every timepoint is reached, for at most {@code timeout}; if that is zero or less,
   * only checks.
   *
   * @return false if the time was up first
   * @throws HalException the failure of a member, with whatever status, as soon as any member has
   *     failed; otherwise as {@link #awaitAll()}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default boolean tryAwaitAll(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    return FenceWait.tryAwait(this, timeout);
  }

  /**
   * Returns a future that completes once every timepoint is reached. It completes exceptionally
   * with a {@link HalException} as soon as a member fails or is closed, even if the member was
   * reached (rule S6). The future belongs to the caller: cancelling it, or completing it when a
   * time limit expires, affects no other observer and leaves nothing registered. Dependent actions
   * run under the rules for {@link TimepointCallback}s, unless they are asynchronous.
   *
   * @throws HalException FAILED_PRECONDITION if a semaphore is closed
   */
  default CompletableFuture<@Nullable Void> whenAll() {
    return FenceWait.whenAll(this, null);
  }

  /**
   * As {@link #whenAll()}, but the future waits for at most {@code timeout}. Then it completes
   * exceptionally as {@link #awaitAll(Duration)} does: with a {@link HalException} of status
   * DEADLINE_EXCEEDED that says what the fence waits for. If {@code timeout} is zero or less, the
   * future is complete when this method returns.
   *
   * @throws HalException FAILED_PRECONDITION if a semaphore is closed
   */
  default CompletableFuture<@Nullable Void> whenAll(Duration timeout) {
    return FenceWait.whenAll(this, Objects.requireNonNull(timeout, "timeout"));
  }

  /**
   * Returns the union of this fence and {@code other}. This takes constant amortized time, so a
   * large fence can be built one timepoint at a time.
   */
  default Fence and(Fence other) {
    Objects.requireNonNull(other, "other");
    return TimepointSet.join(this, other);
  }
}
