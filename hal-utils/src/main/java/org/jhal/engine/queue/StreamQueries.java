// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.engine.timeline.Failures;

/**
 * What the engine asks a stream: whether it is idle, and whether an event has fired. On a device
 * where such an event may stand for work that has failed (see {@link NativeStream#outcome}), a
 * thread that sees it fire asks at once how the work has ended, before the operation counts as
 * done. So the answer is known when the outcome is decided.
 *
 * <p>Each method throws what the call has thrown. An exception, and an error of a driver that is
 * not linked, loses the device (rule Q7a), which is up to the caller. Any other error loses the
 * device whose thread it meets (rule E2).
 *
 * <p>Thread-safe: if several threads see an event fire, one asks, and the others wait for that
 * call, which does not block.
 */
final class StreamQueries<E> {
  private static final Object SUCCESS = new Object();

  private final NativeStream<E> stream;
  private final QueueLoss loss;
  private final boolean outcomesCanFail;

  StreamQueries(NativeStream<E> stream, QueueLoss loss, boolean outcomesCanFail) {
    this.stream = stream;
    this.loss = loss;
    this.outcomesCanFail = outcomesCanFail;
  }

  /**
   * Whether an operation whose event has fired is over together with all that were issued before
   * it, and nothing has to be asked about those.
   */
  boolean coverEarlier() {
    return !outcomesCanFail && stream.isInOrder();
  }

  /** Whether everything in the stream has completed. The device need not be bound. */
  boolean isIdle() {
    long token = stream.bindToThread();
    try {
      return stream.isIdle();
    } finally {
      stream.unbindFromThread(token);
    }
  }

  /**
   * Whether the event of an operation has fired. The device is bound, and the caller holds a
   * reference to the event.
   */
  boolean hasFired(Operation<E> operation, PooledEvent<E> event) {
    boolean hasFired = stream.queryEvent(event.handle);
    if (hasFired) {
      askOutcome(operation, event);
    }
    return hasFired;
  }

  /** Waits in the native runtime until an event has fired; otherwise as {@link #hasFired}. */
  void await(Operation<E> operation, PooledEvent<E> event) {
    stream.synchronizeEvent(event.handle);
    askOutcome(operation, event);
  }

  /**
   * Whether the driver has yet to be asked about this operation, which was issued. Until then that
   * other work behind it is complete says nothing about its outcome.
   */
  boolean isOutcomeOpen(Operation<E> operation) {
    PooledEvent<E> event = outcomesCanFail ? operation.retainEvent() : null;
    if (event == null) {
      return false; // it was asked before the operation dropped the event
    }
    boolean isKnown = event.asked == PooledEvent.KNOWN;
    event.release();
    return !isKnown;
  }

  /**
   * Asks about an operation whose event has fired, unless that was done before. Its own failure is
   * then known; a loss is left to the issue thread to propagate.
   */
  private void askOutcome(Operation<E> operation, PooledEvent<E> event) {
    if (!outcomesCanFail) {
      return;
    }
    while (!event.tryAsk()) {
      if (event.asked == PooledEvent.KNOWN) {
        return;
      }
      Thread.onSpinWait(); // another thread has seen the event fire as well, and is asking
    }
    int next = PooledEvent.UNASKED;
    try {
      if (event.answer == null) { // otherwise an error has ended the thread that has asked
        event.answer = outcome(event.handle);
      }
      if (event.answer instanceof HalException failure) {
        fail(operation, failure);
      }
      next = PooledEvent.KNOWN;
    } finally {
      event.asked = next;
    }
  }

  /** SUCCESS or a failure; one with status UNAVAILABLE if asking has thrown. */
  private Object outcome(E event) {
    try {
      HalException failure = stream.outcome(event);
      return failure == null ? SUCCESS : failure;
    } catch (RuntimeException | LinkageError e) {
      return Failures.isLoss(e) ? e : Failures.caused(Status.UNAVAILABLE, "unexpected ", e);
    }
  }

  private void fail(Operation<E> operation, HalException failure) {
    if (Failures.isLoss(failure)) {
      operation.failWork(loss.loseLater(operation.behind("outcome"), failure));
    } else {
      operation.failOwnWork(failure);
    }
  }
}
