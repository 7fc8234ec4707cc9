package org.jhal;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A set of timepoints: what an operation waits for, or what it signals. A single {@link Timepoint}
 * is a fence too, and {@link #NONE} is the empty one.
 *
 * <p>A fence holds at most one timepoint per semaphore; of several, the one with the largest value
 * is kept (rule S1a).
 *
 * <p>Immutable; any thread may use it.
 */
public sealed interface Fence permits Timepoint, TimepointSet {
  /** The fence without timepoints: a wait for it returns at once, signalling it does nothing. */
  @SuppressWarnings("ClassInitializationDeadlock") // TimepointSet is used only through this type
  Fence NONE = TimepointSet.none();

  /** A fence of all {@code timepoints}, in this order. */
  static Fence of(Timepoint... timepoints) {
    Objects.requireNonNull(timepoints, "timepoints");
    return of(Arrays.asList(timepoints));
  }

  /** A fence of all {@code timepoints}, in this order. */
  static Fence of(Collection<Timepoint> timepoints) {
    return TimepointSet.of(timepoints);
  }

  /** The number of timepoints in this fence. */
  int size();

  /**
   * The semaphore of timepoint {@code index}.
   *
   * @throws IndexOutOfBoundsException if {@code index} is not in {@code [0, size())}
   */
  TimelineSemaphore semaphore(int index);

  /**
   * The value of timepoint {@code index}.
   *
   * @throws IndexOutOfBoundsException if {@code index} is not in {@code [0, size())}
   */
  long value(int index);

  /**
   * Blocks until every timepoint is reached.
   *
   * @throws HalException the failure of a member as soon as any member has failed, even if others
   *     were reached; FAILED_PRECONDITION where nobody may wait, as {@link TimelineSemaphore#await}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAll() throws InterruptedException {
    FenceWait.await(this, true, null);
  }

  /**
   * Blocks until every timepoint is reached, for at most {@code timeout}; with zero or less it only
   * checks.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up; the failure of a member as soon as
   *     any has failed
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAll(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    FenceWait.await(this, true, timeout);
  }

  /**
   * Blocks until one timepoint is reached. The empty fence is reached at once.
   *
   * @throws HalException the failure of a member as soon as any member has failed, even if others
   *     were reached
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAny() throws InterruptedException {
    FenceWait.await(this, false, null);
  }

  /**
   * Blocks until one timepoint is reached, for at most {@code timeout}; with zero or less it only
   * checks. The empty fence is reached at once.
   *
   * @throws HalException DEADLINE_EXCEEDED when the time is up; the failure of a member as soon as
   *     any has failed
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default void awaitAny(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    FenceWait.await(this, false, timeout);
  }

  /**
   * Blocks until every timepoint is reached, for at most {@code timeout}; with zero or less it only
   * checks.
   *
   * @return false if the time was up first
   * @throws HalException the failure of a member as soon as any has failed, with whatever status
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  default boolean tryAwaitAll(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    return FenceWait.tryAwait(this, timeout);
  }

  /**
   * A future that completes once every timepoint is reached, and exceptionally with a {@link
   * HalException} as soon as a member fails or is closed, even if it was reached (rule S6). It is
   * the caller's own: to cancel it, or to complete it by a time limit, affects nobody else and
   * leaves nothing registered. Dependent actions run under the rules for {@link
   * TimepointCallback}s, unless they are asynchronous.
   *
   * @throws HalException FAILED_PRECONDITION if a semaphore is closed
   */
  default CompletableFuture<@Nullable Void> whenAll() {
    return FenceWait.whenAll(this);
  }

  /**
   * This fence and {@code other} together. Takes constant time on average, so a fence may be made
   * of many, one by one.
   */
  default Fence and(Fence other) {
    Objects.requireNonNull(other, "other");
    return TimepointSet.join(this, other);
  }
}
