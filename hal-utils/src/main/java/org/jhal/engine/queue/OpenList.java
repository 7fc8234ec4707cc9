package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * All operations of a queue that have not retired, newest first. The links are in the operations.
 *
 * <p>Guarded by the lock that the constructor is given. The caller holds it, except for {@link
 * #walk} and {@link #awaitNone}, which take it themselves.
 */
final class OpenList<E> {
  /** How many operations a walk collects before it releases the lock. */
  private static final int SLICE = 64;

  private final Object lock;
  private @Nullable Operation<E> first;
  private int size; // without the bookmarks of walks
  private int kept; // how many stay open until the stream is closed; awaitNone ignores them
  private boolean isAwaited; // awaitNone was called: from then on it is notified

  OpenList(Object lock) {
    this.lock = lock;
  }

  void add(Operation<E> operation) {
    linkBefore(operation, first);
    size++; // behind the call, for which there may be no stack
  }

  /** Whether it was added and not removed. */
  boolean contains(Operation<E> operation) {
    return operation == first || operation.openBefore != null;
  }

  void remove(Operation<E> operation) {
    unlink(operation);
    size--; // behind the call, for which there may be no stack
    notifyIfNone();
  }

  /**
   * One open operation stays until the stream is closed, and {@link #awaitNone} no longer waits for
   * it.
   */
  void keepOne() {
    kept++;
    notifyIfNone();
  }

  /** The operations counted by {@link #keepOne} are about to be removed. */
  void keepNone() {
    kept = 0;
  }

  private void notifyIfNone() {
    if (isAwaited && size == kept) {
      lock.notifyAll();
    }
  }

  /**
   * Waits until every open operation is a kept one, or until {@link System#nanoTime()} has passed
   * {@code deadline}. Returns false in the latter case. An interrupt does not end the wait; the
   * thread's interrupt status is restored. The caller must not hold the lock.
   */
  boolean awaitNone(long deadline) {
    boolean interrupted = false;
    try {
      synchronized (lock) {
        isAwaited = true;
        while (size > kept) {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          try {
            lock.wait(left / 1_000_000 + 1);
          } catch (InterruptedException e) {
            interrupted = true; // only closing a device waits here, and it must go on
          }
        }
        return true;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Links {@code operation} before {@code next}, or as the only one if that is null. */
  private void linkBefore(Operation<E> operation, @Nullable Operation<E> next) {
    Operation<E> before = next == null ? null : next.openBefore;
    operation.openBefore = before;
    operation.openAfter = next;
    if (next != null) {
      next.openBefore = operation;
    }
    if (before == null) {
      first = operation;
    } else {
      before.openAfter = operation;
    }
  }

  private void unlink(Operation<E> operation) {
    Operation<E> before = operation.openBefore;
    Operation<E> after = operation.openAfter;
    if (before == null) {
      first = after;
    } else {
      before.openAfter = after;
    }
    if (after != null) {
      after.openBefore = before;
    }
    operation.openBefore = null;
    operation.openAfter = null;
  }

  /** All open operations, oldest first. */
  List<Operation<E>> all() {
    List<Operation<E>> all = new ArrayList<>(size);
    for (Operation<E> operation = first; operation != null; operation = operation.openAfter) {
      all.add(operation);
    }
    Collections.reverse(all);
    return all;
  }

  /** Adds the open operations to {@code counts}, indexed by {@link State#ordinal()}. */
  void count(long[] counts) {
    for (Operation<E> operation = first; operation != null; operation = operation.openAfter) {
      counts[operation.state().ordinal()]++;
    }
  }

  /**
   * Passes the open operations to {@code looker}, newest first, with no lock held. The lock is
   * taken for a few operations at a time, so that a walk over a million of them does not block the
   * queue. Operations opened or retired during the walk may be missed.
   *
   * @param bookmark an unused operation, which marks the position in the list while the lock is
   *     free
   */
  void walk(Operation<E> bookmark, Consumer<Operation<E>> looker) {
    synchronized (lock) {
      linkBefore(bookmark, first);
    }
    boolean hasMore = true;
    try {
      while (hasMore) {
        List<Operation<E>> slice = new ArrayList<>(SLICE);
        synchronized (lock) {
          Operation<E> next = bookmark.openAfter;
          for (; next != null && slice.size() < SLICE; next = next.openAfter) {
            slice.add(next);
          }
          unlink(bookmark);
          hasMore = next != null;
          if (next != null) {
            linkBefore(bookmark, next);
          }
        }
        slice.forEach(looker);
      }
    } finally {
      if (hasMore) {
        synchronized (lock) {
          unlink(bookmark);
        }
      }
    }
  }
}
