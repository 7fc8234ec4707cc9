package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.driver.NativeStream;

/**
 * Asks the driver how native work has ended, on a device where an event that has fired may stand
 * for work that has failed; see {@link NativeStream#outcome}. A thread that sees an event fire asks
 * at once, before the operation counts as done. So the answer is known when the outcome is decided.
 *
 * <p>Thread-safe: if several threads see an event fire, one asks, and the others wait for that
 * call, which does not block.
 */
final class Outcomes<E> {
  private final boolean canFail;
  private final QueueLoss loss;
  private final NativeStream<E> stream;

  Outcomes(boolean canFail, QueueLoss loss, NativeStream<E> stream) {
    this.canFail = canFail;
    this.loss = loss;
    this.stream = stream;
  }

  /**
   * Whether the driver has yet to be asked about this operation, which was issued. Until then that
   * other work behind it is complete says nothing about its outcome.
   */
  boolean isOpen(Operation<E> operation) {
    if (!canFail) {
      return false;
    }
    PooledEvent<E> event = operation.retainEvent();
    if (event == null) {
      return false; // it was asked before the operation dropped the event
    }
    boolean isKnown = event.asked.get() == PooledEvent.KNOWN;
    event.release();
    return !isKnown;
  }

  /**
   * Asks about an operation whose event has fired, unless that was done before. Its own failure is
   * then known; a loss is left to the issue thread to propagate. The device is bound, and the
   * caller holds a reference to the event.
   */
  void ask(Operation<E> operation, PooledEvent<E> event) {
    if (!canFail) {
      return;
    }
    while (!event.asked.compareAndSet(PooledEvent.UNASKED, PooledEvent.ASKING)) {
      if (event.asked.get() == PooledEvent.KNOWN) {
        return;
      }
      Thread.onSpinWait(); // another thread has seen the event fire as well, and is asking
    }
    int next = PooledEvent.UNASKED;
    try {
      if (!event.isAnswered) { // otherwise the thread that asked had no stack left to go on
        try {
          event.answer = stream.outcome(event.handle);
        } catch (VirtualMachineError e) {
          throw e; // a problem of this thread, which says nothing about the work
        } catch (Throwable t) {
          event.answer = t;
          event.isAnswerThrown = true;
        }
        event.isAnswered = true; // before any call
      }
      Throwable answer = event.answer;
      if (answer != null) {
        fail(operation, answer, event.isAnswerThrown);
      }
      next = PooledEvent.KNOWN;
    } finally {
      event.asked.set(next); // a call no deeper than that of compareAndSet() above
    }
  }

  private void fail(Operation<E> operation, Throwable answer, boolean isThrown) {
    if (!isThrown && answer instanceof HalException failure && !Failures.isLoss(failure)) {
      operation.failOwnWork(failure);
    } else {
      operation.failWork(loss.loseLater(operation.behind("outcome"), answer));
    }
  }
}
