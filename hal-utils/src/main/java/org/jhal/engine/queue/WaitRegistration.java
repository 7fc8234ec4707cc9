package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one queue's operations: registers them with their semaphores, and makes an operation
 * ready when the last one has ended, or fails it when one fails (rules Q4 to Q6). The waits of
 * operations are registered here and nowhere else.
 *
 * <p>Thread-safe.
 */
final class WaitRegistration<E> {
  private final ReadyQueue queue;
  private final OperationFailures<E> failing;
  private final IssueLine<E> line;
  private final Object domain; // the token of the devices that share events

  WaitRegistration(
      ReadyQueue queue, OperationFailures<E> failing, IssueLine<E> line, Object domain) {
    this.queue = queue;
    this.failing = failing;
    this.line = line;
    this.domain = domain;
  }

  /** Whether all waits are reached, so that none has to be registered. */
  boolean areReached(Operation<E> operation) {
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      if (!wait.semaphore().isReached(wait.value())) {
        return false;
      }
    }
    return true;
  }

  /** Which events may cover the waits of an operation; see {@link EngineSemaphore#register}. */
  @Nullable Object domainOf(Operation<E> operation) {
    return operation.work.waitsOnHost() ? null : domain;
  }

  /**
   * Registers each wait that is neither reached nor covered by an event of {@code events}. For the
   * thread that enqueues the operation, once it is open.
   *
   * @return the failure of a wait, or null
   */
  @Nullable HalException register(Operation<E> operation, @Nullable Object events) {
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      if (!wait.semaphore().register(wait, wait.value(), events) && wait.failure != null) {
        return wait.failure;
      }
    }
    return null;
  }

  /**
   * A registered wait has ended. Called once for each, with no lock held, by the thread that
   * changed the semaphore.
   */
  void waitOver(Operation<E> operation, OperationWait<E> wait) {
    HalException failure = wait.failure;
    if (failure != null) {
      failing.failUnissued(operation, failure);
    } else if (!operation.countDown()) {
      watchIfCovered(operation, wait);
    } else {
      announce(operation);
      boolean ignored = line.add(operation, false); // the cascade issues it
      Cascade.current().addReady(queue);
    }
  }

  /**
   * Lets host threads that wait for the signals of an operation know that an event will cover them
   * soon, if it is left to the issue thread. Called when the operation waits for nothing but its
   * turn.
   */
  void announce(Operation<E> operation) {
    long spin = operation.mayBlock() ? operation.spinNanos() : 0;
    if (spin > 0) {
      long until = System.nanoTime() + spin;
      for (int i = 0; i < operation.signalCount(); i++) {
        operation.signal(i).expectEvent(until);
      }
    }
  }

  /** Watches the covered waits of an operation for which other waits are open. */
  void watchCovered(Operation<E> operation) {
    for (int i = 0; i < operation.waitCount(); i++) {
      watchIfCovered(operation, operation.wait(i));
    }
  }

  /**
   * Watches a wait of an operation for which other waits are open, if it is covered. The operation
   * may be issued, and even retire, at the same time.
   */
  private void watchIfCovered(Operation<E> operation, OperationWait<E> wait) {
    if (wait.producer == null) {
      return;
    }
    CoveredWait<E> watch = new CoveredWait<>(operation);
    if (!wait.semaphore().register(watch, wait.value(), null) && watch.failure != null) {
      failing.failUnissued(operation, watch.failure);
    }
  }
}
