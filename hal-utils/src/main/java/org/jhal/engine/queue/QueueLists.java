package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.PairingHeap;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * The lists of one queue: all open operations, those that are ready, those in flight, and those to
 * retire. It also hands out the drainer's role. Each method is one short critical section, in which
 * no callback runs.
 *
 * <p>Thread-safe.
 */
final class QueueLists<E> {
  /** Whether an operation may be issued now, and by which thread. */
  enum Next {
    /** None may be issued now. */
    NONE,
    /** Any thread may issue the next one. */
    BY_ANYBODY,
    /** Only the issue thread may issue the next one, since that may block. */
    BY_ISSUE_THREAD
  }

  private final int maxInFlight;
  private final NativeStream<E> stream;
  private final int capacity; // of the stream
  private final Runnable issueLater;

  private final Broken broken; // from then on no thread issues

  // Guards all fields below. Exceptions are noted at the field.
  final Object lock = new Object();

  // All operations that have not retired.
  private final OpenList<E> open = new OpenList<>(lock);

  // READY operations by number, and those that failed while they were in here.
  private final PairingHeap<Operation<E>> ready = new PairingHeap<>();

  private boolean isDraining; // a thread has the drainer's role

  // The operation that the drainer is issuing, or null. It is in no other list than `open`.
  private @Nullable Operation<E> handed;

  // Operations whose event is recorded and which the completion thread has not taken yet, in stream
  // order, chained by nextInFlight.
  private @Nullable Operation<E> firstInFlight;
  private @Nullable Operation<E> lastInFlight;

  // How many operations are in the stream: the list above, and what the completion thread took from
  // it and has not reported to over() yet; and the sum of their weights.
  private int inFlight;
  private int weightInFlight;

  // How many operations were ever put in flight. Written with the lock held, read without it.
  private volatile long issued;

  // READY operations were left because the stream was full, so over() has to wake the issue thread.
  private boolean isThrottled;

  private boolean isIssuingOver;

  // Chained by nextToRetire: operations to retire once the stream is closed; those to discard,
  // which
  // Enqueuer.abandon() adds; those that could not be issued, newest first; those for the
  // completion thread to retire, oldest
  // first.
  private @Nullable Operation<E> firstKept;
  @Nullable Operation<E> firstBegun;
  private @Nullable Operation<E> firstFailed;
  private @Nullable Operation<E> firstToRetire;
  private @Nullable Operation<E> lastToRetire;
  private boolean isRetiringOver;

  private long lastNumber; // the number of the operation that was enqueued last; the first has 1
  private long parts; // how many of those enqueued are parts of others; see Operation#servesCopy
  private long retired; // how many operations have retired that are not

  /**
   * Creates empty lists.
   *
   * @param maxInFlight how many operations may be in the stream at once
   * @param stream is asked for its capacity, and how much an operation takes up of it
   * @param broken whether an error has interrupted a step of the queue
   * @param issueLater wakes the issue thread; called with no lock held
   */
  QueueLists(int maxInFlight, NativeStream<E> stream, Broken broken, Runnable issueLater) {
    this.broken = broken;
    this.maxInFlight = maxInFlight;
    this.stream = stream;
    this.capacity = stream.capacity();
    this.issueLater = issueLater;
  }

  // Open operations.

  /** Assigns a number to an operation, adds it to the open ones, and makes it PARKED. */
  void open(Operation<E> operation) {
    synchronized (lock) {
      openLocked(operation, State.PARKED);
    }
  }

  /**
   * Opens an operation, see {@link #open}, of which all waits are reached. Makes it ISSUED if the
   * caller can have the drainer's role and the operation can be issued at once, otherwise READY.
   *
   * @param mayIssue whether the caller may have the drainer's role
   * @return true if the operation is ISSUED, the caller has the drainer's role and must issue it;
   *     false if it is READY
   */
  boolean openReady(Operation<E> operation, boolean mayIssue) {
    synchronized (lock) {
      if (mayIssue && isNextLocked(operation)) {
        openLocked(operation, State.ISSUED);
        // No calls from here on, as there.
        handed = operation;
        isDraining = true;
        return true;
      }
      openLocked(operation, State.READY);
      ready.insert(operation);
      return false;
    }
  }

  /**
   * Makes a PARKED operation, of which the last wait has ended, ISSUED or READY as {@link
   * #openReady} does. Does nothing if another thread has failed it.
   *
   * @return whether the operation is ISSUED, the caller has the drainer's role and must issue it
   */
  boolean endParking(Operation<E> operation, boolean mayIssue) {
    synchronized (lock) {
      if (mayIssue && isNextLocked(operation)) {
        if (!operation.changeState(State.PARKED, State.ISSUED)) {
          return false;
        }
        // No calls from here on, as in openLocked().
        handed = operation;
        isDraining = true;
        return true;
      }
      if (operation.changeState(State.PARKED, State.READY)) {
        ready.insert(operation);
      }
      return false;
    }
  }

