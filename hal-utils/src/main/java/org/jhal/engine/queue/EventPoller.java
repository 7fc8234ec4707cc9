package org.jhal.engine.queue;

import java.util.function.BooleanSupplier;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.Gate;

/**
 * Lets host threads look at the event of an operation that they wait for, rather than wait until
 * the completion thread has seen it (rule K5).
 *
 * <p>Thread-safe.
 */
final class EventPoller<E> {
  private final QueueLoss loss;
  private final NativeStream<E> stream;
  private final Gate gate; // of the queue: shut before the stream is closed
  private final PollingPace pace; // of the completion thread
  private final long spinNanos;

  /** Polls for at most {@code spinNanos}, which a caller is told. */
  EventPoller(QueueLoss loss, NativeStream<E> stream, Gate gate, PollingPace pace, long spinNanos) {
    this.loss = loss;
    this.stream = stream;
    this.gate = gate;
    this.pace = pace;
    this.spinNanos = spinNanos;
  }

  /** How long a host thread is to poll before it parks. */
  long spinNanos() {
    return spinNanos;
  }

  /**
   * For a host thread that holds a reference: looks at the event of an operation until it has
   * fired, {@code isOver} is true, or {@code end} has passed; returns whether it has fired, and
   * then it is settled. Looks at least once. A virtual thread does not look at the event.
   */
  boolean poll(Operation<E> operation, long end, BooleanSupplier isOver) {
    if (PlatformThreads.isCurrentVirtual()) {
      return operation.isApplied(); // the device may not be bound to it
    }
    if (!gate.tryEnter()) {
      return false; // closing; the completion thread will see to it
    }
    operation.setPolled(true);
    boolean hasFired = false;
    try {
      try {
        hasFired = pollInside(operation, end, isOver);
      } finally {
        gate.leave();
      }
      if (hasFired) {
        Settling.settle(operation);
      }
      return hasFired;
    } finally {
      operation.setPolled(false);
      pace.endPoll(operation, hasFired);
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
        while (!operation.isApplied() && !stream.queryEvent(event.handle)) {
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
      throw e; // of this thread, such as a lack of stack: the event is as it was
    } catch (Throwable t) {
      Settling.fail(operation, loss.lose(operation.behind("queryEvent"), t));
      return true;
    } finally {
      event.release();
    }
  }
}
