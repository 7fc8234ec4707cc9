package org.jhal.engine.queue;

import java.util.List;
import java.util.function.Predicate;
import org.jhal.HalException;
import org.jhal.engine.queue.Operation.State;

/**
 * Fails operations of one queue: those that were not issued yet, and whatever is open when the
 * device is lost or closed. Users' callbacks run: see {@link DeviceLoss#propagate}.
 *
 * <p>Thread-safe, except for {@link #failUnissuable}.
 */
final class OperationFailures<E> {
  private final OperationQueue<E> owner;
  private final OpenList<E> open;
  private final IssueLine<E> line;

  OperationFailures(OperationQueue<E> owner, OpenList<E> open, IssueLine<E> line) {
    this.owner = owner;
    this.open = open;
    this.line = line;
  }

  /** Fails an operation that is PARKED or READY. If several threads try, one succeeds. */
  void failUnissued(Operation<E> operation, HalException failure) {
    if (operation.failUnissued(failure)) {
      endUnissued(operation);
    }
  }

  /**
   * As {@link #failUnissued}, and ends an operation that another thread has failed as well: that
   * thread may not have got there yet, or never will. It does nothing to one that has retired.
   */
  private void endIfUnissued(Operation<E> operation, HalException failure) {
    if (operation.failUnissued(failure) || operation.state() == State.DONE) {
      endUnissued(operation);
    }
  }

  /**
   * Ends an operation that has failed without having been issued. May be called again if an error
   * has ended it half-way.
   */
  private void endUnissued(Operation<E> operation) {
    try {
      end(operation);
    } catch (Throwable t) {
      operation.queue.broken.by = t; // no call: there may be no stack left for one
      throw t;
    }
  }

  private void end(Operation<E> operation) {
    // publish() may have removed a wait between the change of state and deregister(). The
    // semaphore's lock makes the producer that it stored visible here.
    OperationWait.deregisterAll(operation);
    operation.releaseProducers();
    // Before the signals: a thread that sees the failure may ask (rule Q2).
    operation.work.endBorrow();
    if (!operation.isApplied()) {
      OperationReport.outcome(operation);
      Settling.apply(operation);
    }
    owner.retireLater(operation);
  }

  /** Fails the operations that the drainer could not issue. For the issue thread. */
  void failUnissuable() {
    // One goes only when it has failed, since an error may end this anywhere.
    for (Operation<E> next = line.firstFailed(); next != null; next = line.firstFailed()) {
      HalException failure = next.workFailure();
      next.work.endBorrow(); // nothing of it is in the stream
      Settling.fail(
          next, failure != null ? failure : Failures.internal("operation was not issued"));
      line.removeFirstFailed();
      owner.retireLater(next);
    }
  }

  /**
   * Fails the open operations that {@code which} selects. Returns how many operations are open in
   * all.
   */
  int failAll(Predicate<Operation<E>> which, HalException reason, boolean alsoIssued) {
    List<Operation<E>> all = open.all();
    for (Operation<E> operation : all) {
      if (which.test(operation)) {
        endIfUnissued(operation, reason);
        if (alsoIssued && operation.state() == State.ISSUED) {
          Settling.fail(operation, reason); // if it has its outcome, that may not be applied yet
        }
      }
    }
    return all.size();
  }

  /**
   * Fails one operation whatever its state, unless it has its outcome. What it has put into the
   * stream goes on, and only then it retires.
   */
  void failOpen(Operation<E> operation, HalException reason) {
    operation.failWork(reason); // while it is NEW, its own thread looks at this
    endIfUnissued(operation, reason);
    if (operation.state() == State.ISSUED) {
      Settling.fail(operation, reason);
    }
  }
}