  /** Whether an operation can be issued at once, by a thread that is not the issue thread. */
  private boolean isNextLocked(Operation<E> operation) {
    return !isDraining
        && broken.by == null
        && !isIssuingOver
        && ready.min() == null
        && fitsLocked(operation)
        && !operation.mayBlock();
  }

  /** Takes one that is to be discarded, or returns null. */
  @Nullable Operation<E> takeBegun() {
    synchronized (lock) {
      Operation<E> taken = firstBegun;
      if (taken != null) {
        firstBegun = taken.nextToRetire;
        taken.nextToRetire = null;
      }
      return taken;
    }
  }

  private void openLocked(Operation<E> operation, State state) {
    boolean isPart = operation.servesCopy();
    open.add(operation);
    // No calls from here on: a call could run out of stack, and leave this half done.
    operation.state = state;
    operation.key = ++lastNumber;
    if (isPart) {
      parts++;
    }
  }

  /** All open operations, oldest first. */
  List<Operation<E>> open() {
    synchronized (lock) {
      return open.all();
    }
  }

  /** Adds the open operations to {@code counts}, indexed by {@link State#ordinal()}. */
  void count(long[] counts) {
    synchronized (lock) {
      open.count(counts);
    }
  }

  /** See {@link OpenList#walk}. */
  void walkOpen(Operation<E> bookmark, Consumer<Operation<E>> looker) {
    open.walk(bookmark, looker);
  }

