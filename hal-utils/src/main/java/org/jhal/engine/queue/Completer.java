package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.HalException;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the events of a stream, oldest first, and settles and retires the operations behind
 * them. An operation with a host tail moves on to the threads for that when its event has fired;
 * the end of the tail settles it. What others settled, or failed before it was issued, is retired
 * here too: data flows one way.
 *
 * <p>The completion thread does that, and threads that issue or poll help: what an operation
 * consists of is in their caches, and moving it to the completion thread's and back takes longer
 * than all the rest. A helper never waits, wakes threads of the queue only, and runs nothing that a
 * user wrote; where one of these is to be done, it leaves the operation to the completion thread.
 *
 * <p>{@link #step} and {@link #bind} are the completion thread's, {@link #retireRest} is for when
 * that has ended, {@link #help} and {@link #tailOver} are for any thread.
 */
final class Completer<E> {
  private static final System.Logger LOG = System.getLogger(Completer.class.getName());

  /** How many operations are completed at most before what they held is released. */
  private static final int BATCH = 32;

  private final StreamOwner<E> owner;
  private final QueueLists<E> lists;
  private final NativeStream<E> stream;
  private final PollingPace pace;

  /**
   * Whether some thread has the role of completing; it alone uses the fields that follow. The
   * completion thread has it while it completes, with all that a user is told then, and while it
   * sleeps in the native runtime, but not while it polls.
   */
  private final AtomicBoolean isTaken = new AtomicBoolean();

  private boolean isHelped; // since the completion thread had the role
  private @Nullable Operation<E> inFlight; // taken from the lists, the oldest first
  private @Nullable Operation<E> firstRetired; // not given back yet; chained by nextToRetire
  private final Releases releases = new Releases(); // what those held
  private int left; // how many have left the stream, and the lists do not know yet
  private int weightLeft; // of those

  Completer(StreamOwner<E> owner, QueueLists<E> lists, NativeStream<E> stream, long spinNanos) {
    this.owner = owner;
    this.lists = lists;
    this.stream = stream;
    this.pace = new PollingPace(spinNanos, lists::issued);
  }

  /** How often the completion thread looks. */
  PollingPace pace() {
    return pace;
  }

  private boolean tryTake() {
    return !isTaken.get() && isTaken.compareAndSet(false, true);
  }

  private void giveUp() {
    isTaken.set(false);
  }

  // The completion thread.

  /** Binds the device to the completion thread, for good. */
  void bind() {
    try {
      stream.bindToThread();
    } catch (Throwable t) {
      owner.lose("bindToThread", t);
    }
  }

  /**
   * Retires what others settled, then waits for the oldest event in flight, and completes what is
   * over by then; false if there was neither.
   */
  boolean step() {
    pace.begin();
    for (int refused = 0; ; ) {
      if (!tryTake()) {
        pace.awaitHelper(refused++);
        continue;
      }
      boolean helped = isHelped && pace.spins();
      boolean isPolled = false;
      try {
        isHelped = false;
        releases.setQuiet(false);
        retireAll(lists.takeToRetire());
        boolean hasWork = firstRetired != null || !releases.isEmpty();
        Operation<E> first = firstInFlight();
        if (first != null) {
          isPolled = first.isPolled();
          hasWork |= completeFrom(first, helped, isPolled);
        }
        flush();
        if (hasWork || first == null) {
          return hasWork;
        }
      } finally {
        giveUp();
      }
      refused = 0;
      pace.pause(helped, isPolled);
    }
  }

  /**
   * Completes what is over; waits for the first, if it is time to sleep. A thread that sleeps in
   * the native runtime makes the event slower for everybody who asks for it (by 1 to 5 us on an
   * H200), so while a host thread polls the first, this one only looks from time to time. Returns
   * whether any was over.
   */
  private boolean completeFrom(Operation<E> first, boolean isHelped, boolean isPolled) {
    boolean isIdle = !isHelped && pace.isIdle();
    boolean looks = pace.takeHurry() || isIdle || !(isHelped || isPolled);
    Fate fate = fate(first, looks);
    if (fate == Fate.OPEN && isIdle && !isPolled) {
      fate = await(first);
    }
    int count = 0;
    for (Operation<E> operation = first; fate != Fate.OPEN; ) {
      leave(operation);
      end(operation, fate);
      operation = inFlight;
      if (operation == null || ++count == BATCH) {
        return true;
      }
      fate = fate(operation, !operation.isPolled());
    }
    return count > 0;
  }

  private @Nullable Operation<E> firstInFlight() {
    if (inFlight == null) {
      inFlight = lists.takeInFlight();
    }
    return inFlight;
  }

  /** The first in flight has left the stream. */
  private void leave(Operation<E> operation) {
    inFlight = operation.nextInFlight;
    operation.nextInFlight = null;
    left++;
    weightLeft += lists.weightInFlight(operation);
  }

  private void end(Operation<E> operation, Fate fate) {
    if (fate == Fate.OVER) {
      complete(operation);
    } else {
      Settling.fail(operation, Objects.requireNonNull(owner.lost()));
      dropEvent(operation); // no event is touched once the stream is closed
      lists.keep(operation);
    }
  }

  /** Releases what retired operations held, and gives them back. */
  private void flush() {
    releases.flush();
    giveBack();
  }

  /** Gives back what has retired; some of what that held may still be in {@link #releases}. */
  private void giveBack() {
    Operation<E> next = firstRetired;
    if (left == 0 && next == null) {
      return;
    }
    firstRetired = null;
    lists.over(left, weightLeft, next);
    left = 0;
    weightLeft = 0;
    while (next != null) {
      Operation<E> operation = next;
      next = operation.nextToRetire;
      operation.nextToRetire = null;
      operation.release();
    }
  }

  /** What is known of an operation's native work. */
  private enum Fate {
    /** It is not over. */
    OPEN,
    /** It is over. */
    OVER,
    /** It will never be known when it is over. */
    UNKNOWN
  }

  /** What is known already, or by a look at the event. */
  private Fate fate(Operation<E> operation, boolean looks) {
    PooledEvent<E> event = operation.event();
    if (event == null || operation.hasSucceeded()) {
      return Fate.OVER;
    }
    // Also if the device is lost: a call that failed has made it so, and the native runtime may not
    // agree. The operation has failed then, but until its event has fired, or cannot be waited for
    // either, the stream may still use what retiring would release.
    try {
      return looks && stream.queryEvent(event.handle) ? Fate.OVER : Fate.OPEN;
    } catch (Throwable t) {
      return fateBehindFailure(operation, "queryEvent", t);
    }
  }

  /** Waits for the event of an operation that was open; never OPEN. */
  private Fate await(Operation<E> operation) {
    try {
      stream.synchronizeEvent(Objects.requireNonNull(operation.event()).handle);
      return Fate.OVER;
    } catch (Throwable t) {
      return fateBehindFailure(operation, "synchronizeEvent", t);
    }
  }

  private Fate fateBehindFailure(Operation<E> operation, String call, Throwable thrown) {
    // What this stream ran last is what has most likely lost the device.
    owner.lose(operation.behind(call), thrown);
    // If the native runtime says so itself nothing runs any more.
    return Failures.isLoss(thrown) ? Fate.OVER : Fate.UNKNOWN;
  }

  // Helpers.

  /**
   * Completes what is over, unless somebody is at it; the device is bound. Never throws. What it
   * leaves to the completion thread that is told to do at once.
   */
  void help() {
    if (owner.lost() != null || !tryTake()) {
      return;
    }
    Runnable after = null; // what may run what a user wrote; without the role
    try {
      releases.setQuiet(true);
      Operation<E> operation = firstInFlight();
      for (int i = 0; i < BATCH && operation != null; i++) {
        boolean isOver;
        try {
          isOver = isOver(operation);
        } catch (Throwable t) {
          String call = operation.behind("queryEvent");
          after = () -> owner.loseLater(call, t);
          break;
        }
        if (!isOver) {
          break;
        }
        if (!settleQuietly(operation)) {
          after = pace::hurry;
          break;
        }
        leave(operation);
        if (operation.work.retiresQuietly()) {
          retire(operation);
        } else {
          owner.retireLater(operation); // what the driver wants to do then is not for this thread
        }
        isHelped = true;
        operation = inFlight;
      }
      if (!releases.flushQuietly() && after == null) {
        after = pace::hurry;
      }
      giveBack();
    } catch (Throwable t) { // a bug, as in a step of the completion thread
      after = () -> owner.loseLater("completing", t);
    } finally {
      giveUp();
    }
    if (after != null) {
      after.run();
    }
  }

  private boolean isOver(Operation<E> operation) {
    PooledEvent<E> event = operation.event();
    return operation.hasSucceeded() || (event != null && stream.queryEvent(event.handle));
  }

  private boolean settleQuietly(Operation<E> operation) {
    if (operation.work.tail() != null) {
      return false;
    }
    return operation.hasSucceeded() || (owner.lost() == null && Settling.settleQuietly(operation));
  }

  // Of who has the role.

  /** The native work of the oldest operation in flight is over. */
  private void complete(Operation<E> operation) {
    HalException cause = owner.lost();
    if (cause != null) {
      Settling.fail(operation, cause);
    }
    HostCompletion tail = operation.work.tail();
    if (tail != null && operation.work.signalsAfterTail()) {
      Settling.settleProducers(operation);
      if (operation.foreseeFailure() == null) {
        startTail(operation, tail);
        return;
      }
      tail = null; // something that it depends on failed: it does not run
    }
    Settling.settle(operation);
    if (tail != null && operation.failure() == null) {
      startTail(operation, tail);
    } else {
      retire(operation);
    }
  }

  private void startTail(Operation<E> operation, HostCompletion tail) {
    dropEvent(operation); // nobody waits for it any more, and the tail may take its time
    boolean endsOperation = operation.work.endsWithTail();
    try {
      operation.work.tailThreads().execute(() -> runTail(operation, tail, endsOperation));
    } catch (Throwable t) { // no thread to be had, or the pool is closed: past the close deadline
      tailOver(operation, Failures.of(t));
    }
  }

  /** A tail that throws is a driver's: a host call tells its failure when it ends its operation. */
  private void runTail(Operation<E> operation, HostCompletion tail, boolean endsOperation) {
    HalException failure = null;
    try {
      tail.run();
    } catch (Throwable t) {
      failure =
          Failures.isLoss(t)
              ? owner.lose("the host's part of " + operation.name(), t)
              : Failures.aborted(t);
    }
    if (endsOperation) {
      tailOver(operation, failure);
    }
  }

  /** The host tail of an operation is over; called once per use of the operation, by any thread. */
  void tailOver(Operation<E> operation, @Nullable HalException failure) {
    if (failure != null) {
      operation.failWork(failure);
    }
    Settling.settle(operation);
    owner.retireLater(operation);
  }

  /** Retires what was kept, and what came too late for the thread; the stream is closed. */
  void retireRest() {
    retireAll(lists.takeToRetire());
    retireAll(lists.takeKept());
    flush();
  }

  /** Retires a chain that was taken from a list. */
  private void retireAll(@Nullable Operation<E> first) {
    int count = 0;
    for (Operation<E> next = first; next != null; ) {
      Operation<E> operation = next;
      next = operation.nextToRetire;
      operation.nextToRetire = null;
      retire(operation);
      if (++count % BATCH == 0) {
        flush();
      }
    }
  }

  /** Releases what an operation that has its verdict holds. */
  private void retire(Operation<E> operation) {
    if (!operation.changeState(State.SETTLED, State.RETIRED)
        && !operation.changeState(State.FAILED, State.RETIRED)) {
      LOG.log(Level.ERROR, owner.name() + " " + operation.describe() + " cannot retire");
      return;
    }
    try {
      operation.work.retire(releases);
    } catch (Throwable t) {
      LOG.log(
          Level.ERROR,
          "cannot release what operation " + operation.key + " of " + owner.name() + " used",
          t);
    }
    dropEvent(operation);
    operation.nextToRetire = firstRetired;
    firstRetired = operation;
  }

  /** Lets go of the event of an operation, once it has fired. */
  private void dropEvent(Operation<E> operation) {
    PooledEvent<E> event = operation.event();
    if (event != null) {
      operation.setEvent(null);
      event.release();
    }
  }
}
