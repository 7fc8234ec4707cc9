package org.jhal.engine.queue;

import java.util.function.BooleanSupplier;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.Gate;

/**
 * Lets a host thread poll the event of the operation that it waits for, instead of waiting until
 * the completion thread has seen it fire (rule K5).
 *
 * <p>Thread-safe.
 */
final class EventPoller<E> {
  private final QueueLoss loss;
  private final NativeStream<E> stream;
  private final Outcomes<E> outcomes;
  private final Gate gate; // the queue's, which is shut before the stream is closed
  private final PollingPace pace; // the completion thread's
  private final long spinNanos;

  /**
   * Creates a poller. {@code spinNanos} is only handed to callers, who limit their polling to it.
   */
  EventPoller(
      QueueLoss loss,
      NativeStream<E> stream,
      Outcomes<E> outcomes,
      Gate gate,
      PollingPace pace,
      long spinNanos) {
    this.loss = loss;
    this.stream = stream;
    this.outcomes = outcomes;
    this.gate = gate;
    this.pace = pace;
    this.spinNanos = spinNanos;
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
        operation.setPolled(true);
        isSettled = pollInside(operation, end, isOver);
      } finally {
        gate.leave();
      }
      if (isSettled) {
        isSettled = Settling.trySettle(operation); // if not, the completion thread does it
      }
      return isSettled;
    } finally {
      operation.setPolled(false);
      pace.endPoll(operation, isSettled);
    }
  }

  private boolean pollInside(Operation<E> operation, long end, BooleanSupplier isOver) {
    PooledEvent<E> event = operation.retainEvent();
    if (event == null) {
      return operation.hasVerdict();
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
}
