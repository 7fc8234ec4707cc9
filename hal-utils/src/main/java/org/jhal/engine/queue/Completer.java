package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Completes operations: waits for the events of a stream, oldest first, and settles and retires the
 * operations behind them. When the event of an operation with a host completion has fired, the
 * completion runs on a thread of a pool, and its end settles the operation. Operations that another
 * thread settled, or that failed before they were issued, are retired here too.
 *
 * <p>For the completion thread, except for {@link #hostCompletionOver}, which any thread may call,
 * and {@link #retireRest}, which is for the time after that thread has ended.
 */
final class Completer<E> {
  private static final System.Logger LOG = System.getLogger(Completer.class.getName());

  /** How many operations are completed at most before their resources are released. */
  private static final int BATCH = 32;

  private final OperationQueue<E> owner;
  private final OpenList<E> open;
  private final IssueLine<E> line;
  private final Retirement<E> retirement;
  private final Outcomes<E> outcomes;
  private final UnsignaledFailures unsignaled;
  private final PollingPace pace;

  // All fields below are used by the completion thread alone.

  // The operations taken from the line whose events have not fired, oldest first.
  private final OperationChain<E> inFlight = new OperationChain<>();

  private final OperationChain<E> toRetire = new OperationChain<>(); // taken from `retirement`

  // Retired operations for the next flush(), and what they held.
  private final OperationChain<E> retired = new OperationChain<>();
  private final Releases releases = new Releases();

  // How many operations have left the stream since the last flush(), and their weights.
  private int left;
  private int weightLeft;

  Completer(
      OperationQueue<E> owner,
      OpenList<E> open,
      IssueLine<E> line,
      Retirement<E> retirement,
      Outcomes<E> outcomes,
      long spinNanos) {
    this.owner = owner;
    this.open = open;
    this.line = line;
    this.retirement = retirement;
    this.outcomes = outcomes;
    this.unsignaled = new UnsignaledFailures(owner.name());
    this.pace = new PollingPace(spinNanos, line::issued);
  }

  /** The pace at which the completion thread polls, for host threads that poll as well. */
  PollingPace pace() {
    return pace;
  }

  /** Binds the device to the completion thread, permanently. */
  void bind() {
    try {
      owner.stream.bindToThread();
    } catch (Throwable t) {
      owner.loss.lose("bindToThread", t);
    }
  }

  /**
   * Retires what other threads settled, then waits for the oldest event in flight and completes
   * every operation whose event has fired. Returns false if there was nothing to do.
   */
  boolean step() {
    pace.begin();
    while (true) {
      retirement.take(toRetire);
      retireTaken();
      boolean hasWork = !retired.isEmpty();
      Operation<E> first = firstInFlight();
      if (first != null) {
        hasWork |= completeFrom(first, first.isPolled);
      }
      flush();
      if (hasWork || first == null) {
        return hasWork;
      }
      pace.pause(first);
    }
  }

  /**
   * Completes the operations whose events have fired. If the completion thread may sleep, and no
   * host thread polls the first operation, it waits for the first event in the native runtime.
   * Returns whether any operation was completed.
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
      operation = inFlight.first();
      if (operation == null || ++count == BATCH) {
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
    Operation<E> ignored = inFlight.poll();
    left++;
    weightLeft += line.weightInFlight(operation);
  }

  /** Ends an operation that has left the stream, or keeps it if its fate is UNKNOWN. */
  private void end(Operation<E> operation, Fate fate) {
    try {
      if (fate == Fate.OVER) {
        complete(operation);
      } else {
        Settling.fail(operation, Objects.requireNonNull(owner.loss.cause()));
        open.keep(operation);
      }
    } catch (Throwable t) { // an error of the engine's own lines, such as a lack of memory
      if (operation.state() != State.DONE) {
        open.keep(operation); // it is in no other list
      }
      throw t;
    }
  }

  /** Releases what the retired operations held, and takes them off the lists. */
  private void flush() {
    releases.flush();
    if (left > 0) {
      line.left(left, weightLeft);
      left = 0;
      weightLeft = 0;
    }
    if (!retired.isEmpty()) {
      open.remove(retired);
      while (retired.poll() != null) {
        continue;
      }
    }
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
    if (event == null || operation.hasSucceeded()) {
      return Fate.OVER;
    }
    // Also on a lost device. A failed call has made it so, and the native runtime may not agree:
    // the stream may still use what retiring would release, until the event fires or turns out to
    // be unusable too.
    try {
      if (!looks || !owner.stream.queryEvent(event.handle)) {
        return Fate.OPEN;
      }
      outcomes.ask(operation, event);
      return Fate.OVER;
    } catch (Throwable t) {
      return fateBehindFailure(operation, "queryEvent", t);
    }
  }

  /**
   * Waits in the native runtime for the event of an operation whose fate is OPEN. Never returns
   * OPEN.
   */
  private Fate await(Operation<E> operation) {
    PooledEvent<E> event = Objects.requireNonNull(operation.event());
    try {
      owner.stream.synchronizeEvent(event.handle);
      outcomes.ask(operation, event);
      return Fate.OVER;
    } catch (Throwable t) {
      return fateBehindFailure(operation, "synchronizeEvent", t);
    }
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
      retire(operation);
    }
  }

  private void startHostCompletion(Operation<E> operation, HostCompletion completion) {
    OpenList.dropEvent(operation); // it has fired, and the host completion may take a long time
    boolean endsOperation = operation.work.endsWithHostCompletion();
    HostCompletionRun<E> run = new HostCompletionRun<>(this, operation, completion, endsOperation);
    try {
      operation.work.hostThreads().execute(run);
    } catch (Throwable t) { // no thread can be started, or the pool was closed at the close timeout
      hostCompletionOver(operation, Failures.of(t));
    }
  }

  /**
   * The host completion of an operation has ended. Called once per use of the operation, by any
   * thread. No other one ends the operation, so an error loses the device (rule E2).
   */
  void hostCompletionOver(Operation<E> operation, @Nullable HalException failure) {
    try {
      if (failure != null) {
        operation.failOwnWork(failure);
      }
      operation.work.endBorrow(); // however it ends: nothing uses the memory now (rule Q2)
      Settling.settle(operation);
    } catch (Throwable t) {
      owner.broken.by = t; // before any call: there may be no stack left for one
      open.keep(operation); // it is in no other list
      throw t;
    }
    owner.retireLater(operation);
  }

  /**
   * Retires what was kept, and what came after the completion thread had ended. The stream is idle.
   * For the thread that closes the queue.
   */
  void retireRest() {
    retirement.take(toRetire);
    retireTaken();
    flush();
    open.keepHalfIssued();
    for (Operation<E> operation : open.all()) {
      if (operation.isKept) {
        retire(operation);
      }
    }
    flush();
  }

  /** Retires an operation that comes after the last {@link #retireRest}. On any thread. */
  void retireAfterClose(Operation<E> operation) {
    if (letGo(operation, RefCounted::release)) {
      operation.setEvent(null); // the event has gone with the stream
      OperationChain<E> one = new OperationChain<>();
      one.add(operation);
      open.remove(one);
    }
  }

  /** Retires the operations that were taken for that. */
  private void retireTaken() {
    int count = 0;
    for (Operation<E> next = toRetire.poll(); next != null; next = toRetire.poll()) {
      retire(next);
      if (++count % BATCH == 0) {
        flush();
      }
    }
  }

  /** Retires an operation that has its outcome; {@link #flush} takes it off the lists. */
  private void retire(Operation<E> operation) {
    if (letGo(operation, releases)) {
      OpenList.dropEvent(operation);
      retired.add(operation);
    }
  }

  /**
   * Makes an operation that has its outcome DONE, unless it is so since it was never issued, and
   * drops what it holds, except for its event. Returns false if it cannot retire.
   */
  private boolean letGo(Operation<E> operation, Consumer<RefCounted> release) {
    operation.isToRetire = true; // before it is DONE: see OperationFailures.endIfUnissued()
    if (!operation.hasOutcome()
        || (operation.state() != State.DONE && !operation.changeState(State.ISSUED, State.DONE))) {
      Failures.log(
          LOG,
          Level.ERROR,
          owner.name() + " " + operation.name() + " cannot retire: it is " + operation.state(),
          null);
      return false;
    }
    try {
      HalException failure = operation.failure();
      if (failure != null) { // otherwise it has let go of them with its outcome
        operation.releaseProducers();
      }
      // The loss or the close of the device is reported elsewhere.
      if (failure != null && owner.loss.cause() == null && !owner.isClosing()) {
        unsignaled.log(operation, failure);
      }
      operation.work.retire(release);
    } catch (Throwable t) {
      Failures.log(
          LOG,
          Level.ERROR,
          "cannot release what operation " + operation.key + " of " + owner.name() + " used",
          t);
    }
    return true;
  }
}
