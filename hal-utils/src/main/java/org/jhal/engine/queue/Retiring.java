// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.driver.support.Attempt;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.queue.Operation.State;

/**
 * Retires operations that have their outcome: makes them DONE, releases what they held, and takes
 * them off the list of open ones. Also those that another thread settled, or that failed before
 * they were issued.
 *
 * <p>For the completion thread, except for {@link #retireLater}, which any thread may call, and for
 * {@link #retireKept} and {@link #end}, which are for the time after that thread has ended.
 */
final class Retiring<E> {
  private static final System.Logger LOG = System.getLogger(Retiring.class.getName());

  /** How many operations are retired at most before their resources are released. */
  private static final int BATCH = 32;

  private final OperationQueue<E> owner;
  private final OpenList<E> open;
  private final UnsignaledFailures unsignaled;

  // Operations that other threads have settled, for the completion thread to retire.
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final OperationChain<E> toRetire = new OperationChain<>();

  @GuardedBy("lock")
  private boolean isOver;

  // Something is in `toRetire`, so that the completion thread takes no lock when it looks in vain.
  // Written with the lock held, read without.
  private volatile boolean hasToRetire;

  // The fields below are used by the completion thread alone.

  private final OperationChain<E> retiring = new OperationChain<>(); // taken from `toRetire`

  // Retired operations for the next remove(), and what they held.
  private final OperationChain<E> retired = new OperationChain<>();
  private final Releases releases = new Releases();

  Retiring(OperationQueue<E> owner, OpenList<E> open) {
    this.owner = owner;
    this.open = open;
    this.unsignaled = new UnsignaledFailures(owner.name());
  }

  /**
   * Adds an operation for the completion thread to retire, or, after that has ended, for the thread
   * that closes the stream. Once the stream is closed, it retires at once. An operation that is
   * added twice retires once: two threads may end one that has failed.
   */
  void retireLater(Operation<E> operation) {
    synchronized (lock) {
      if (operation.isToRetire) {
        return;
      }
      operation.isToRetire = true;
      if (!isOver) {
        toRetire.add(operation);
        hasToRetire = true;
        return;
      }
    }
    // It has no event: it was not issued, or that was dropped before its host completion began.
    if (setDone(operation)) {
      OperationChain<E> one = new OperationChain<>();
      one.add(operation);
      open.remove(one);
      letGo(operation, RefCounted::release);
    }
  }

  /**
   * Nothing retires by another thread after this call and one more {@link Completer#retireRest}.
   */
  void end() {
    synchronized (lock) {
      isOver = true;
    }
  }

  /** Retires what was kept, while the device is being closed. */
  void retireKept() {
    open.keepHalfIssued();
    for (Operation<E> operation : open.all()) {
      if (operation.isKept) {
        Throwable thrown = Attempt.of(() -> retire(operation));
        if (thrown != null) {
          logUnreleased(operation, thrown);
        }
      }
    }
    release();
    remove();
  }

  /**
   * Retires the operations that other threads have settled. Returns whether any operation has
   * retired since the last {@link #remove}.
   */
  boolean retireSettled() {
    if (hasToRetire) {
      synchronized (lock) {
        retiring.addAll(toRetire);
        hasToRetire = false;
      }
    }
    int count = 0;
    for (Operation<E> next = retiring.poll(); next != null; next = retiring.poll()) {
      retire(next);
      if (++count % BATCH == 0) {
        release();
        remove();
      }
    }
    return !retired.isEmpty();
  }

  /** Releases what the retired operations held. */
  void release() {
    releases.flush();
  }

  /** Takes the retired operations off the list of open ones. */
  void remove() {
    if (!retired.isEmpty()) {
      open.remove(retired);
      while (retired.poll() != null) {
        continue;
      }
    }
  }

  /** Retires an operation that has its outcome; {@link #remove} takes it off the list. */
  void retire(Operation<E> operation) {
    if (setDone(operation)) {
      OpenList.dropEvent(operation);
      retired.add(operation); // first: an error behind this loses the device, not the operation
      letGo(operation, releases);
    }
  }

  /**
   * Makes an operation that has its outcome DONE, unless it is so since it was never issued.
   * Returns false if it cannot retire.
   */
  private boolean setDone(Operation<E> operation) {
    operation.isToRetire = true; // before it is DONE: another thread may end that
    if (operation.hasOutcome()
        && (operation.state() == State.DONE || operation.changeState(State.ISSUED, State.DONE))) {
      return true;
    }
    Failures.log(
        LOG,
        Level.ERROR,
        owner.name() + " " + operation.name() + " cannot retire: it is " + operation.state(),
        null);
    return false;
  }

  /** Drops what an operation that is DONE holds, except for its event. */
  private void letGo(Operation<E> operation, Consumer<RefCounted> release) {
    HalException failure = operation.failure();
    if (failure != null) { // otherwise it has let go of them with its outcome
      operation.releaseProducers();
      // The loss or the close of the device is reported elsewhere.
      if (owner.loss.cause() == null && owner.closing == null) {
        unsignaled.log(operation, failure);
      }
    }
    try {
      operation.work.retire(release);
    } catch (RuntimeException e) {
      logUnreleased(operation, e);
    }
  }

  private void logUnreleased(Operation<E> operation, Throwable thrown) {
    Failures.log(
        LOG,
        Level.ERROR,
        "cannot release what operation " + operation.key + " of " + owner.name() + " used",
        thrown);
  }
}
