// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.Objects;
import org.jhal.HalException;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Completes operations: waits for the events of a stream, oldest first, and settles and retires the
 * operations behind them. When the event of an operation with a host completion has fired, the
 * completion runs on a thread of a pool, or here if it is brief, and its end settles the operation.
 *
 * <p>For the completion thread, except for {@link #retireRest} and {@link #isAsleep}.
 */
final class Completer<E> {
  /** How many operations are completed at most before their resources are released. */
  private static final int BATCH = 32;

  private final DeferredWorkQueue<E> owner;
  private final OpenList<E> open;
  private final IssueLine<E> line;
  private final StreamQueries<E> queries;
  private final Retiring<E> retiring;
  private final Retirer<E> retirer;
  private final PollingPace pace;

  /** Whether this thread may be asleep in the native runtime. Read by any thread. */
  private volatile boolean isAsleep;

  // All fields below are used by the completion thread alone.

  // The operations taken from the line whose events have not fired, oldest first.
  private final OperationChain<E> inFlight = new OperationChain<>();

  // One that has left the stream, and is being ended; it is in no list. Or, on a lost device, the
  // oldest in flight while its event is queried.
  private @Nullable Operation<E> ending;

  // The stream is past all operations up to the one at this place in the order of issue.
  private long past;

  // The last look ended before it came to an operation that is not over.
  private boolean goesOn;

  // How many operations have left the stream since the last flush(), and their weights.
  private int left;
  private int weightLeft;

  Completer(
      DeferredWorkQueue<E> owner,
      OpenList<E> open,
      IssueLine<E> line,
      StreamQueries<E> queries,
      Retiring<E> retiring,
      PollingPace pace) {
    this.owner = owner;
    this.open = open;
    this.line = line;
    this.queries = queries;
    this.retiring = retiring;
    this.retirer = new Retirer<>(retiring, open);
    this.pace = pace;
  }

  /**
   * Whether the completion thread may be asleep in the native runtime, and would not see what is to
   * retire until the work in its stream goes on. For a thread that has added something before.
   */
  boolean isAsleep() {
    return isAsleep;
  }

  /** Binds the device to the completion thread, permanently. */
  void bind() {
    try {
      owner.stream.bindToThread();
    } catch (RuntimeException | LinkageError e) {
      owner.loss.lose("bindToThread", e);
    }
  }

  /**
   * Retires what other threads settled, then waits for the oldest event in flight and completes
   * every operation whose event has fired. Returns false if there was nothing to do.
   */
  boolean step() {
    keepHalfEnded();
    pace.begin(inFlight.isEmpty());
    while (true) {
      boolean hasWork = retirer.retireSettled();
      Operation<E> first = firstInFlight();
      if (first != null && (goesOn || !pace.isQuiet(first))) {
        hasWork |= completeFrom(first, first.isPolled, !hasWork);
        ending = null;
        if (!hasWork) {
          pace.looked();
        }
      }
      flush();
      if (hasWork || first == null) {
        return hasWork;
      }
      pace.pause(first);
    }
  }

  /**
   * Keeps the operation whose end was interrupted by an error in the previous step. If the query of
   * its event was, although the device had been lost by then, queries fail for good: everything in
   * flight is kept.
   */
  private void keepHalfEnded() {
    while (ending != null) {
      Operation<E> half = ending;
      boolean isInFlight = half == inFlight.first();
      if (isInFlight) {
        leave(half);
      }
      if (half.state() != State.DONE) {
        open.keep(half);
      }
      ending = isInFlight ? firstInFlight() : null;
    }
  }

  /**
   * Completes the operations whose events have fired. If the completion thread may sleep, and no
   * host thread polls the first operation, it waits for the first event in the native runtime.
   * Returns whether any operation was completed.
   *
   * @param mayAwait false if it has something to release first
   */
  private boolean completeFrom(Operation<E> first, boolean isPolled, boolean mayAwait) {
    boolean isIdle = pace.isIdle();
    boolean isSeldom = !isIdle && !isPolled && !pace.isWanted(first);
    Fate fate = isSeldom ? fateOfAll(first) : Fate.OPEN;
    if (fate == Fate.OPEN) {
      fate = fate(first, isIdle || !isPolled);
    }
    if (fate == Fate.OPEN && !isPolled && first.brief != null) {
      first.brief.advance();
    }
    if (fate == Fate.OPEN && isIdle && !isPolled && mayAwait) {
      fate = await(first);
    }
    goesOn = false;
    int count = 0;
    for (Operation<E> operation = first; fate != Fate.OPEN; ) {
      ending = operation;
      leave(operation);
      if (fate == Fate.OVER) {
        complete(operation);
      } else {
        Settling.fail(operation, Objects.requireNonNull(owner.loss.cause()));
        open.keep(operation);
      }
      ending = null;
      operation = inFlight.first();
      if (operation == null || ++count == BATCH) {
        goesOn = operation != null;
        return true;
      }
      fate = fate(operation, !operation.isPolled);
    }
    return count > 0;
  }

  private @Nullable Operation<E> firstInFlight() {
    if (inFlight.isEmpty()) {
      line.takeInFlight(inFlight);
    }
    return inFlight.first();
  }

  /** Removes the oldest operation in flight, which has left the stream. */
  private void leave(Operation<E> operation) {
    inFlight.poll();
    left++;
    weightLeft += line.weightInFlight(operation);
  }

  /** Releases what the retired operations held, and takes them off the lists. */
  private void flush() {
    retirer.release();
    if (left > 0) {
      line.left(left, weightLeft);
      left = 0;
      weightLeft = 0;
    }
    retirer.remove();
  }

  /** For the thread that closes the queue, once the completion thread has ended. */
  void retireRest() {
    keepHalfEnded();
    retirer.retireSettled();
    flush();
    retirer.retireKept();
  }

  /** What is known about an operation's native work. */
  private enum Fate {
    /** It has not finished. */
    OPEN,
    /** It has finished. */
    OVER,
    /** There is no way to find out when it finishes. */
    UNKNOWN
  }

  /** The fate of an operation; queries its event only if {@code looks}. */
  private Fate fate(Operation<E> operation, boolean looks) {
    PooledEvent<E> event = operation.event();
    if (event == null || operation.place <= past || operation.hasSucceeded()) {
      return Fate.OVER;
    }
    // An error is one of this thread, so the next step tries again; see keepHalfEnded().
    if (owner.loss.cause() != null) {
      ending = operation;
    }
    // Also on a lost device. A failed call has made it so, and the native runtime may not agree:
    // the stream may still use what retiring would release, until the event fires or turns out to
    // be unusable too.
    try {
      return looks && queries.hasFired(operation, event) ? Fate.OVER : Fate.OPEN;
    } catch (RuntimeException | LinkageError e) {
      return fateBehindFailure(operation, "queryEvent", e);
    }
  }

  /**
   * The fate of {@code first}, and of all that was taken from the line with it, if the stream is
   * past the newest of them: one query then tells about many. When the completion thread looks
   * seldom, that is likely, since it took them at its last look. Otherwise OPEN: each has to be
   * asked about.
   */
  private Fate fateOfAll(Operation<E> first) {
    Operation<E> newest = Objects.requireNonNull(inFlight.last());
    PooledEvent<E> event = newest.event();
    if (newest.place <= Math.max(past, first.place)
        || event == null
        || newest.isPolled // that thread queries it
        || owner.loss.cause() != null
        || !queries.coverEarlier()) {
      return Fate.OPEN;
    }
    try {
      if (!newest.hasSucceeded() && !queries.hasFired(newest, event)) {
        return Fate.OPEN;
      }
    } catch (RuntimeException | LinkageError e) {
      return fateBehindFailure(first, "queryEvent", e);
    }
    past = newest.place;
    return Fate.OVER;
  }

  /**
   * Waits in the native runtime for the event of an operation whose fate is OPEN. It stays OPEN if
   * there is something to retire meanwhile.
   */
  private Fate await(Operation<E> operation) {
    try {
      // First: who has something retired adds that, and then reads this. So either that thread sees
      // this one asleep and calls the deputy, or this one sees that it must not sleep.
      isAsleep = true;
      if (retiring.hasToRetire()) {
        return Fate.OPEN;
      }
      queries.await(operation, Objects.requireNonNull(operation.event()));
    } catch (RuntimeException | LinkageError e) {
      isAsleep = false;
      return fateBehindFailure(operation, "synchronizeEvent", e);
    } finally {
      isAsleep = false;
    }
    return Fate.OVER;
  }

  private Fate fateBehindFailure(Operation<E> operation, String call, Throwable thrown) {
    // The cause names this operation: the work that ran last has most likely lost the device.
    owner.loss.lose(operation.behind(call), thrown);
    // If the native runtime itself reports the loss, no work runs any more.
    return Failures.isLoss(thrown) ? Fate.OVER : Fate.UNKNOWN;
  }

  /** Completes the oldest operation in flight, whose native work has finished. */
  private void complete(Operation<E> operation) {
    HalException cause = owner.loss.cause();
    if (cause != null) {
      Settling.fail(operation, cause);
    }
    HostCompletion completion = operation.work.hostCompletion();
    BriefRun brief = operation.brief;
    if (brief != null && !brief.claim()) {
      if (brief.leave()) {
        OpenList.dropEvent(operation);
        return; // a host thread still runs it, and has the operation retired behind it
      }
      completion = null; // a host thread has run it
    }
    if (completion != null && operation.work.signalsAfterHostCompletion()) {
      Settling.settleProducers(operation);
      if (Settling.foreseeFailure(operation) == null) {
        startHostCompletion(operation, completion);
        return;
      }
      completion = null; // the operation or a producer has failed, so it does not run
    }
    Settling.settle(operation);
    if (completion != null && operation.failure() == null) {
      startHostCompletion(operation, completion);
    } else {
      retirer.retire(operation);
    }
  }

  private void startHostCompletion(Operation<E> operation, HostCompletion completion) {
    OpenList.dropEvent(operation); // it has fired, and the host completion may take a long time
    HostCompletionRun<E> run = new HostCompletionRun<>(operation, completion);
    if (operation.brief != null) {
      run.run();
      return;
    }
    try {
      operation.work.hostThreads().execute(run);
    } catch (RuntimeException e) { // no thread can be started, or the pool was closed
      owner.hostCompletionOver(operation, Failures.of(e));
    }
  }
}
