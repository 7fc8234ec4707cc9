package org.jhal.utils;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.utils.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the events of a stream, oldest first, and settles and retires the operations behind
 * them. An operation with a host tail moves on to the tail pool when its event has fired; the end
 * of the tail settles it. What others settled, or failed before it was issued, is retired here too:
 * data flows one way.
 *
 * <p>Owned by the completion thread, except {@link #tailOver}, and {@link #retireRest} when that
 * has ended.
 */
final class Completer<E> {
  private static final System.Logger LOG = System.getLogger(Completer.class.getName());

  private static final long MIN_PAUSE_NANOS = 200;
  private static final long MAX_PAUSE_NANOS = 10_000;

  /** Between two looks at whether a host thread that polls has seen the event. */
  private static final long POLLED_PAUSE_NANOS = 2_000;

  /** How many operations are completed at most before what they held is released. */
  private static final int BATCH = 32;

  private final StreamOwner<E> owner;
  private final QueueLists<E> lists;
  private final NativeStream<E> stream;
  private final Executor tails;
  private final long spinNanos;
  private long pauseNanos = MIN_PAUSE_NANOS; // between two looks at an event
  private final AtomicInteger pollers = new AtomicInteger(); // host threads that look at an event
  private boolean hasJustLooked; // at the event of the first in the following list
  private @Nullable Operation<E> inFlight; // taken from the lists, the oldest first
  private @Nullable Operation<E> firstRetired; // not given back yet; chained by nextToRetire
  private final Releases releases = new Releases(); // what those held
  private int left; // how many have left the stream, and the lists do not know yet
  private int weightLeft; // of those

  Completer(
      StreamOwner<E> owner,
      QueueLists<E> lists,
      NativeStream<E> stream,
      Executor tails,
      long spinNanos) {
    this.owner = owner;
    this.lists = lists;
    this.stream = stream;
    this.tails = tails;
    this.spinNanos = spinNanos;
  }

  /** A host thread begins to poll; it will see first what it waits for. */
  void addPoller() {
    pollers.incrementAndGet();
  }

  void removePoller() {
    pollers.decrementAndGet();
  }

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
    retireAll(lists.takeToRetire());
    if (inFlight == null) {
      inFlight = lists.takeInFlight();
    }
    boolean hasWork = firstRetired != null || inFlight != null;
    Operation<E> operation = inFlight;
    for (int i = 0; i < BATCH && operation != null; i++) {
      Fate fate = fate(operation, i == 0);
      if (fate == Fate.OPEN) {
        break;
      }
      inFlight = operation.nextInFlight;
      operation.nextInFlight = null;
      left++;
      weightLeft += lists.weightInFlight(operation);
      if (fate == Fate.OVER) {
        complete(operation);
      } else {
        Settling.fail(operation, Objects.requireNonNull(owner.lost()));
        dropEvent(operation); // no event is touched once the stream is closed
        lists.keep(operation);
      }
      operation = inFlight;
    }
    flush();
    return hasWork;
  }

  /** Releases what retired operations held, and gives them back. */
  private void flush() {
    Operation<E> next = firstRetired;
    if (left == 0 && next == null) {
      return;
    }
    releases.flush();
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

  /** Looks at an operation's event; {@code waits} for it, and then the fate is never OPEN. */
  private Fate fate(Operation<E> operation, boolean waits) {
    PooledEvent<E> event = operation.event();
    if (event == null || operation.hasSucceeded()) {
      return Fate.OVER;
    }
    // Also if the device is lost: a call that failed has made it so, and the native runtime may not
    // agree. The operation has failed then, but until its event has fired, or cannot be waited for
    // either, the stream may still use what retiring would release.
    try {
      if (!waits) {
        boolean looks = pollers.get() == 0;
        boolean hasFired = looks && stream.queryEvent(event.handle);
        hasJustLooked = looks && !hasFired;
        return hasFired ? Fate.OVER : Fate.OPEN;
      }
      if (!poll(operation, event.handle)) {
        stream.synchronizeEvent(event.handle);
      }
      return Fate.OVER;
    } catch (Throwable t) {
      // What this stream ran last is what has most likely lost the device.
      owner.lose(operation.behind("synchronizeEvent"), t);
      // If the native runtime says so itself nothing runs any more.
      return Failures.isLoss(t) ? Fate.OVER : Fate.UNKNOWN;
    }
  }

  /**
   * Looks at the event for a while, unless a host thread does so. A look takes a lock in the native
   * runtime that whoever issues needs too, and so does waking from a sleep: while more is being
   * issued this goes on, and looks less often. Between the looks it stays away from what other
   * threads write, as each read takes that from the thread that writes it next.
   */
  private boolean poll(Operation<E> operation, E event) {
    if (spinNanos == 0) {
      return operation.hasSucceeded();
    }
    boolean looks = !hasJustLooked;
    hasJustLooked = false;
    long issuedBefore = lists.issued();
    long idleSince = System.nanoTime();
    while (true) {
      if (operation.hasSucceeded()) {
        return true; // a host thread has seen it
      }
      long pause = POLLED_PAUSE_NANOS;
      if (pollers.get() == 0) {
        if (looks && stream.queryEvent(event)) {
          return true;
        }
        pause = pauseNanos;
      }
      looks = true;
      long now = System.nanoTime();
      long issued = lists.issued();
      if (issued == issuedBefore) {
        pauseNanos = MIN_PAUSE_NANOS;
        if (now - idleSince >= spinNanos) {
          return false;
        }
      } else {
        pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
        issuedBefore = issued;
        idleSince = now;
      }
      while (System.nanoTime() - now < pause) {
        Thread.onSpinWait();
      }
    }
  }

  /** The native work of the oldest operation in flight is over. */
  private void complete(Operation<E> operation) {
    HalException cause = owner.lost();
    if (cause != null) {
      Settling.fail(operation, cause);
    }
    HostTail tail = operation.work.tail();
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

  private void startTail(Operation<E> operation, HostTail tail) {
    dropEvent(operation); // nobody waits for it any more, and the tail may take its time
    boolean endsOperation = operation.work.endsWithTail();
    try {
      tails.execute(
          () -> {
            HalException failure = null;
            try {
              tail.run();
            } catch (Throwable t) {
              failure = Failures.aborted(t);
            }
            if (endsOperation) {
              tailOver(operation, failure);
            }
          });
    } catch (Throwable t) { // no thread to be had, or the pool is closed: past the close deadline
      tailOver(operation, Failures.of(t));
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
    Operation<E> next = first;
    while (next != null) {
      Operation<E> operation = next;
      next = operation.nextToRetire;
      operation.nextToRetire = null;
      retire(operation);
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
