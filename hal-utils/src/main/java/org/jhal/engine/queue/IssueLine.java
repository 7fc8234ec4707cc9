// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.PairingHeap;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * What one queue has ready to issue, and what it has in flight. Hands out the drainer's role: one
 * thread at a time issues. Each method is one short critical section, in which no callback runs.
 *
 * <p>Thread-safe.
 */
final class IssueLine<E> {
  /**
   * Who may issue the next operation now: nobody; any thread; the issue thread, as it may block.
   */
  enum Next {
    NONE,
    BY_ANY_THREAD,
    BY_ISSUE_THREAD
  }

  private final int maxInFlight;
  private final NativeStream<E> stream;
  private final int capacity; // of the stream
  private final Wish wish;
  private final DeferredWorkQueue<E> queue;

  private final Object lock = new Object();

  // READY operations by number, and those that failed while they were in here.
  @GuardedBy("lock")
  private final PairingHeap<Operation<E>> ready = new PairingHeap<>();

  // A thread has the drainer's role. Written with the lock held, read without it by isIssuing().
  private volatile boolean isDraining;

  @GuardedBy("lock")
  private boolean isOver; // no operation is handed out any more

  // Operations that the drainer could not issue, of which nothing is in the stream.
  @GuardedBy("lock")
  private final OperationChain<E> failed = new OperationChain<>();

  // Operations whose event is recorded and which the completion thread has not taken yet, in stream
  // order.
  @GuardedBy("lock")
  private final OperationChain<E> recorded = new OperationChain<>();

  // How many operations are in the stream: the chain above, and what the completion thread took
  // from it and has not reported to left() yet; and the sum of their weights.
  @GuardedBy("lock")
  private int inFlight;

  @GuardedBy("lock")
  private int weightInFlight;

  // How many operations were ever put in flight. Written with the lock held, read without it.
  private volatile long issued;

  // READY operations were left because the stream was full, so left() has to wake the issue thread.
  @GuardedBy("lock")
  private boolean isThrottled;

  /**
   * Creates an empty line of operations.
   *
   * @param queue whose operations these are; its issue thread is woken with no lock held
   * @param maxInFlight how many operations may be in the stream at once
   * @param wish where this says that it waits for room in the stream
   */
  IssueLine(DeferredWorkQueue<E> queue, int maxInFlight, Wish wish) {
    this.queue = queue;
    this.maxInFlight = maxInFlight;
    this.stream = queue.stream;
    this.capacity = stream.capacity();
    this.wish = wish;
  }

  /**
   * Makes an operation, of which no wait is open any more, ISSUED if the caller can have the
   * drainer's role and the operation can be issued at once, otherwise READY. Does nothing if
   * another thread has failed it.
   *
   * @param mayIssue whether the caller may have the drainer's role
   * @return whether the operation is ISSUED, the caller has the drainer's role and must issue it
   */
  boolean add(Operation<E> operation, boolean mayIssue) {
    synchronized (lock) {
      State from = operation.state(); // PARKED, READY if no wait was open at first, or DONE
      if (from == State.DONE) {
        return false;
      }
      if (mayIssue && isNextLocked(operation)) {
        if (!operation.changeState(from, State.ISSUED)) {
          return false;
        }
        isDraining = true;
        return true;
      }
      if (operation.changeState(from, State.READY)) {
        ready.insert(operation);
      }
      return false;
    }
  }

  /** Whether any thread can issue an operation at once. */
  @GuardedBy("lock")
  private boolean isNextLocked(Operation<E> operation) {
    return !isDraining
        && queue.brokenBy == null
        && !isOver
        && ready.min() == null
        && fitsLocked(operation)
        && !operation.mayBlock();
  }

  /**
   * Takes the drainer's role, if it is free and there is something to issue. Returns the READY
   * operation with the smallest number, or null if the caller did not get the role.
   *
   * @param mayBlock whether the caller is the issue thread
   */
  @Nullable Operation<E> startIssuing(boolean mayBlock) {
    return take(true, null, true, mayBlock, false);
  }

  /**
   * For the thread with the drainer's role: puts {@code last} in flight and returns the next
   * operation to issue. If it returns null, the caller has lost the role. Both happen in one
   * critical section, so that no ready operation is left behind.
   *
   * @param last the operation whose event was recorded, or null
   * @param mayGoOn whether the caller may issue another operation; if not, the rest is left to the
   *     issue thread
   * @param mayBlock whether the caller is the issue thread
   */
  @Nullable Operation<E> next(@Nullable Operation<E> last, boolean mayGoOn, boolean mayBlock) {
    return take(false, last, mayGoOn, mayBlock, false);
  }

  /** As {@link #next}, but the caller has the role in any case. */
  @Nullable Operation<E> nextInRole(
      @Nullable Operation<E> last, boolean mayGoOn, boolean mayBlock) {
    return take(false, last, mayGoOn, mayBlock, true);
  }

  /** Takes the drainer's role, if it is free, although there may be nothing to issue. */
  boolean takeRole() {
    synchronized (lock) {
      if (isDraining) {
        return false;
      }
      isDraining = true;
      return true;
    }
  }

