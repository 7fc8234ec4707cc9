package org.jhal.engine.queue;

/**
 * The operations of one queue that are to retire: soon, or once the stream is idle.
 *
 * <p>Thread-safe.
 */
final class Retirement<E> {
  private final OpenList<E> open;
  private final OperationChain<E> soon = new OperationChain<>(); // guarded by this
  private boolean isOver; // guarded by this

  /**
   * Kept until the stream is idle, since it may use what they hold, and no event will tell when
   * that ends. Guarded by this.
   */
  private final OperationChain<E> kept = new OperationChain<>();

  // Something is in `soon`, so that the completion thread takes no lock when it looks in vain.
  // Written with the lock held, read without.
  private volatile boolean hasAny;

  Retirement(OpenList<E> open) {
    this.open = open;
  }

  /**
   * Keeps an operation for the completion thread, or, after that has ended, for who closes the
   * stream. Returns false if that has been done: then the caller retires it. An operation that is
   * added twice retires once: two threads may end one that has failed.
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

  /** Keeps a failed operation, without its event, until the stream is idle. */
  void keep(Operation<E> operation) {
    PooledEvent<E> event = operation.event();
    if (event != null) {
      operation.setEvent(null);
      event.release();
    }
    synchronized (this) {
      if (kept.contains(operation)) {
        return; // an error has ended the first call half-way
      }
      kept.add(operation);
    }
    open.keepOne();
  }

  /** Moves all kept operations to {@code taken}. For use once the stream is idle. */
  void takeKept(OperationChain<E> taken) {
    int count = 0;
    OperationChain<E> all = new OperationChain<>();
    synchronized (this) {
      for (Operation<E> next = kept.first(); next != null; next = next.next) {
        count++;
      }
      all.addAll(kept);
    }
    open.keepNoMore(count);
    taken.addAll(all);
  }
}
