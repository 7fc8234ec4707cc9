package org.jhal.engine.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * An operation in a stream that waits for operations that are gone: they have failed with another
 * device, and their events may never fire. It fails with them at once, and keeps what it holds
 * until its stream is past it. If the stream does not get past their events in time, its device is
 * lost, too (rule S9a).
 *
 * <p>The time counts from when nothing else holds up the stream: everything before the operation is
 * over, and so are the other operations that it waits for.
 *
 * <p>Made by any thread, then used by the issue thread alone, and once that has ended by the thread
 * that closes the queue.
 */
final class StuckWait<E> {
  /** The issue thread looks about once a second, so less makes no sense. */
  private static final long LEAST_PATIENCE_NANOS = 1_000_000_000;

  private final Operation<E> operation;
  private final List<Operation<?>> gone; // that it waits for
  private final List<Operation<?>> rest; // likewise
  private final HalException failure;
  private boolean isReached;
  private long since; // when it was found to be reached

  private StuckWait(Operation<E> operation, List<Operation<?>> gone, List<Operation<?>> rest) {
    this.operation = operation;
    this.gone = gone;
    this.rest = rest;
    this.failure = Objects.requireNonNull(gone.get(0).failure());
  }

  /**
   * Looks at an operation.
   *
   * @return null if it does not wait for operations that are gone, or is being issued
   */
  static <E> @Nullable StuckWait<E> of(Operation<E> operation) {
    List<Operation<?>> gone = new ArrayList<>(1);
    List<Operation<?>> rest = new ArrayList<>(1);
    operation.addIfBehindGone(gone, rest);
    return gone.isEmpty() ? null : new StuckWait<>(operation, gone, rest);
  }

  /** Fails the operation. Users' callbacks run: see {@link DeviceLoss#tell}. */
  void fail() {
    operation.setGone();
    Settling.fail(operation, failure);
  }

  /**
   * Whether the stream is past what is gone, or the device is lost. Loses it if the stream has
   * waited for too long. Once this has returned true, it must not be called again.
   *
   * @param now the time, as {@link System#nanoTime}
   * @param patience how long the stream may wait, at least {@link #LEAST_PATIENCE_NANOS}
   */
  boolean isOver(long now, Duration patience, QueueLists<E> lists, QueueLoss loss) {
    if (operation.state() == State.RETIRED
        || loss.cause() != null
        || gone.stream().allMatch(Operation::isPast)) {
      return true;
    }
    if (!isReached) {
      isReached = lists.hasReached(operation) && rest.stream().allMatch(Operation::isApplied);
      since = now;
      return false;
    }
    Duration limit = Duration.ofNanos(Math.max(LEAST_PATIENCE_NANOS, patience.toNanos()));
    if (now - since < limit.toNanos()) {
      return false;
    }
    loss.loseLater(
        operation.behind("waitEvent"),
        new HalException(
            Status.DEADLINE_EXCEEDED,
            "for "
                + limit
                + " the stream has waited for a device that is gone: "
                + failure.getMessage()));
    return true;
  }
}
