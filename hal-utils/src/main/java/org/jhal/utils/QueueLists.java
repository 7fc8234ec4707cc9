package org.jhal.utils;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the operations of one queue are: all open ones, those that can be issued, those in flight,
 * those to retire, and those that are free. Each method is one short critical section; nothing is
 * called while the lock is held, except what {@link #forEachOpen} is given.
 *
 * <p>Thread-safe.
 */
final class QueueLists<E> {
  /** Whether there is an operation that may be issued now, and by whom. */
  enum Next {
    /** There is none. */
    NONE,
    /** By anybody. */
    BY_ANYBODY,
    /** It does not fit into the stream, so that issuing it may block: by the issue thread. */
    BY_ISSUE_THREAD
  }

  /** How many free operations are kept; more are left to the garbage collector. */
  private static final int MAX_FREE = 4096;

  private final int maxInFlight;
  private final int capacity; // of the stream
  private final Object lock = new Object(); // guards everything that follows
  private final PairingHeap<Operation<E>> ready =
      new PairingHeap<>(); // READY, or FAILED since; by number
  private @Nullable Operation<E> firstOpen; // all that have not retired, the newest first
  private @Nullable Operation<E>
      firstInFlight; // event recorded, not seen to have fired; in stream order
  private @Nullable Operation<E> lastInFlight;
  private int inFlight; // length of that list
  private volatile long issued; // how many were added to it; raised with the lock held
  private int weightInFlight; // sum over that list
  private boolean isThrottled; // somebody left READY operations because the stream was full
  private boolean isIssuingOver;
  private int open; // how many have not retired
  private int kept; // how many of them are kept until the stream is closed
  private @Nullable Operation<E> firstKept; // chained by nextToRetire
  private boolean isAwaited; // somebody has called awaitNoneOpen
  private @Nullable Operation<E> firstToRetire;
  private @Nullable Operation<E> lastToRetire;
  private @Nullable Operation<E> firstFree;
  private int free;
  private long lastNumber; // raised in begin()
  private long abandoned; // raised in abandon()
  private long retired; // raised in removeRetired()

  /**
   * Empty lists.
   *
   * @param maxInFlight how many operations the stream is given at most
   * @param capacity of the stream, as {@link NativeStream#capacity()} says
   */
  QueueLists(int maxInFlight, int capacity) {
    this.maxInFlight = maxInFlight;
    this.capacity = capacity;
  }

  // Open operations.

  /**
   * An operation in state REGISTERING, with the next number; {@code maker} is called if none is
   * free.
   */
  Operation<E> begin(Supplier<Operation<E>> maker) {
    synchronized (lock) {
      Operation<E> operation = firstFree;
      if (operation != null) {
        firstFree = operation.nextFree;
        operation.nextFree = null;
        free--;
        openLocked(operation);
        return operation;
      }
    }
    Operation<E> made = maker.get();
    synchronized (lock) {
      openLocked(made);
    }
    return made;
  }

  private void openLocked(Operation<E> operation) {
    operation.begin(++lastNumber);
    open++;
    operation.openAfter = firstOpen;
    if (firstOpen != null) {
      firstOpen.openBefore = operation;
    }
    firstOpen = operation;
  }

  /** Takes out an operation that was never accepted. */
  void abandon(Operation<E> operation) {
    synchronized (lock) {
      abandoned++;
      unlinkLocked(operation);
    }
  }

  /** Takes out an operation that has retired. */
  void removeRetired(Operation<E> operation) {
    synchronized (lock) {
      retired++;
      unlinkLocked(operation);
    }
  }

  private void unlinkLocked(Operation<E> operation) {
    Operation<E> before = operation.openBefore;
    Operation<E> after = operation.openAfter;
    if (before == null) {
      firstOpen = after;
    } else {
      before.openAfter = after;
    }
    if (after != null) {
      after.openBefore = before;
    }
    operation.openBefore = null;
    operation.openAfter = null;
    open--;
    notifyIfNoneOpenLocked();
  }

  /** Takes an operation that nobody refers to any more. */
  void giveBack(Operation<E> operation) {
    synchronized (lock) {
      if (free < MAX_FREE) {
        operation.nextFree = firstFree;
        firstFree = operation;
        free++;
      }
    }
  }

  /** All open operations, the oldest first, each retained for the caller. */
  List<Operation<E>> retainOpen() {
    List<Operation<E>> open = new ArrayList<>();
    synchronized (lock) {
      for (Operation<E> operation = firstOpen; operation != null; operation = operation.openAfter) {
        operation.retain();
        open.add(operation);
      }
    }
    Collections.reverse(open);
    return open;
  }

  /** Calls {@code looker}, which may only look, for each open operation, with the lock held. */
  void forEachOpen(Consumer<Operation<E>> looker) {
    synchronized (lock) {
      for (Operation<E> operation = firstOpen; operation != null; operation = operation.openAfter) {
        looker.accept(operation);
      }
    }
  }

  private void notifyIfNoneOpenLocked() {
    if (isAwaited && open == kept) {
      lock.notifyAll(); // awaitNoneOpen
    }
  }

  /** Waits until no operation is open, beside those that are kept, or the deadline has passed. */
  boolean awaitNoneOpen(long deadline) {
    boolean interrupted = false;
    try {
      synchronized (lock) {
        isAwaited = true;
        while (open > kept) {
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

  long enqueued() {
    synchronized (lock) {
      return lastNumber - abandoned;
    }
  }

  long retired() {
    synchronized (lock) {
      return retired;
    }
  }

  // Issuing.

  void addReady(Operation<E> operation) {
    synchronized (lock) {
      ready.insert(operation);
    }
  }

  /**
   * The READY operation with the smallest number, or null if there is none that may be issued now.
   *
   * @param mayBlock whether the caller is the issue thread
   */
  @Nullable Operation<E> nextReady(boolean mayBlock) {
    synchronized (lock) {
      Next next = nextLocked();
      return next == Next.BY_ANYBODY || (next == Next.BY_ISSUE_THREAD && mayBlock)
          ? ready.removeMin()
          : null;
    }
  }

  /** Who may take the next operation, if there is one. */
  Next next() {
    synchronized (lock) {
      return nextLocked();
    }
  }

  private Next nextLocked() {
    Operation<E> first = ready.min();
    if (first == null || isIssuingOver) {
      return Next.NONE;
    }
    if (inFlight < maxInFlight && first.weight() <= capacity - weightInFlight) {
      return Next.BY_ANYBODY;
    }
    if (inFlight == 0) {
      return Next.BY_ISSUE_THREAD; // it alone is more than the stream holds
    }
    // Whoever finds the stream full makes removeOldest() call for somebody to issue later.
    isThrottled = true;
    return Next.NONE;
  }

  /**
   * After {@link #endIssuing}: takes an operation out of the heap, which has failed since; null if
   * there is none.
   */
  @Nullable Operation<E> takeDeadReady() {
    synchronized (lock) {
      return ready.removeMin();
    }
  }

  /** From now on nothing can be issued. */
  void endIssuing() {
    synchronized (lock) {
      isIssuingOver = true;
    }
  }

  // In flight.

  void appendInFlight(Operation<E> operation) {
    synchronized (lock) {
      if (lastInFlight == null) {
        firstInFlight = operation;
      } else {
        lastInFlight.nextInFlight = operation;
      }
      lastInFlight = operation;
      inFlight++;
      issued++;
      operation.weightInFlight = Math.min(operation.weight(), capacity);
      weightInFlight += operation.weightInFlight;
    }
  }

  @Nullable Operation<E> oldestInFlight() {
    synchronized (lock) {
      return firstInFlight;
    }
  }

  /** How many operations have been in flight. */
  long issued() {
    return issued;
  }

  /** Takes out the oldest operation in flight; true if somebody should go on issuing now. */
  boolean removeOldest(Operation<E> operation) {
    synchronized (lock) {
      firstInFlight = operation.nextInFlight;
      operation.nextInFlight = null;
      if (firstInFlight == null) {
        lastInFlight = null;
      }
      inFlight--;
      weightInFlight -= operation.weightInFlight;
      // At half, not at each one that ends. What does not fit even then calls for this again.
      boolean resume = isThrottled && inFlight <= maxInFlight / 2 && weightInFlight <= capacity / 2;
      if (resume) {
        isThrottled = false;
      }
      return resume;
    }
  }

  // Retiring.

  /** Keeps an operation for the completion thread, or, after that, for who closes the stream. */
  void addToRetire(Operation<E> operation) {
    synchronized (lock) {
      if (lastToRetire == null) {
        firstToRetire = operation;
      } else {
        lastToRetire.nextToRetire = operation;
      }
      lastToRetire = operation;
    }
  }

  /**
   * Keeps an operation that has failed while the stream may still use what it holds, and no event
   * will tell when that is over.
   */
  void keep(Operation<E> operation) {
    synchronized (lock) {
      operation.nextToRetire = firstKept;
      firstKept = operation;
      kept++;
      notifyIfNoneOpenLocked();
    }
  }

  /** Takes what was kept, chained by {@link Operation#nextToRetire}: the stream is closed. */
  @Nullable Operation<E> takeKept() {
    synchronized (lock) {
      Operation<E> first = firstKept;
      firstKept = null;
      kept = 0;
      return first;
    }
  }

  /** Takes all operations to retire, chained by {@link Operation#nextToRetire}. */
  @Nullable Operation<E> takeToRetire() {
    synchronized (lock) {
      Operation<E> first = firstToRetire;
      firstToRetire = null;
      lastToRetire = null;
      return first;
    }
  }
}
