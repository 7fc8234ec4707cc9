package org.jhal.engine.queue;

import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.driver.support.PlatformThreads;
import org.jspecify.annotations.Nullable;

/**
 * What threads find out about the events of one queue, other than its completion thread: a host
 * thread polls the event of the operation that it waits for, instead of waiting until the
 * completion thread has seen it fire (rule K5); threads of other devices ask. Where the driver has
 * to be asked how work has ended (see {@link Outcomes}), threads of its own device ask as well
 * about what other queues have issued.
 */
final class EventInquiry<E> {
  /** How long an event may take to fire once another device is past it. */
  private static final long CONFIRM_NANOS = 1_000_000_000;

  private final OperationQueue<E> queue;
  private final Outcomes<E> outcomes;
  private final OpenList<E> open;
  private final PollingPace pace; // the completion thread's

  EventInquiry(OperationQueue<E> queue, Outcomes<E> outcomes, OpenList<E> open, PollingPace pace) {
    this.open = open;
    this.pace = pace;
    this.queue = queue;
    this.outcomes = outcomes;
  }

  /**
   * For a host thread with a reference to {@code operation}: polls its event, at least once, until
   * it has fired, {@code isOver} returns true, or {@code end} has passed. If it has fired, settles
   * the operation and returns true, unless that takes time: see {@link Settling#trySettle}. A
   * virtual thread does not query the event.
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
      try {
        operation.isPolled = true;
        isSettled = pollInside(operation, end, isOver);
      } finally {
        queue.gate.leave();
      }
      if (isSettled) {
        isSettled = Settling.trySettle(operation); // if not, the completion thread does it
      }
      return isSettled;
    } finally {
      operation.isPolled = false;
      pace.endPoll(operation, isSettled);
    }
  }

  private boolean pollInside(Operation<E> operation, long end, BooleanSupplier isOver) {
    PooledEvent<E> event = operation.retainEvent();
    if (event == null) {
      return operation.hasOutcome();
    }
    try {
      long token = queue.stream.bindToThread();
      try {
        while (!operation.isApplied()) {
          if (queue.stream.queryEvent(event.handle)) {
            outcomes.ask(operation, event);
            break;
          }
          if (isOver.getAsBoolean() || queue.gate.isShut() || System.nanoTime() - end >= 0) {
            return false;
          }
          Thread.onSpinWait();
        }
        return true;
      } finally {
        queue.stream.unbindFromThread(token);
      }
    } catch (VirtualMachineError e) {
      // A problem of this thread, such as a stack overflow. It says nothing about the event.
      throw e;
    } catch (Throwable t) {
      Settling.fail(operation, queue.loss.lose(operation.behind("queryEvent"), t));
      return true;
    } finally {
      event.release();
    }
  }

  /** See {@link OperationQueue#findLoss}. */
  @Nullable HalException findLoss(Operation<E> operation) {
    boolean ignored = queue.loss.cause() != null || hasFired(operation);
    return queue.loss.cause();
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
          PooledEvent<E> event = operation.retainEvent();
          if (event != null) {
            boolean ignored = query(operation, event);
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
      long token = queue.stream.bindToThread();
      try {
        boolean ignored = queue.stream.isIdle();
      } finally {
        queue.stream.unbindFromThread(token);
      }
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable t) {
      if (Failures.isLoss(t)) {
        queue.loss.loseLater("isIdle", t);
      }
    }
  }

  /** See {@link OperationQueue#confirm}. */
  boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait) {
    if (queue.loss.cause() != null) {
      return true;
    }
    boolean isInside = !PlatformThreads.isCurrentVirtual() && queue.gate.tryEnter();
    if (!isInside && !(isOwnDevice && mayWait)) {
      return !outcomes.isOpen(operation); // a device that was closed is not lost
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
   * Whether the stream is past an operation; then the outcome is known. A failure loses the device.
   * For a thread that is inside, or one of this queue.
   */
  boolean hasFired(Operation<E> operation) {
    PooledEvent<E> event = operation.retainEvent();
    return event == null || query(operation, event);
  }

  /** As {@link #hasFired}. Releases the event. */
  private boolean query(Operation<E> operation, PooledEvent<E> event) {
    try {
      long token = queue.stream.bindToThread();
      try {
        boolean hasFired = queue.stream.queryEvent(event.handle);
        if (hasFired) {
          outcomes.ask(operation, event);
        }
        return hasFired;
      } finally {
        queue.stream.unbindFromThread(token);
      }
    } catch (VirtualMachineError e) {
      throw e; // a problem of this thread, which says nothing about the event
    } catch (Throwable t) {
      queue.loss.loseLater(operation.behind("queryEvent"), t);
      return false;
    } finally {
      event.release();
    }
  }
}
