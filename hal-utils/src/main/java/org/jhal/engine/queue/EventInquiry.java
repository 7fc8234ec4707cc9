package org.jhal.engine.queue;

import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.PlatformThreads;
import org.jspecify.annotations.Nullable;

/**
 * What threads find out about the events of one queue, other than its completion thread: a host
 * thread polls the event of the operation that it waits for, instead of waiting until the
 * completion thread has seen it fire (rule K5); threads of other devices ask. Where the driver has
 * to be asked how work has ended (see {@link Outcomes}), threads of its own device ask as well
 * about what other queues have issued.
 */
final class EventInquiry<E> implements Inquiry<E> {
  /** How long an event may take to fire once another device is past it. */
  private static final long CONFIRM_NANOS = 1_000_000_000;

  private final QueueLoss loss;
  private final NativeStream<E> stream;
  private final Outcomes<E> outcomes;
  private final OpenList<E> open;
  private final QueueGate gate; // a thread inside can use the queue's events
  private final PollingPace pace; // the completion thread's
  private final long spinNanos;

  /**
   * Creates the inquiry of a queue. {@code spinNanos} is only handed to callers of {@link #poll},
   * who limit their polling to it.
   */
  EventInquiry(
      QueueLoss loss,
      NativeStream<E> stream,
      Outcomes<E> outcomes,
      QueueGate gate,
      OpenList<E> open,
      PollingPace pace,
      long spinNanos) {
    this.open = open;
    this.pace = pace;
    this.spinNanos = spinNanos;
    this.loss = loss;
    this.stream = stream;
    this.outcomes = outcomes;
    this.gate = gate;
  }

  /** How long a host thread should poll before it parks. */
  long spinNanos() {
    return spinNanos;
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
    if (!gate.tryEnter()) {
      return false; // the queue is closing; the completion thread settles the operation
    }
    boolean isSettled = false;
    try {
      try {
        operation.isPolled = true;
        isSettled = pollInside(operation, end, isOver);
      } finally {
        gate.leave();
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
      long token = stream.bindToThread();
      try {
        while (!operation.isApplied()) {
          if (stream.queryEvent(event.handle)) {
            outcomes.ask(operation, event);
            break;
          }
          if (isOver.getAsBoolean() || gate.isShut() || System.nanoTime() - end >= 0) {
            return false;
          }
          Thread.onSpinWait();
        }
        return true;
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (VirtualMachineError e) {
      // A problem of this thread, such as a stack overflow. It says nothing about the event.
      throw e;
    } catch (Throwable t) {
      Settling.fail(operation, loss.lose(operation.behind("queryEvent"), t));
      return true;
    } finally {
      event.release();
    }
  }

  @Override
  public boolean tryEnter() {
    return gate.tryEnter();
  }

  @Override
  public void leave() {
    gate.leave();
  }

  @Override
  public @Nullable HalException findLoss(Operation<E> operation) {
    boolean ignored = loss.cause() != null || hasFired(operation);
    return loss.cause();
  }

  /**
   * Finds out whether this device is lost, by asking the stream, and about the oldest event in it.
   * For a thread of another device, whose call about this one has failed.
   *
   * @return the first cause of the loss, or null
   */
  @Nullable HalException findLoss() {
    if (loss.cause() == null && gate.tryEnter()) {
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
        gate.leave();
      }
    }
    return loss.cause();
  }

  private void askStream() {
    try {
      long token = stream.bindToThread();
      try {
        boolean ignored = stream.isIdle();
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable t) {
      if (Failures.isLoss(t)) {
        loss.loseLater("isIdle", t);
      }
    }
  }

  @Override
  public boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait) {
    if (loss.cause() != null) {
      return true;
    }
    boolean isInside = !PlatformThreads.isCurrentVirtual() && gate.tryEnter();
    if (!isInside && !(isOwnDevice && mayWait)) {
      return !outcomes.isOpen(operation); // a device that was closed is not lost
    }
    try {
      long end = System.nanoTime() + CONFIRM_NANOS;
      while (true) {
        long now = System.nanoTime(); // before the query, since this thread may pause between them
        if (hasFired(operation) || loss.cause() != null) {
          return true;
        }
        if (!mayWait) {
          return false;
        }
        if (now - end >= 0) {
          loss.loseLater(
              operation.behind("queryEvent"),
              Failures.internal("the event has not fired, although another stream is past it"));
          return true;
        }
        Thread.onSpinWait(); // the other stream may know a little earlier
      }
    } finally {
      if (isInside) {
        gate.leave();
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
      long token = stream.bindToThread();
      try {
        boolean hasFired = stream.queryEvent(event.handle);
        if (hasFired) {
          outcomes.ask(operation, event);
        }
        return hasFired;
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (VirtualMachineError e) {
      throw e; // a problem of this thread, which says nothing about the event
    } catch (Throwable t) {
      loss.loseLater(operation.behind("queryEvent"), t);
      return false;
    } finally {
      event.release();
    }
  }
}
