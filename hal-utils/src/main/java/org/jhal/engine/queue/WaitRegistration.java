package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.engine.queue.Operation.State;

/**
 * The waits of one queue's operations: registers them with their semaphores, and makes an operation
 * ready when the last one has ended, or fails it when one fails (rules Q4 to Q6). The waits of
 * operations are registered here and nowhere else.
 *
 * <p>Thread-safe.
 */
final class WaitRegistration<E> {
  private final DeferredWorkQueue<E> queue;
  private final Failing<E> failing;
  private final QueueLists<E> lists;
  private final Object domain; // the token of the devices that share events

  WaitRegistration(
      DeferredWorkQueue<E> queue, Failing<E> failing, QueueLists<E> lists, Object domain) {
    this.queue = queue;
    this.failing = failing;
    this.lists = lists;
    this.domain = domain;
  }

  /**
   * Registers each wait that is neither reached nor, unless the host has to see it, covered.
   * Returns true if none was registered and none has failed.
   */
  boolean register(Operation<E> operation) {
    boolean isReady = true;
    Object lane = operation.work.waitsOnHost() ? null : domain; // see EngineSemaphore.register
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      if (wait.semaphore().register(wait, wait.value(), lane)) {
        isReady = false;
      } else if (wait.failure != null) {
        operation.failWork(wait.failure);
        isReady = false;
      }
    }
    return isReady;
  }

  /**
   * A registered wait has ended. Called once for each, with no lock held, by the thread that
   * changed the semaphore.
   */
  void waitOver(Operation<E> operation, OperationWait<E> wait) {
    HalException failure = wait.failure;
    if (failure != null) {
      waitFailed(operation, failure);
    } else if (!operation.countDown()) {
      watchIfCovered(operation, wait);
    } else if (makeReady(operation)) {
      Cascade.current().addReady(queue);
    }
  }

  private void waitFailed(Operation<E> operation, HalException failure) {
    operation.failWork(failure);
    failing.failUnissued(operation, failure);
  }

  /** The timepoint of a covered wait has failed. An operation in a stream hears of its producer. */
  void coveredWaitFailed(Operation<E> operation, HalException failure) {
    if (operation.state() == State.REGISTERING) {
      waitFailed(operation, failure);
    } else {
      failing.failUnissued(operation, failure);
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
      coveredWaitFailed(operation, watch.failure);
    }
  }

  /** Makes a PARKED operation READY. Returns false if another thread has failed it. */
  boolean makeReady(Operation<E> operation) {
    operation.announce();
    if (!operation.changeState(State.PARKED, State.READY)) {
      return false; // lose() or cancel() has failed it meanwhile
    }
    lists.addReady(operation);
    return true;
  }
}