  private @Nullable Operation<E> take(
      boolean isStart,
      @Nullable Operation<E> last,
      boolean mayGoOn,
      boolean mayBlock,
      boolean keepsRole) {
    Next next;
    synchronized (lock) {
      if (isStart && isDraining) {
        // The drainer may not have seen the newest operations. It will: it gives up the role only
        // in next(), in the critical section that finds nothing ready.
        return null;
      }
      if (last != null) {
        putInFlightLocked(last);
      }
      next = nextLocked();
      boolean goesOn =
          mayGoOn && (next == Next.BY_ANY_THREAD || (next == Next.BY_ISSUE_THREAD && mayBlock));
      isDraining = goesOn || keepsRole;
      if (goesOn) {
        return ready.removeMin();
      }
    }
    if (next != Next.NONE && !keepsRole) {
      queue.issueLater();
    }
    return null;
  }

  @GuardedBy("lock")
  private void putInFlightLocked(Operation<E> operation) {
    int weight = weightInFlight(operation);
    recorded.add(operation);
    operation.place = issued + 1;
    inFlight++;
    weightInFlight += weight;
    issued++;
  }

  /** For the drainer: returns the operation that it could not issue to the heap of ready ones. */
  void putBack(Operation<E> operation) {
    synchronized (lock) {
      ready.insert(operation);
    }
  }

  /** For the drainer: adds an operation that it could not issue, for the issue thread. */
  void addFailed(Operation<E> operation) {
    synchronized (lock) {
      failed.add(operation);
    }
  }

  /** The oldest operation that could not be issued, or null. */
  @Nullable Operation<E> firstFailed() {
    synchronized (lock) {
      return failed.first();
    }
  }

  /** The first one has failed, and may retire. */
  void removeFirstFailed() {
    synchronized (lock) {
      failed.poll();
    }
  }

  @GuardedBy("lock")
  private boolean fitsLocked(Operation<E> operation) {
    weighAgain(operation);
    return inFlight < maxInFlight && operation.weight() <= capacity - weightInFlight;
  }

  /**
   * Asks for the weight again if it may have changed. From then on it stays, unless the operation
   * is put back. What the driver throws fails this operation, which keeps its weight until its turn
   * comes: it must not stop the drainer.
   */
  private void weighAgain(Operation<E> operation) {
    if (operation.state() != State.DONE && operation.work.weightMayChange()) {
      try {
        operation.weigh(stream);
      } catch (RuntimeException | LinkageError | VirtualMachineError e) { // of a driver
        operation.failOwnWork(Failures.of(e));
      }
    }
  }

  @GuardedBy("lock")
  private Next nextLocked() {
    Operation<E> first = ready.min();
    if (first == null || isOver || queue.brokenBy != null) {
      return Next.NONE;
    }
    if (fitsLocked(first)) {
      return first.mayBlock() ? Next.BY_ISSUE_THREAD : Next.BY_ANY_THREAD;
    }
    if (inFlight == 0) {
      return Next.BY_ISSUE_THREAD; // it alone exceeds the capacity of the empty stream
    }
    // left() wakes the issue thread once there is room, which is when about half have left. If the
    // weight is too large, a few operations may have most of it.
    isThrottled = true;
    wish.want(inFlight < maxInFlight ? issued : issued - inFlight / 2);
    return Next.NONE;
  }

  /** From now on no operation is handed out for issuing. */
  void end() {
    synchronized (lock) {
      isOver = true;
    }
  }

  /** Forgets the operations in the heap, which have failed: they would be kept with the queue. */
  void clear() {
    synchronized (lock) {
      while (ready.removeMin() != null) {
        continue;
      }
    }
  }

  /**
   * Moves the operations in flight to {@code taken}, oldest first. They keep counting as in flight
   * until they are reported to {@link #left}. For the completion thread.
   */
  void takeInFlight(OperationChain<E> taken) {
    synchronized (lock) {
      taken.addAll(recorded);
    }
  }

  /** How many operations were ever put in flight. */
  long issued() {
    return issued;
  }

  /** Whether a thread is issuing operations. */
  boolean isIssuing() {
    return isDraining;
  }

  /**
   * Reports that operations, the sum of whose weights is given, have left the stream. Wakes the
   * issue thread if others were waiting for room. For the completion thread.
   */
  void left(int count, int weight) {
    boolean resume;
    synchronized (lock) {
      inFlight -= count;
      weightInFlight -= weight;
      // At half the limit, so that the issue thread wakes rarely and then finds room for many. If
      // the next operation does not fit even then, nextLocked() sets isThrottled again.
      resume = isThrottled && inFlight <= maxInFlight / 2 && weightInFlight <= capacity / 2;
      if (resume) {
        isThrottled = false;
      }
    }
    if (resume) {
      queue.issueLater();
    }
  }

  /** How much of the stream's {@link NativeStream#capacity()} an operation in flight takes up. */
  int weightInFlight(Operation<E> operation) {
    return Math.min(operation.weight(), capacity);
  }
}
