package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The operations of one queue that other threads have settled, for the completion thread to retire.
 *
 * <p>Thread-safe.
 */
final class Retirement<E> {
  @GuardedBy("this")
  private final OperationChain<E> soon = new OperationChain<>();

  @GuardedBy("this")
  private boolean isOver;

  // Something is in `soon`, so that the completion thread takes no lock when it looks in vain.
  // Written with the lock held, read without.
  private volatile boolean hasAny;

  /**
   * Adds an operation for the completion thread, or, after that has ended, for the thread that
   * closes the stream. Returns false once the stream is closed: then the caller retires it. An
   * operation that is added twice retires once: two threads may end one that has failed.
   */
  synchronized boolean add(Operation<E> operation) {
    if (operation.isToRetire) {
      return true;
    }
    operation.isToRetire = true;
    if (isOver) {
      return false;
    }
    soon.add(operation);
    hasAny = true;
    return true;
  }

  /** Moves the operations to retire to {@code taken}, oldest first. */
  void take(OperationChain<E> taken) {
    if (hasAny) {
      synchronized (this) {
        taken.addAll(soon);
        hasAny = false;
      }
    }
  }

  /** Nothing takes operations to retire after this call and one more {@link #take}. */
  synchronized void end() {
    isOver = true;
  }
}
