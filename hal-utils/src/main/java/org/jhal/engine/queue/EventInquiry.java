// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * What threads find out about the events of one queue, other than its completion thread: a host
 * thread polls the event of the operation that it waits for, instead of waiting until the
 * completion thread has seen it fire (rule K5); threads of other devices ask, and so do those of
 * other queues where the driver has to be asked how work has ended.
 */
final class EventInquiry<E> {
  /** How long an event may take to fire once another device is past it. */
  private static final long CONFIRM_NANOS = 1_000_000_000;

  private final DeferredWorkQueue<E> queue;
  private final StreamQueries<E> queries;
  private final OpenList<E> open;
  private final PollingPace pace; // the completion thread's

  EventInquiry(
      DeferredWorkQueue<E> queue, StreamQueries<E> queries, OpenList<E> open, PollingPace pace) {
    this.queue = queue;
    this.queries = queries;
    this.open = open;
    this.pace = pace;
  }

  /**
   * For a host thread with a reference to {@code operation}: polls its event, at least once, until
   * it has fired, {@code isOver} returns true, or {@code end} has passed. If it has fired, settles
   * the operation and returns true, unless that takes time: see {@link Settling#trySettle} and
   * {@link #complete}. Users' callbacks are left to another thread. A virtual thread does not query
   * the event.
   */
  boolean poll(Operation<E> operation, long end, BooleanSupplier isOver) {
    if (PlatformThreads.isCurrentVirtual()) {
      return operation.isApplied(); // a device cannot be bound to a virtual thread
    }
    if (!queue.gate.tryEnter()) {
      return false; // the queue is closing; the completion thread settles the operation
    }
    boolean isSettled = false;
    try {
      boolean hasFired;
      try {
        operation.isPolled = true;
        queue.hurry(operation);
        PooledEvent<E> event = operation.retainEvent();
        hasFired = event == null ? operation.hasOutcome() : query(operation, event, end, isOver);
      } finally {
        queue.gate.leave();
      }
      // If it cannot settle it, the completion thread does.
      isSettled = hasFired && trySettle(operation);
      return isSettled;
    } finally {
      operation.isPolled = false;
      pace.endPoll(operation, isSettled);
    }
  }

  private boolean trySettle(Operation<E> operation) {
    BriefRun brief = operation.brief;
    Cascade cascade = Cascade.current();
    Executor before = cascade.leaveCallbacksTo(queue.aside); // this thread waits for a value
    try {
      return brief == null ? Settling.trySettle(operation) : complete(operation, brief);
    } finally {
      cascade.leaveCallbacksTo(before);
    }
  }

  /**
   * Runs the brief host completion of an operation whose event has fired, and settles it. Leaves
   * that to the completion thread if the operation fails, or if it takes time: see {@link
   * Settling#trySettle}. Returns whether the operation is settled.
   */
  private boolean complete(Operation<E> operation, BriefRun brief) {
    if (!Settling.trySettleProducers(operation) || Settling.foreseeFailure(operation) != null) {
      return false;
    }
    HostCompletionRun<E> run = new HostCompletionRun<>(operation, brief.completion, true);
    if (!queue.gate.tryEnter()) {
      return false;
    }
    try {
      Throwable thrown;
      try { // inside, so that the device's close does not free what the completion reads
        if (!brief.claimInFlight()) {
          return operation.isApplied();
        }
        thrown = run.call();
      } finally {
        queue.gate.leave();
      }
      run.endBehind(thrown); // outside: it may notify many waiters
      return true;
    } catch (Throwable t) { // behind the claim nobody else ends the operation (rule E2)
      queue.brokenBy = t;
      operation.isHalfEnded = true;
      throw t;
    }
  }

  /**
   * Finds out whether this device is lost, by asking the stream, and about the oldest event in it.
   * For a thread of another device, whose call about this one has failed.
   *
   * @return the first cause of the loss, or null
   */
  @Nullable HalException findLoss() {
    if (queue.loss.cause() == null && queue.gate.tryEnter()) {
      try {
        askStream();
        for (Operation<E> operation : open.all()) {
          if (operation.event() != null) {
            hasFired(operation);
            break;
          }
        }
      } finally {
        queue.gate.leave();
      }
    }
    return queue.loss.cause();
  }

  private void askStream() {
    try {
      queries.isIdle();
    } catch (RuntimeException | LinkageError e) {
      if (Failures.isLoss(e)) {
        queue.loss.loseLater("isIdle", e);
      }
    }
  }

  /** See {@link DeferredWorkQueue#confirm}. */
  boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait) {
    if (queue.loss.cause() != null || (isOwnDevice && !queries.isOutcomeOpen(operation))) {
      return true;
    }
    // As a part, since the caller may be inside already, and the gate shut behind it.
    boolean isInside = !PlatformThreads.isCurrentVirtual() && queue.gate.tryEnterPart();
    if (!isInside && !(isOwnDevice && mayWait)) {
      return !queries.isOutcomeOpen(operation); // a device that was closed is not lost
    }
    try {
      long end = System.nanoTime() + CONFIRM_NANOS;
      while (true) {
        long now = System.nanoTime(); // before the query, since this thread may pause between them
        if (hasFired(operation) || queue.loss.cause() != null) {
          return true;
        }
        if (!mayWait) {
          return false;
        }
        if (now - end >= 0) {
          queue.loss.loseLater(
              operation.behind("queryEvent"),
              Failures.internal("the event has not fired, although another stream is past it"));
          return true;
        }
        Thread.onSpinWait(); // the other stream may know a little earlier
      }
    } finally {
      if (isInside) {
        queue.gate.leave();
      }
    }
  }

  /**
   * For a thread that issues to any stream: whether this queue's is past an operation. Asks once,
   * and not at all if the queue is being closed.
   */
  boolean isPast(Operation<E> operation) {
    if (!queue.gate.tryEnter()) {
      return false;
    }
    try {
      return hasFired(operation);
    } finally {
      queue.gate.leave();
    }
  }

  /**
   * Whether the stream is past an operation, so that the outcome is known, or the device is lost.
   * For a thread that is inside, or one of this queue.
   */
  boolean hasFired(Operation<E> operation) {
    PooledEvent<E> event = operation.retainEvent();
    return event == null || query(operation, event, 0, null);
  }

  /**
   * Queries an event until it has fired, {@code isOver} returns true, or {@code end} has passed;
   * once without {@code isOver}. Meanwhile it advances a brief host completion. A failure loses the
   * device. Releases the event.
   *
   * @return whether the operation is over: the event has fired, or asking has lost the device
   */
  private boolean query(
      Operation<E> operation, PooledEvent<E> event, long end, @Nullable BooleanSupplier isOver) {
    try {
      long token = queue.stream.bindToThread();
      try {
        while (!queries.hasFired(operation, event)) {
          if (isOver == null
              || isOver.getAsBoolean()
              || queue.gate.isShut()
              || System.nanoTime() - end >= 0) {
            return false;
          }
          if (operation.brief != null) {
            operation.brief.advance();
          }
          Thread.onSpinWait();
        }
        return true;
      } finally {
        queue.stream.unbindFromThread(token);
      }
    } catch (RuntimeException | LinkageError e) {
      queue.loss.loseLater(operation.behind("queryEvent"), e);
      return true;
    } finally {
      event.release();
    }
  }
}