  /**
   * Waits until no operation is open except those that are kept, or until the deadline has passed.
   */
  boolean awaitNoneOpen(long deadline) {
    return open.awaitNone(deadline);
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

  /** How many operations have not retired, without those that are parts of others. */
  long openOperations() {
    synchronized (lock) {
      return lastNumber - parts - retired;
    }
  }

  // Issuing.

  /**
   * Takes the drainer's role, if it is free and there is something to issue. Returns the READY
   * operation with the smallest number, or null if the caller did not get the role.
   *
   * @param mayBlock whether the caller is the issue thread
   */
  @Nullable Operation<E> startIssuing(boolean mayBlock) {
    Next next;
    synchronized (lock) {
      if (isDraining) {
        // The drainer may not have seen the newest operations. It will: it gives up the role only
        // in next(), in the critical section that finds nothing ready.
        return null;
      }
      next = nextLocked();
      if (next == Next.BY_ANYBODY || (next == Next.BY_ISSUE_THREAD && mayBlock)) {
        Operation<E> first = ready.removeMin();
        handed = first;
        isDraining = true;
        return first;
      }
    }
    if (next == Next.BY_ISSUE_THREAD) {
      issueLater.run();
    }
    return null;
  }

  /**
   * For the thread with the drainer's role: puts {@code recorded} in flight and returns the next
   * operation to issue. If it returns null, the caller has lost the role. Both happen in one
   * critical section, so that no ready operation is left behind.
   *
   * @param recorded the operation whose event was recorded, or null
   * @param mayGoOn whether the caller may issue another operation; if not, the rest is left to the
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
      isDraining = false;
    }
    if (next != Next.NONE) {
      issueLater.run();
    }
    return null;
  }

  /** For the drainer: returns the operation that it could not issue to the heap of ready ones. */
  void putBack(Operation<E> operation) {
    synchronized (lock) {
      ready.insert(operation);
      handed = null;
    }
  }

  private void appendInFlightLocked(Operation<E> operation) {
    int weight = weightInFlight(operation);
    operation.setPlace(issued + 1);
    // No calls from here on: a call could run out of stack, and leave this half done.
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

  /** Adds an operation that the drainer could not issue, for {@link #takeFailed}. */
  void addFailed(Operation<E> operation) {
    synchronized (lock) {
      operation.nextToRetire = firstFailed;
      firstFailed = operation;
      handed = null;
    }
  }

  /** Takes back the rest of what {@link #takeFailed} has returned. */
  void putBackFailed(@Nullable Operation<E> oldest) {
    synchronized (lock) {
      for (Operation<E> next = oldest; next != null; ) {
        Operation<E> operation = next;
        next = operation.nextToRetire;
        operation.nextToRetire = firstFailed;
        firstFailed = operation;
      }
    }
  }

  /**
   * Takes all operations that could not be issued, oldest first, chained by {@link
   * Operation#nextToRetire}. For the issue thread.
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
   * For the time after the device was lost because of {@link Broken}, once no thread issues any
   * more: keeps the operation that a thread was issuing when the error ended that, since part of it
   * may have reached the stream.
   */
  void keepHanded() {
    synchronized (lock) {
      Operation<E> left = handed;
      handed = null;
      State state = left == null ? null : left.state();
      if (left != null && (state == State.ISSUED || state == State.SETTLED)) {
        PooledEvent<E> event = left.event();
        left.setEvent(null); // retiring it, after the stream is closed, must not touch the event
        if (event != null) {
          event.release();
        }
        keepLocked(left);
      }
    }
  }

  private boolean fitsLocked(Operation<E> operation) {
    operation.weighAgain(stream);
    return inFlight < maxInFlight && operation.weight() <= capacity - weightInFlight;
  }

  private Next nextLocked() {
    Operation<E> first = ready.min();
    if (first == null || isIssuingOver || broken.by != null) {
      return Next.NONE;
    }
    if (fitsLocked(first)) {
      return first.mayBlock() ? Next.BY_ISSUE_THREAD : Next.BY_ANYBODY;
    }
    if (inFlight == 0) {
      return Next.BY_ISSUE_THREAD; // it alone exceeds the capacity of the empty stream
    }
    // over() wakes the issue thread once there is room.
    isThrottled = true;
    return Next.NONE;
  }

  /** From now on no operation is handed out for issuing. */
  void endIssuing() {
    synchronized (lock) {
      isIssuingOver = true;
    }
  }

  // In flight.

  /**
   * Takes the list of operations in flight, oldest first, chained by {@link
   * Operation#nextInFlight}. They keep counting as in flight until they are reported to {@link
   * #over}. For the completion thread.
   */
  @Nullable Operation<E> takeInFlight() {
    synchronized (lock) {
      Operation<E> first = firstInFlight;
      firstInFlight = null;
      lastInFlight = null;
      return first;
    }
  }

  /** How many operations were ever put in flight. */
  long issued() {
    return issued;
  }

  /**
   * Reports that operations have left the stream, and that operations have retired. Wakes the issue
   * thread if operations were waiting for room. For the completion thread.
   *
   * @param left how many operations have left the stream
   * @param weight the sum of their weights
   * @param firstRetired the operations that have retired, chained by {@link Operation#nextToRetire}
   */
  void over(int left, int weight, @Nullable Operation<E> firstRetired) {
    boolean resume;
    synchronized (lock) {
      inFlight -= left;
      weightInFlight -= weight;
      // At half the limit, so that the issue thread wakes rarely and then finds room for many. If
      // the next operation does not fit even then, nextLocked() sets isThrottled again.
      resume = isThrottled && inFlight <= maxInFlight / 2 && weightInFlight <= capacity / 2;
      if (resume) {
        isThrottled = false;
      }
      for (Operation<E> next = firstRetired; next != null; next = next.nextToRetire) {
        if (!next.servesCopy()) {
          retired++;
        }
        open.remove(next);
      }
    }
    if (resume) {
      issueLater.run();
    }
  }

  /** How much of the stream's {@link NativeStream#capacity()} an operation in flight takes up. */
  int weightInFlight(Operation<E> operation) {
    return Math.min(operation.weight(), capacity);
  }

  // Retiring.

  /**
   * Keeps an operation for the completion thread, or, after that has ended, for who closes the
   * stream. Returns false if that has been done: then the caller retires it.
   */
  boolean addToRetire(Operation<E> operation) {
    synchronized (lock) {
      if (operation.isToRetire) {
        return true; // two threads may end an operation that has failed
      }
      if (isRetiringOver) {
        return false;
      }
      // No calls from here on, as above.
      operation.isToRetire = true;
      if (lastToRetire == null) {
        firstToRetire = operation;
      } else {
        lastToRetire.nextToRetire = operation;
      }
      lastToRetire = operation;
      return true;
    }
  }

  /** Nothing takes operations to retire after this call and one more {@link #takeToRetire}. */
  void endRetiring() {
    synchronized (lock) {
      isRetiringOver = true;
      while (ready.removeMin() != null) {
        continue; // they have failed, and would be kept as long as the queue
      }
    }
  }

  /**
   * Keeps a failed operation until the stream is closed: the stream may still use its resources,
   * and no event will tell when that ends.
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

  /**
   * Takes all kept operations, chained by {@link Operation#nextToRetire}. For use once the stream
   * is closed.
   */
  @Nullable Operation<E> takeKept() {
    synchronized (lock) {
      Operation<E> first = firstKept;
      firstKept = null;
      open.keepNone();
      return first;
    }
  }

  /** All kept operations, which stay kept. */
  List<Operation<E>> kept() {
    synchronized (lock) {
      List<Operation<E>> all = new ArrayList<>();
      for (Operation<E> next = firstKept; next != null; next = next.nextToRetire) {
        all.add(next);
      }
      return all;
    }
  }

  /** Takes all operations to retire, oldest first, chained by {@link Operation#nextToRetire}. */
  @Nullable Operation<E> takeToRetire() {
    synchronized (lock) {
      Operation<E> first = firstToRetire;
      firstToRetire = null;
      lastToRetire = null;
      return first;
    }
  }
}
