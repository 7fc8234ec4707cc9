// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Failures;

/**
 * The operations of a queue that are to retire: those that another thread than the completion
 * thread has settled, or that failed before they were issued. A {@link Retirer} takes them.
 *
 * <p>Thread-safe.
 */
final class Retiring<E> {
  private static final System.Logger LOG = System.getLogger(Retiring.class.getName());

  private final DeferredWorkQueue<E> owner;
  private final OpenList<E> open;
  private final UnsignaledFailures unsignaled;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final OperationChain<E> toRetire = new OperationChain<>();

  @GuardedBy("lock")
  private boolean isOver;

  // Something is in `toRetire`, so that a thread takes no lock when it looks in vain. Written with
  // the lock held, read without.
  private volatile boolean hasToRetire;

  Retiring(DeferredWorkQueue<E> owner, OpenList<E> open) {
    this.owner = owner;
    this.open = open;
    this.unsignaled = new UnsignaledFailures(owner.name());
  }

  /**
   * Adds an operation for a retirer, or, after the queue's threads have ended, for the thread that
   * closes the stream. Once the stream is closed, it retires at once. An operation that is added
   * twice retires once: two threads may end one that has failed.
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

  /** Whether a retirer has something to take. It takes no lock. */
  boolean hasToRetire() {
    return hasToRetire;
  }

  /** Moves what is to retire to the end of {@code taken}. */
  void take(OperationChain<E> taken) {
    if (hasToRetire) {
      synchronized (lock) {
        taken.addAll(toRetire);
        hasToRetire = false;
      }
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

  /**
   * Makes an operation that has its outcome DONE, unless it is so since it was never issued.
   * Returns false if it cannot retire.
   */
  boolean setDone(Operation<E> operation) {
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
  void letGo(Operation<E> operation, Consumer<RefCounted> release) {
    HalException failure = operation.failure();
    if (failure != null) { // otherwise it has let go of them with its outcome
      operation.releaseProducers();
      // The loss or the close of the device is reported elsewhere, the close of a queue by itself.
      boolean isClosing = owner.closing != null && !owner.isClosedAlone;
      if (owner.loss.cause() == null && !isClosing && failure != owner.closing) {
        unsignaled.log(operation, failure);
      }
    }
    try {
      operation.work.retire(release);
    } catch (RuntimeException e) {
      logUnreleased(operation, e);
    }
  }

  void logUnreleased(Operation<E> operation, Throwable thrown) {
    Failures.log(
        LOG,
        Level.ERROR,
        "cannot release what operation " + operation.key + " of " + owner.name() + " used",
        thrown);
  }
}
