package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the events of a stream, oldest first, and settles and retires the operations behind
 * them. An operation with a host completion moves on to the threads for that when its event has
 * fired; the end of the host completion settles it. An operation that another thread settled, or
 * that failed before it was issued, is retired here too: data flows one way.
 *
 * <p>For the completion thread, but for {@link #hostCompletionOver}, which any thread may call, and
 * {@link #retireRest}, which is for the time after that thread.
 */
final class Completer<E> {
  private static final System.Logger LOG = System.getLogger(Completer.class.getName());

  /** How many operations are completed at most before what they held is released. */
  private static final int BATCH = 32;

  private final StreamOwner<E> owner;
  private final QueueLoss loss;
  private final QueueLists<E> lists;
  private final NativeStream<E> stream;
  private final PollingPace pace;

  private @Nullable Operation<E> inFlight; // taken from the lists, the oldest first
  private @Nullable Operation<E> firstRetired; // not given back yet; chained by nextToRetire
  private final Releases releases = new Releases(); // what those held
  private int left; // how many have left the stream, and the lists do not know yet
  private int weightLeft; // of those

  Completer(
      StreamOwner<E> owner,
      QueueLoss loss,
      QueueLists<E> lists,
      NativeStream<E> stream,
      long spinNanos) {
    this.owner = owner;
    this.loss = loss;
    this.lists = lists;
    this.stream = stream;
    this.pace = new PollingPace(spinNanos, lists::issued);
  }

  /** How often the completion thread looks. */
  PollingPace pace() {
    return pace;
  }

  /** Binds the device to the completion thread, for good. */
  void bind() {
    try {
      stream.bindToThread();
    } catch (Throwable t) {
      loss.lose("bindToThread", t);
    }
  }

  /**
   * Retires what others settled, then waits for the oldest event in flight, and completes what is
   * over by then; false if there was neither.
   */
  boolean step() {
    pace.begin();
    while (true) {
      retireAll(lists.takeToRetire());
      boolean hasWork = firstRetired != null;
      Operation<E> first = firstInFlight();
      if (first != null) {
        hasWork |= completeFrom(first, first.isPolled());
      }
      flush();
      if (hasWork || first == null) {
        return hasWork;
      }
      pace.pause(first);
    }
  }

  /**
   * Completes what is over; waits for the first in the native runtime if it is time to sleep, and
   * no host thread polls it. Returns whether any was over.
   */
  private boolean completeFrom(Operation<E> first, boolean isPolled) {
    boolean isIdle = pace.isIdle();
    Fate fate = fate(first, isIdle || !isPolled);
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
      Settling.fail(operation, Objects.requireNonNull(loss.cause()));
      dropEvent(operation); // no event is touched once the stream is closed
      lists.keep(operation);
    }
  }

  /** Releases what retired operations held, and gives them back. */
  private void flush() {
    releases.flush();
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
    loss.lose(operation.behind(call), thrown);
    // If the native runtime says so itself nothing runs any more.
    return Failures.isLoss(thrown) ? Fate.OVER : Fate.UNKNOWN;
  }

  /** The native work of the oldest operation in flight is over. */
  private void complete(Operation<E> operation) {
    HalException cause = loss.cause();
    if (cause != null) {
      Settling.fail(operation, cause);
    }
    HostCompletion completion = operation.work.hostCompletion();
    if (completion != null && operation.work.signalsAfterHostCompletion()) {
      Settling.settleProducers(operation);
      if (operation.foreseeFailure() == null) {
        startHostCompletion(operation, completion);
        return;
      }
      completion = null; // something that it depends on failed: it does not run
    }
    Settling.settle(operation);
    if (completion != null && operation.failure() == null) {
      startHostCompletion(operation, completion);
    } else {
      retire(operation);
    }
  }

  private void startHostCompletion(Operation<E> operation, HostCompletion completion) {
    dropEvent(operation); // it has fired, and the host completion may take long
    boolean endsOperation = operation.work.endsWithHostCompletion();
    try {
      operation
          .work
          .hostThreads()
          .execute(() -> runHostCompletion(operation, completion, endsOperation));
    } catch (Throwable t) { // no thread to be had, or the pool is closed: past the close deadline
      hostCompletionOver(operation, Failures.of(t));
    }
  }

  /**
   * What a driver left to the host may throw. A host call does not: it ends its operation itself.
   */
  private void runHostCompletion(
      Operation<E> operation, HostCompletion completion, boolean endsOperation) {
    HalException failure = null;
    try {
      completion.run();
    } catch (Throwable t) {
      failure =
          Failures.isLoss(t)
              ? loss.lose("the host's part of " + operation.name(), t)
              : Failures.aborted(t);
    }
    if (endsOperation) {
      hostCompletionOver(operation, failure);
    }
  }

  /**
   * The host completion of an operation is over; called once per use of the operation, by any
   * thread.
   */
  void hostCompletionOver(Operation<E> operation, @Nullable HalException failure) {
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
