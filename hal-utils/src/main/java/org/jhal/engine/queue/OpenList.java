// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * All operations of a queue that have not retired, newest first. The links are in the operations.
 * It also gives them their numbers, and counts them.
 *
 * <p>Thread-safe.
 */
final class OpenList<E> {
  /** Limits how long {@link #oldest} holds the lock; retiring removes operations more often. */
  private static final int MOST_OVER = 1_000;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private @Nullable Operation<E> first;

  @GuardedBy("lock")
  private @Nullable Operation<E> last; // the oldest one

  @GuardedBy("lock")
  private int size;

  @GuardedBy("lock")
  private int kept; // how many of them are kept; see keep()

  @GuardedBy("lock")
  private long lastNumber; // the number of the operation that was enqueued last; the first has 1

  @GuardedBy("lock")
  private long parts; // how many of those enqueued are parts of others; see Operation#servesCopy

  @GuardedBy("lock")
  private long retired; // how many operations have retired that are not

  @GuardedBy("lock")
  private long failed; // how many of those have failed

  /**
   * Adds an operation, gives it its number, and makes it READY if all its waits are reached,
   * otherwise PARKED.
   */
  void add(Operation<E> operation, boolean isReached) {
    synchronized (lock) {
      Operation<E> newest = first;
      operation.openAfter = newest;
      if (newest != null) {
        newest.openBefore = operation;
      } else {
        last = operation;
      }
      first = operation;
      size++;
      operation.state = isReached ? State.READY : State.PARKED;
      operation.key = ++lastNumber;
      parts += operation.servesCopy ? 1 : 0;
    }
  }

  /** Removes operations that have retired. */
  void remove(OperationChain<E> over) {
    synchronized (lock) {
      for (Operation<E> next = over.first(); next != null; next = next.next) {
        boolean hasFailed = next.failure() != null;
        unlink(next);
        size--;
        kept -= next.isKept ? 1 : 0;
        retired += next.servesCopy ? 0 : 1;
        failed += next.servesCopy || !hasFailed ? 0 : 1;
      }
    }
  }

  /**
   * Keeps a failed operation, without its event, until the stream is idle: the stream may use what
   * the operation holds, and no event will say when that ends. {@link #awaitNone} no longer waits
   * for it.
   */
  void keep(Operation<E> operation) {
    dropEvent(operation);
    synchronized (lock) {
      if (!operation.isKept) {
        operation.isKept = true;
        kept++;
      }
    }
  }

  /** Drops an operation's reference to its event, if it has one. */
  static <E> void dropEvent(Operation<E> operation) {
    PooledEvent<E> event = operation.event();
    if (event != null) {
      operation.setEvent(null);
      event.release();
    }
  }

  /**
   * Keeps what a thread was issuing when an error ended that, as part of it may be in the stream,
   * and what a thread was ending. For the time when no thread issues any more.
   */
  void keepHalfDone() {
    for (Operation<E> operation : all()) {
      if (operation.state() == State.ISSUED
          && !operation.isToRetire
          && (operation.place == 0 || operation.isHalfEnded)) {
        keep(operation);
      }
    }
  }

  /** How many operations were enqueued, without those that are parts of others. */
  long enqueued() {
    synchronized (lock) {
      return lastNumber - parts;
    }
  }

  /** How many operations have retired, without those that are parts of others. */
  long retired() {
    synchronized (lock) {
      return retired;
    }
  }

  /** How many operations have retired and failed, without those that are parts of others. */
  long failed() {
    synchronized (lock) {
      return failed;
    }
  }

  /** How many operations have not retired, without those that are parts of others. */
  long openOperations() {
    synchronized (lock) {
      return lastNumber - parts - retired;
    }
  }

  /** The number of the operation that was enqueued last if none is open, else 0. */
  long lastIfNoneOpen() {
    synchronized (lock) {
      return size == 0 ? lastNumber : 0;
    }
  }

  /** Waits until every open operation is a kept one. Returns false if the deadline passes first. */
  boolean awaitNone(long deadline) {
    return BackOff.await(this, deadline, this::isNoneAwaited);
  }

  private boolean isNoneAwaited() {
    synchronized (lock) {
      return size == kept;
    }
  }

  @GuardedBy("lock")
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
    } else {
      last = before;
    }
    operation.openBefore = null;
    operation.openAfter = null;
  }

  /** All open operations, oldest first. */
  List<Operation<E>> all() {
    List<Operation<E>> all = newestFirst();
    Collections.reverse(all);
    return all;
  }

  /**
   * All open operations, newest first. Collecting a million takes about 20 ms, in which the lock
   * holds up those who enqueue.
   */
  List<Operation<E>> newestFirst() {
    List<Operation<E>> all = new ArrayList<>();
    synchronized (lock) {
      for (Operation<E> operation = first; operation != null; operation = operation.openAfter) {
        all.add(operation);
      }
    }
    return all;
  }

  /**
   * The oldest open operation, or null. Passes over a limited number of those that have succeeded
   * and are about to be removed.
   */
  @Nullable Operation<E> oldest() {
    synchronized (lock) {
      Operation<E> oldest = last;
      for (int i = 0; i < MOST_OVER && oldest != null && isOver(oldest); i++) {
        oldest = oldest.openBefore;
      }
      return oldest;
    }
  }

  private static boolean isOver(Operation<?> operation) {
    return operation.state() == State.DONE && operation.failure() == null;
  }

  /**
   * Adds the open operations to {@code counts}, indexed by {@link State#ordinal()}. One that has
   * its outcome counts as DONE, although it may still be in the stream.
   */
  void count(long[] counts) {
    synchronized (lock) {
      for (Operation<E> operation = first; operation != null; operation = operation.openAfter) {
        State state = operation.hasOutcome() ? State.DONE : operation.state();
        counts[state.ordinal()]++;
      }
    }
  }
}
