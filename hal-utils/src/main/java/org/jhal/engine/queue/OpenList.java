package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * All operations of a queue that have not retired, the newest first. The links are in the
 * operations.
 *
 * <p>Guarded by the lock that it was made with: the caller holds it, but for {@link #walk} and
 * {@link #awaitNone}.
 */
final class OpenList<E> {
  /** How many operations a walk looks at without letting go of the lock. */
  private static final int SLICE = 64;

  private final Object lock;
  private @Nullable Operation<E> first;
  private int size; // bookmarks of walks aside
  private int kept; // how many of them stay until the stream is closed
  private boolean isAwaited; // somebody has called awaitNone

  OpenList(Object lock) {
    this.lock = lock;
  }

  void add(Operation<E> operation) {
    size++;
    linkBefore(operation, first);
  }

  void remove(Operation<E> operation) {
    size--;
    unlink(operation);
    notifyIfNone();
  }

  /** One of them stays until the stream is closed: nobody waits for it. */
  void keepOne() {
    kept++;
    notifyIfNone();
  }

  /** Those that were kept are to be removed. */
  void keepNone() {
    kept = 0;
  }

  private void notifyIfNone() {
    if (isAwaited && size == kept) {
      lock.notifyAll(); // awaitNone
    }
  }

  /**
   * Waits until there is none, beside those that are kept, or {@link System#nanoTime()} has passed
   * {@code deadline}; returns whether there is none. An interrupt does not end it, and is there
   * afterwards. The caller does not hold the lock.
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
            interrupted = true; // closing goes on
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

  /** Puts {@code operation} before {@code next}, or, if that is null, first. */
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

  /** All of them, the oldest first, each retained for the caller. */
  List<Operation<E>> retainAll() {
    List<Operation<E>> all = new ArrayList<>(size);
    for (Operation<E> operation = first; operation != null; operation = operation.openAfter) {
      operation.retain();
      all.add(operation);
    }
    Collections.reverse(all);
    return all;
  }

  /** Adds them to {@code counts}, which is indexed by {@link State#ordinal()}. */
  void count(long[] counts) {
    for (Operation<E> operation = first; operation != null; operation = operation.openAfter) {
      counts[operation.state().ordinal()]++;
    }
  }

  /**
   * Shows them to {@code looker}, the newest first, each retained meanwhile. The lock is held for a
   * few of them at a time, so that nobody waits for a look at a million; what is opened or retired
   * during the walk may be missed.
   *
   * @param bookmark an operation in no use, which marks the place
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
            next.retain();
            slice.add(next);
          }
          unlink(bookmark);
          hasMore = next != null;
          if (next != null) {
            linkBefore(bookmark, next);
          }
        }
        try {
          slice.forEach(looker);
        } finally {
          slice.forEach(Operation::release);
        }
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
