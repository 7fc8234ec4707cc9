package org.jhal.engine.queue;

import java.util.List;
import java.util.function.Predicate;
import org.jhal.HalException;
import org.jhal.engine.queue.Operation.State;

/**
 * Fails operations of one queue: those that were not issued yet, and whatever is open when the
 * device is lost or closed. Users' callbacks run: see {@link DeviceLoss#tell}.
 *
 * <p>Thread-safe, except for {@link #failUnissuable}.
 */
final class OperationFailures<E> {
  private final OperationQueue<E> owner;
  private final QueueLists<E> lists;

  OperationFailures(OperationQueue<E> owner, QueueLists<E> lists) {
    this.owner = owner;
    this.lists = lists;
  }

  /** Fails an operation that is PARKED or READY. If several threads try, one succeeds. */
  void failUnissued(Operation<E> operation, HalException failure) {
    if (operation.failFrom(State.PARKED, State.READY, failure)) {
      endUnissued(operation, failure);
    }
  }

  /**
   * As {@link #failUnissued}, and ends an operation that another thread has failed as well: that
   * thread may not have got there yet, or never will.
   */
  private void endIfUnissued(Operation<E> operation, HalException failure) {
    if (operation.failFrom(State.PARKED, State.READY, failure)
        || operation.state() == State.FAILED) {
      endUnissued(operation, failure);
    }
  }

  /** Ends an operation that is FAILED. May be called again if an error has ended it half-way. */
  private void endUnissued(Operation<E> operation, HalException failure) {
    try {
      end(operation, failure);
    } catch (Throwable t) {
      operation.queue.broken.by = t; // no call: there may be no stack left for one
      throw t;
    }
  }

  private void end(Operation<E> operation, HalException failure) {
    // publish() may have removed a wait between the change of state and deregister(). The
    // semaphore's lock makes the producer that it stored visible here, and settling drops it.
    OperationWait.deregisterAll(operation);
    operation.work.endBorrow(); // first, as whoever sees the failure may ask (rule Q2)
    Settling.fail(operation, failure);
    owner.retireLater(operation);
  }

  /** Fails the operations that the drainer could not issue. For the issue thread. */
  void failUnissuable() {
    Operation<E> next = lists.takeFailed();
    try {
      while (next != null) {
        HalException failure = next.workFailure();
        next.work.endBorrow(); // nothing of it is in the stream
        Settling.fail(
            next, failure != null ? failure : Failures.internal("operation was not issued"));
        Operation<E> operation = next;
        next = operation.nextToRetire;
        operation.nextToRetire = null;
        owner.retireLater(operation);
      }
    } catch (Throwable t) {
      lists.putBackFailed(next); // or nobody would fail the rest
      throw t;
    }
  }

  /**
   * Fails the open operations that {@code which} selects. Returns how many operations are open in
   * all.
   */
  int failAll(Predicate<Operation<E>> which, HalException reason, boolean alsoIssued) {
    List<Operation<E>> open = lists.open();
    for (Operation<E> operation : open) {
      if (which.test(operation)) {
        endIfUnissued(operation, reason);
        State state = operation.state();
        if (alsoIssued && (state == State.ISSUED || state == State.SETTLED)) {
          Settling.fail(operation, reason); // SETTLED: its signals may not be applied yet
        }
      }
    }
    return open.size();
  }

  /**
   * Fails one operation whatever its state, unless it has its verdict. What it has put into the
   * stream goes on, and only then it retires.
   */
  void failOpen(Operation<E> operation, HalException reason) {
    operation.failWork(reason); // while it is NEW, its own thread looks at this
    endIfUnissued(operation, reason);
    State state = operation.state();
    if (state == State.ISSUED || state == State.SETTLED) {
      Settling.fail(operation, reason);
    }
  }
}
