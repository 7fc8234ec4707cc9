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
final class Failing<E> {
  private final StreamOwner<E> owner;
  private final QueueLists<E> lists;

  Failing(StreamOwner<E> owner, QueueLists<E> lists) {
    this.owner = owner;
    this.lists = lists;
  }

  /** Fails an operation that is PARKED or READY. If several threads try, one succeeds. */
  void failUnissued(Operation<E> operation, HalException failure) {
    boolean isFailed = false;
    try {
      // If it is REGISTERING, its own thread will fail it. Otherwise another thread may have failed
      // or issued it first.
      isFailed = operation.failFrom(State.PARKED, State.READY, failure);
      if (isFailed) {
        endUnissued(operation, failure);
      }
    } catch (Throwable t) { // there may be no stack left, not even for a call
      if (isFailed) {
        operation.leftWith = failure;
        lists.hasLeft = true;
        owner.issueLater();
      }
      throw t;
    }
  }

  /** Ends an operation that is FAILED. May be called again if an error ended it half-way. */
  private void endUnissued(Operation<E> operation, HalException failure) {
    // publish() may have removed a wait between the change of state and deregister(). The
    // semaphore's lock makes the producer that it stored visible here, and settling drops it.
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      boolean ignored = wait.semaphore().deregister(wait);
    }
    operation.work.endBorrow(); // nothing has reached the stream
    Settling.fail(operation, failure);
    owner.retireLater(operation);
  }

  /**
   * Ends what {@link #endUnissued}, or a thread that enqueues, has left half done, as its thread
   * had no stack any more. For the issue thread.
   */
  void endLeft() {
    if (!lists.hasLeft) {
      return;
    }
    lists.hasLeft = false;
    try {
      for (Operation<E> operation : lists.open()) {
        HalException failure = operation.leftWith;
        if (failure != null) {
          HalException cause = operation.queue.lost();
          failure = cause != null ? cause : failure;
          if (operation.failFrom(State.REGISTERING, State.REGISTERING, failure)
              || operation.state() == State.FAILED) {
            endUnissued(operation, failure);
          } // otherwise it fails with the device
          operation.leftWith = null;
        }
      }
    } catch (Throwable t) {
      lists.hasLeft = true;
      throw t;
    }
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
        failUnissued(operation, reason);
        State state = operation.state();
        if (state == State.FAILED) {
          tellFailed(operation, reason);
        }
        if (alsoIssued && (state == State.ISSUED || state == State.SETTLED)) {
          operation.setGone();
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
    operation.failWork(reason); // while it is REGISTERING, its own thread looks at this
    failUnissued(operation, reason);
    State state = operation.state();
    if (state == State.FAILED) {
      tellFailed(operation, reason);
    } else if (state == State.ISSUED || state == State.SETTLED) {
      Settling.fail(operation, reason);
    }
  }

  /**
   * Fails the signals of an operation that is FAILED, with the reason that it has: who failed it
   * may not have got there yet, or have no stack left.
   */
  private void tellFailed(Operation<E> operation, HalException reason) {
    operation.work.endBorrow(); // first, as whoever sees the failure may ask (rule Q2)
    Settling.fail(operation, reason);
  }
}
