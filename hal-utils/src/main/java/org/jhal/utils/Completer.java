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

  private final StreamOwner<E> owner;
  private final QueueLists<E> lists;
  private final NativeStream<E> stream;
  private final Executor tails;
  private final long spinNanos;
  private long pauseNanos = MIN_PAUSE_NANOS; // between two looks at an event
  private final AtomicInteger pollers = new AtomicInteger(); // host threads that look at an event

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
   * Retires what others settled, then waits for the oldest event in flight; false if there was
   * neither.
   */
  boolean step() {
    Operation<E> toRetire = lists.takeToRetire();
    Operation<E> oldest = lists.oldestInFlight();
    boolean hasWork = toRetire != null || oldest != null;
    retireAll(toRetire);
    if (oldest != null) {
      boolean isOver = awaitEvent(oldest);
      if (lists.removeOldest(oldest)) {
        owner.issueLater();
      }
      if (isOver) {
        complete(oldest);
      } else {
        Settling.fail(oldest, Objects.requireNonNull(owner.lost()));
        dropEvent(oldest); // no event is touched once the stream is closed
        lists.keep(oldest);
      }
    }
    return hasWork;
  }

  /** False if it will never be known when the native work of an operation is over. */
  private boolean awaitEvent(Operation<E> operation) {
    PooledEvent<E> event = operation.event();
    if (event == null) {
      return true;
    }
    // Also if the device is lost: a call that failed has made it so, and the native runtime may not
    // agree. The operation has failed then, but until its event has fired, or cannot be waited for
    // either, the stream may still use what retiring would release.
    try {
      if (!poll(operation, event.handle)) {
        stream.synchronizeEvent(event.handle);
      }
      return true;
    } catch (Throwable t) {
      // What this stream ran last is what has most likely lost the device.
      owner.lose(operation.behind("synchronizeEvent"), t);
      return Failures.isLoss(t); // the native runtime says so itself: nothing runs any more
    }
  }

  /**
   * Looks at the event for a while, unless a host thread does so. A look takes a lock in the native
   * runtime that whoever issues needs too, and so does waking from a sleep: while more is being
   * issued this goes on, and looks less often.
   */
  private boolean poll(Operation<E> operation, E event) {
    long issuedBefore = lists.issued();
    long idleSince = System.nanoTime();
    long nextLook = idleSince;
    for (long now = idleSince; now - idleSince < spinNanos; now = System.nanoTime()) {
      if (operation.hasSucceeded()) {
        return true; // a host thread has seen it
      }
      if (now - nextLook >= 0 && pollers.get() == 0) {
        if (stream.queryEvent(event)) {
          return true;
        }
        long issued = lists.issued();
        if (issued == issuedBefore) {
          pauseNanos = MIN_PAUSE_NANOS;
        } else {
          pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
          issuedBefore = issued;
          idleSince = now;
        }
        nextLook = System.nanoTime() + pauseNanos;
      }
      Thread.onSpinWait();
    }
    return operation.hasSucceeded();
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
      operation.work.retire();
    } catch (Throwable t) {
      LOG.log(
          Level.ERROR,
          "cannot release what operation " + operation.key + " of " + owner.name() + " used",
          t);
    }
    dropEvent(operation);
    lists.removeRetired(operation);
    operation.release();
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
