package org.jhal.engine.queue;

import java.util.List;
import java.util.function.Consumer;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.PairingHeap;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Where the operations of one queue are: all open ones, those that can be issued, those in flight,
 * and those to retire. Each method is one short critical section; nothing is called while the lock
 * is held.
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
    /** Issuing it may block: by the issue thread. */
    BY_ISSUE_THREAD
  }

  private final int maxInFlight;
  private final int capacity; // of the stream
  private final Runnable issueLater;

  /**
   * What left the engine in the middle of something: an error that may come from any line, such as
   * a StackOverflowError. Nothing is issued any more until {@link #endEscape}. Whoever catches it
   * writes here, and to {@link #deadDrainer} before, without a call: there may be no stack left for
   * one. The issue thread, which looks from time to time, does the rest.
   */
  volatile @Nullable Throwable escaped;

  /** Who has left so with the drainer's role. */
  volatile @Nullable Thread deadDrainer;

  private final Object lock = new Object(); // guards everything that follows
  private final PairingHeap<Operation<E>> ready =
      new PairingHeap<>(); // READY, or FAILED since; by number
  @Nullable Thread drainer; // who has the drainer's role, and may look here without the lock
  private @Nullable Operation<E> handed; // to the drainer; in no list, but that of open ones
  private @Nullable Operation<E>
      firstInFlight; // event recorded, not taken by a completer; in stream order
  private @Nullable Operation<E> lastInFlight;
  private int inFlight; // those, and those that were taken and not said to be over
  private int weightInFlight; // sum over the same
  private volatile long issued; // how many were in flight; raised with the lock held
  private boolean isThrottled; // somebody left READY operations because the stream was full
  private boolean isIssuingOver;
  private final OpenList<E> open = new OpenList<>(lock); // all that have not retired
  private @Nullable Operation<E> firstKept; // chained by nextToRetire
  private @Nullable Operation<E> firstFailed; // while issued, the newest first; by nextToRetire
  private @Nullable Operation<E> firstToRetire;
  private @Nullable Operation<E> lastToRetire;
  private long lastNumber; // of the operations that were enqueued
  private long retired; // how many have

  /**
   * Empty lists.
   *
   * @param maxInFlight how many operations the stream is given at most
   * @param capacity of the stream, as {@link NativeStream#capacity()} says
   * @param issueLater told, with no lock held, that something is left to the issue thread
   */
  QueueLists(int maxInFlight, int capacity, Runnable issueLater) {
    this.maxInFlight = maxInFlight;
    this.capacity = capacity;
    this.issueLater = issueLater;
  }

  // Open operations.

  /** Numbers an operation and makes it one of the open ones. */
  void open(Operation<E> operation) {
    synchronized (lock) {
      openLocked(operation);
    }
  }

  /**
   * The same for an operation that nothing has to be waited for, and that no other thread knows.
   *
   * @param mayIssue whether the caller may have the drainer's role
   * @return true if it is ISSUED, and the caller has the drainer's role and is to issue it; false
   *     if it is READY, and one reference was retained for the heap and one for the caller
   */
  boolean openReady(Operation<E> operation, boolean mayIssue) {
    synchronized (lock) {
      openLocked(operation);
      if (mayIssue
          && drainer == null
          && escaped == null
          && !isIssuingOver
          && ready.min() == null
          && fitsLocked(operation)
          && !operation.mayBlock()) {
        operation.beginAs(State.ISSUED);
        handed = operation;
        drainer = Thread.currentThread();
        return true;
      }
      operation.retain();
      operation.retain();
      operation.beginAs(State.READY);
      ready.insert(operation);
      return false;
    }
  }

  private void openLocked(Operation<E> operation) {
    operation.key = ++lastNumber;
    open.add(operation);
  }

  /** All open operations, the oldest first, each retained for the caller. */
  List<Operation<E>> retainOpen() {
    synchronized (lock) {
      return open.retainAll();
    }
  }

  /** Adds the open operations to {@code counts}, which is indexed by {@link State#ordinal()}. */
  void count(long[] counts) {
    synchronized (lock) {
      open.count(counts);
    }
  }

  /** See {@link OpenList#walk}. */
  void walkOpen(Operation<E> bookmark, Consumer<Operation<E>> looker) {
    open.walk(bookmark, looker);
  }

  /** Waits until no operation is open, beside those that are kept, or the deadline has passed. */
  boolean awaitNoneOpen(long deadline) {
    return open.awaitNone(deadline);
  }

  long enqueued() {
    synchronized (lock) {
      return lastNumber;
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
   * Takes the drainer's role, if nobody has it and there is something to issue; returns the READY
   * operation with the smallest number, or null without the role.
   *
   * @param mayBlock whether the caller is the issue thread
   */
  @Nullable Operation<E> startIssuing(boolean mayBlock) {
    Next next;
    synchronized (lock) {
      if (drainer != null || escaped != null) {
        return null; // who has the role sees in next() what is there now
      }
      next = nextLocked();
      if (next == Next.BY_ANYBODY || (next == Next.BY_ISSUE_THREAD && mayBlock)) {
        Operation<E> first = ready.removeMin();
        handed = first;
        drainer = Thread.currentThread();
        return first;
      }
    }
    if (next == Next.BY_ISSUE_THREAD) {
      issueLater.run();
    }
    return null;
  }

  /**
   * For who has the drainer's role: the next operation, or null, and then the role is free.
   *
   * @param recorded the one that is in flight now, or null
   * @param mayGoOn whether the caller issues another one; if not, what there is is left to the
   *     issue thread
   * @param mayBlock whether the caller is the issue thread
   */
  @Nullable Operation<E> next(@Nullable Operation<E> recorded, boolean mayGoOn, boolean mayBlock) {
    Next next;
    synchronized (lock) {
      if (recorded != null) {
        appendInFlightLocked(recorded);
      }
      handed = null;
      next = nextLocked();
      if (mayGoOn && (next == Next.BY_ANYBODY || (next == Next.BY_ISSUE_THREAD && mayBlock))) {
        Operation<E> following = ready.removeMin();
        handed = following;
        return following;
      }
      drainer = null;
    }
    if (next != Next.NONE) {
      issueLater.run();
    }
    return null;
  }

  private void appendInFlightLocked(Operation<E> operation) {
    int weight = weightInFlight(operation);
    operation.setPlace(issued + 1);
    // From here on no call, which may fail for lack of stack: all of it happens, or nothing.
    if (lastInFlight == null) {
      firstInFlight = operation;
    } else {
      lastInFlight.nextInFlight = operation;
    }
    lastInFlight = operation;
    inFlight++;
    weightInFlight += weight;
    issued++;
    handed = null;
  }

  /** The drainer could not issue the operation that it was handed: {@link #takeFailed} gets it. */
  void addFailed(Operation<E> operation) {
    synchronized (lock) {
      operation.nextToRetire = firstFailed;
      firstFailed = operation;
      handed = null;
    }
  }

  /**
   * Takes all that could not be issued, the oldest first, chained by {@link
   * Operation#nextToRetire}.
   */
  @Nullable Operation<E> takeFailed() {
    Operation<E> oldest = null;
    synchronized (lock) {
      for (Operation<E> next = firstFailed; next != null; ) {
        Operation<E> operation = next;
        next = operation.nextToRetire;
        operation.nextToRetire = oldest;
        oldest = operation;
      }
      firstFailed = null;
    }
    return oldest;
  }

  /**
   * Ends what {@link #escaped} tells of: the role of a drainer that is not there any more is free,
   * and the operation that it was handed is kept, since part of it may have reached the stream. The
   * device is lost, and all operations have failed.
   */
  void endEscape() {
    synchronized (lock) {
      if (deadDrainer != null && deadDrainer == drainer) {
        Operation<E> left = handed;
        handed = null;
        drainer = null;
        if (left != null) {
          PooledEvent<E> event = left.event();
          left.setEvent(null); // none is touched once the stream is closed
          if (event != null) {
            event.release();
          }
          keepLocked(left);
        }
      }
      deadDrainer = null;
      escaped = null;
    }
  }

  private boolean fitsLocked(Operation<E> operation) {
    return inFlight < maxInFlight && operation.weight() <= capacity - weightInFlight;
  }

  private Next nextLocked() {
    Operation<E> first = ready.min();
    if (first == null || isIssuingOver) {
      return Next.NONE;
    }
    if (fitsLocked(first)) {
      return first.mayBlock() ? Next.BY_ISSUE_THREAD : Next.BY_ANYBODY;
    }
    if (inFlight == 0) {
      return Next.BY_ISSUE_THREAD; // it alone is more than the stream holds
    }
    // Whoever finds the stream full makes retire() call for somebody to issue later.
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

  /**
   * Takes all operations in flight, chained by {@link Operation#nextInFlight}, the oldest first;
   * they count until {@link #over}.
   */
  @Nullable Operation<E> takeInFlight() {
    synchronized (lock) {
      Operation<E> first = firstInFlight;
      firstInFlight = null;
      lastInFlight = null;
      return first;
    }
  }

  /** How many operations have been in flight. */
  long issued() {
    return issued;
  }

  /**
   * Some operations have left the stream, and some have retired.
   *
   * @param left how many have left the stream
   * @param weight of those that have
   * @param firstRetired those that have retired, chained by {@link Operation#nextToRetire}
   */
  void over(int left, int weight, @Nullable Operation<E> firstRetired) {
    boolean resume;
    synchronized (lock) {
      inFlight -= left;
      weightInFlight -= weight;
      // At half, not at each one that ends. What does not fit even then calls for this again.
      resume = isThrottled && inFlight <= maxInFlight / 2 && weightInFlight <= capacity / 2;
      if (resume) {
        isThrottled = false;
      }
      for (Operation<E> next = firstRetired; next != null; next = next.nextToRetire) {
        retired++;
        open.remove(next);
      }
    }
    if (resume) {
      issueLater.run();
    }
  }

  /** What {@link NativeStream#capacity()} an operation in flight takes. */
  int weightInFlight(Operation<E> operation) {
    return Math.min(operation.weight(), capacity);
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
      keepLocked(operation);
      if (handed == operation) {
        handed = null;
      }
    }
  }

  private void keepLocked(Operation<E> operation) {
    operation.nextToRetire = firstKept;
    firstKept = operation;
    open.keepOne();
  }

  /** Takes what was kept, chained by {@link Operation#nextToRetire}: the stream is closed. */
  @Nullable Operation<E> takeKept() {
    synchronized (lock) {
      Operation<E> first = firstKept;
      firstKept = null;
      open.keepNone();
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
