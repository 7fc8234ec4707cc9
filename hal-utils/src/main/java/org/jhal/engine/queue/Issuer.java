// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.UncoveredWorkException;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ReadyQueue;
import org.jspecify.annotations.Nullable;

/**
 * Issues READY operations to the native stream in the order of their numbers. {@link #issue} is the
 * only place where a completion event is recorded.
 *
 * <p>One thread at a time has the drainer's role, which {@link IssueLine} grants together with the
 * first operation.
 *
 * <p>Thread-safe.
 */
final class Issuer<E> {
  /** How long a busy stream is given more before it is flushed, though nobody waits for it. */
  private static final long GATHER_NANOS = 50_000;

  /** The time between two looks for more. */
  private static final long LOOK_NANOS = 200;

  private final DeferredWorkQueue<E> owner;
  private final IssueLine<E> line;
  private final OpenList<E> open;
  private final EventPool<E> events;
  private final StreamSteps<E> steps;
  private final Batch<E> batch = new Batch<>(); // of the operation that is being issued

  private final boolean gathers; // the stream

  // Operations that it may have kept back. For the drainer.
  private final List<Operation<E>> kept = new ArrayList<>();
  private long keptSince; // when the first one was issued
  private volatile boolean isLeft; // a drainer has left some, and not flushed the stream

  Issuer(DeferredWorkQueue<E> owner, IssueLine<E> line, OpenList<E> open, EventPool<E> events) {
    this.owner = owner;
    this.line = line;
    this.open = open;
    this.events = events;
    this.steps = new StreamSteps<>(owner.stream);
    this.gathers = owner.stream.gathers();
  }

  /**
   * Issues up to {@code budget} READY operations, unless another thread is issuing. Leaves the
   * rest, and anything that may block, to the issue thread. For all other threads.
   */
  void drain(int budget) {
    Operation<E> first = line.startIssuing(false);
    if (first != null || (isLeft && line.takeRole())) {
      issueFrom(first, false, budget, false);
    }
  }

  /**
   * Issues all READY operations, and flushes the stream, unless another thread is issuing. For the
   * issue thread.
   */
  void drainAll() {
    Operation<E> first = line.startIssuing(true);
    if (first != null) {
      issueFrom(first, false, Integer.MAX_VALUE, true);
    }
    flushLeft();
  }

  /** Whether the stream is still to be flushed. */
  boolean isLeft() {
    return isLeft;
  }

  /** Flushes the stream if that was left to another thread. For the issue thread. */
  void flushLeft() {
    if (isLeft && line.takeRole()) {
      issueFrom(null, false, Integer.MAX_VALUE, true);
    }
  }

  /**
   * Issues {@code first}, which is already ISSUED and came with the drainer's role, and goes on
   * like {@link #drain}.
   */
  void drainFrom(Operation<E> first, int budget) {
    issueFrom(first, true, budget, false);
  }

  /** Likewise, for a thread that waits for an operation and issues none. */
  void flushNow() {
    if (isLeft && line.takeRole()) {
      issueFrom(null, false, 0, false);
    }
  }

  private void issueFrom(
      @Nullable Operation<E> first, boolean isClaimed, int budget, boolean mayBlock) {
    // On a lost device nothing is bound and nothing reaches the stream. The operations still have
    // to leave the heap.
    boolean isBound = false;
    long token = 0;
    if (owner.loss.cause() == null) {
      try {
        token = owner.stream.bindToThread();
        isBound = true;
      } catch (RuntimeException | LinkageError e) {
        owner.loss.loseLater("bindToThread", e);
      }
    }
    try {
      issueBound(first, isClaimed, budget, mayBlock);
    } finally {
      if (isBound) {
        unbind(token);
      }
    }
  }

  /**
   * Issues until the budget is used up or nothing is left that this thread may issue, flushes the
   * stream, and gives up the role.
   *
   * @param first null if nothing is ready
   */
  private void issueBound(
      @Nullable Operation<E> first, boolean isClaimed, int budget, boolean mayBlock) {
    int left = budget;
    Operation<E> operation = first != null ? first : endRun(budget > 0, mayBlock);
    boolean isOurs = operation != null && (isClaimed || claim(operation));
    while (operation != null) {
      boolean isInFlight = isOurs && issue(operation);
      if (isInFlight && gathers) {
        keep(operation);
      }
      boolean mayGoOn = --left > 0;
      Operation<E> last = isInFlight ? operation : null;
      operation =
          gathers ? line.nextInRole(last, mayGoOn, mayBlock) : line.next(last, mayGoOn, mayBlock);
      if (isInFlight) {
        owner.completeLater();
      }
      if (operation == null && gathers) {
        operation = endRun(mayGoOn, mayBlock);
      }
      isOurs = operation != null && claim(operation);
    }
  }

  private void keep(Operation<E> operation) {
    if (kept.isEmpty()) {
      keptSince = System.nanoTime();
    }
    kept.add(operation);
  }

  /**
   * Flushes the stream when nothing is ready any more, and gives up the role unless another
   * operation has become ready; that is returned. Leaves the stream as it is where this thread
   * first has to notify waiters, of which some may be operations of this queue, or while the issue
   * thread may gather more.
   */
  private @Nullable Operation<E> endRun(boolean mayGoOn, boolean mayBlock) {
    Cascade cascade = Cascade.current();
    if (mayGoOn && !kept.isEmpty() && cascade.notifiesFirst()) {
      isLeft = true;
      Operation<E> more = line.next(null, true, mayBlock);
      if (more == null) {
        cascade.addReady(owner); // which comes back here
      }
      return more;
    }
    if (mayGather()) {
      if (!mayBlock) {
        isLeft = true;
        Operation<E> unused = line.next(null, false, false);
        owner.issueLater(); // behind it: the issue thread needs the role
        return null;
      }
      Operation<E> more = gather();
      if (more != null) {
        return more;
      }
    }
    flush();
    return line.next(null, mayGoOn, mayBlock);
  }

  /** Whether the stream may keep back what it has for a moment. */
  private boolean mayGather() {
    return !kept.isEmpty()
        && owner.loss.cause() == null
        && !owner.wish.covers(kept.get(0).place)
        && owner.stream.isBusy();
  }

  /** Waits for a moment for another operation; null if the stream is to be flushed first. */
  private @Nullable Operation<E> gather() {
    while (System.nanoTime() - keptSince < GATHER_NANOS && mayGather()) {
      Operation<E> more = line.nextInRole(null, true, true);
      if (more != null) {
        return more;
      }
      long start = System.nanoTime();
      while (System.nanoTime() - start < LOOK_NANOS) {
        Thread.onSpinWait();
      }
    }
    return null;
  }

  private void flush() {
    isLeft = false;
    try {
      owner.stream.flush();
    } catch (RuntimeException | LinkageError e) {
      // Before their events can fire. That the stream is past them still has to be seen.
      for (Operation<E> operation : kept) {
        fail(operation, e);
        operation.want();
      }
      flushBehind(e);
    }
    kept.clear();
  }

  private void flushBehind(Throwable failure) {
    try {
      owner.stream.flush();
    } catch (RuntimeException | LinkageError e) {
      owner.loss.loseLater("flush", Failures.first(failure));
    }
  }

  /** Claims an operation that was in the heap. Returns false if it failed while it was there. */
  private boolean claim(Operation<E> operation) {
    return operation.changeState(State.READY, State.ISSUED);
  }

  private void unbind(long token) {
    try {
      owner.stream.unbindFromThread(token);
    } catch (RuntimeException | LinkageError e) {
      owner.loss.loseLater("unbindFromThread", e);
    }
  }

  /**
   * Issues one operation: submits a batch of its waits, its work and its event, and publishes the
   * operation on the semaphores that it signals.
   *
   * <p>Called by the drainer with the device bound. The operation cannot retire before it is in
   * flight or has failed. An error does not count as a failure of the driver, unless the driver is
   * not linked, and escapes; see {@link ReadyQueue#brokenBy}.
   *
   * @return true if the event is recorded and the caller must put the operation in flight; false if
   *     it has failed, and may already have retired
   */
  private boolean issue(Operation<E> operation) {
    PooledEvent<E> event;
    try {
      operation.endCoveredWaits();
      HalException cause = owner.loss.cause();
      if (cause != null) {
        throw cause;
      }
      OperationReport.issue(operation);
      event = events.acquire();
    } catch (RuntimeException | LinkageError e) { // one of a driver must not stop the drainer
      fail(operation, e);
      failLater(operation);
      return false;
    }
    Reach reach = Reach.UNKNOWN;
    try {
      reach = submit(operation, event.handle);
    } finally { // also of an error, behind which no thread takes the event from the pool
      batch.clear();
      if (reach != Reach.COVERED) {
        event.release();
      }
    }
    if (reach == Reach.COVERED) {
      publish(operation, event);
      return true;
    }
    if (reach == Reach.UNKNOWN) {
      open.keep(operation); // the work may go on until the stream is idle
    } else if (reach == Reach.NOTHING || !putBack(operation)) {
      failLater(operation);
    }
    return false;
  }

  /** Leaves it to the issue thread to fail an operation that holds nothing in use. */
  private void failLater(Operation<E> operation) {
    line.addFailed(operation);
    owner.issueLater();
  }

  /** What of an operation has reached the stream. */
  private enum Reach {
    /** Nothing that goes on, and the operation has failed. */
    NOTHING,
    /** Nothing but waits; the operation is to be issued again. */
    PUT_BACK,
    /** Its event covers whatever has. */
    COVERED,
    /** Unknown, and the device is lost. */
    UNKNOWN
  }

  private Reach submit(Operation<E> operation, E event) {
    boolean waitsAcross = false;
    boolean isBehindOpen = false;
    try {
      boolean mayBlock = operation.mayBlock();
      boolean wasPutBack = operation.isPutBack();
      batch.setEvent(event);
      waitsAcross = addWaits(operation);
      if (operation.mayBlock() == mayBlock && operation.workFailure() == null) {
        fail(operation, operation.work.issue(owner.stream, batch, operation));
        if (operation.mayBlock() == mayBlock && operation.isPutBack() == wasPutBack) {
          return Reach.COVERED;
        }
      }
      if (operation.workFailure() == null) {
        if (batch.mayHaveReached()) {
          operation.waitInStream();
        }
        return Reach.PUT_BACK;
      }
    } catch (RuntimeException | LinkageError e) { // as above
      if (batch.mayHaveReached()) {
        return lose(operation, e);
      }
      fail(operation, e);
      isBehindOpen = Settling.hasOpenProducer(operation);
    }
    if (!waitsAcross && !batch.hasWaits() && !isBehindOpen) {
      return Reach.NOTHING;
    }
    // Its event follows those of its producers, as if the host had waited for them: it does not
    // fail a timeline whose earlier values they are to raise. And what is issued later is behind
    // the waits, which may be for a device that is gone (rule S9a).
    try {
      fail(operation, batch.submitWithoutWork(owner.stream));
      return Reach.COVERED;
    } catch (RuntimeException | LinkageError e) { // as above
      return lose(operation, e);
    }
  }

  /** Records why the work has failed; null if it has not. */
  private void fail(Operation<E> operation, @Nullable Throwable thrown) {
    if (thrown != null) {
      HalException failure = Failures.of(thrown);
      operation.failOwnWork(
          failure.status() == Status.UNAVAILABLE ? lossBy(operation, thrown) : failure);
    }
  }

  /** Loses the device, since no event covers what the operation has put into the stream. */
  private Reach lose(Operation<E> operation, Throwable thrown) {
    String call = thrown instanceof UncoveredWorkException e ? e.call() : "submit";
    Throwable first = Failures.first(thrown);
    boolean hasEnded = Failures.isLoss(first); // as the runtime itself says
    operation.failWork(owner.loss.loseLater(call + " for " + operation.name(), first));
    return hasEnded ? Reach.NOTHING : Reach.UNKNOWN;
  }

  private void publish(Operation<E> operation, PooledEvent<E> event) {
    operation.setEvent(event);
    HostCompletion completion = operation.work.hostCompletion();
    // What no timeline says that it is waited for, and what is recorded with the time of its end.
    if ((completion != null && !completion.isBrief())
        || operation.work.hasBorrow()
        || operation.workFailure() != null
        || operation.span != null) {
      operation.want();
    }
    if (operation.workFailure() != null) {
      return;
    }
    Object domain = owner.eventDomain;
    if (completion != null && operation.work.signalsAfterHostCompletion()) {
      if (!completion.isBrief() || !operation.work.endsWithHostCompletion()) {
        return;
      }
      operation.brief = new BriefRun(completion);
      domain = null; // its event covers the value for no device
    }
    // Between two calls of publish() a host thread may find the operation on the first semaphore,
    // see its event fire, and settle it. The other values are then reached, and publish() does
    // nothing for them. Waiters are notified at the end, so one for several values learns of all.
    Cascade cascade = Cascade.current();
    Executor before = cascade.leaveCallbacksTo(owner.aside); // this thread has the drainer's role
    try {
      for (int i = 0; i < operation.signalCount(); i++) {
        operation.signal(i).publish(operation, operation.signalValue(i), domain, cascade);
      }
    } finally {
      try {
        cascade.run();
      } finally {
        cascade.leaveCallbacksTo(before);
      }
    }
  }

  /**
   * The failure of an operation whose submission reported a lost device: the loss of a device whose
   * memory it uses, if that turns out to be lost, and otherwise that of its own.
   */
  private HalException lossBy(Operation<E> operation, Throwable thrown) {
    HalException elsewhere = owner.loss.cause() == null ? operation.work.findLossElsewhere() : null;
    return elsewhere != null
        ? elsewhere
        : owner.loss.loseLater("the issue of " + operation.name(), thrown);
  }

  /**
   * Makes an operation that could not be issued READY again. Nothing is left of the attempt but
   * waits in the stream, which are made once more. Returns false if the device was lost meanwhile;
   * then the operation has failed.
   */
  private boolean putBack(Operation<E> operation) {
    if (operation.returnToReady()) {
      // A thread that loses the device from here on finds it READY, and fails it.
      line.putBack(operation);
      return true;
    }
    HalException failure = operation.failure();
    operation.failWork(
        failure != null ? failure : new HalException(Status.INTERNAL, "settled while issued"));
    return false;
  }

  /**
   * Adds the events that cover the operation's waits (rule Q5) to the batch. Those of other devices
   * are submitted at once, since their queues are entered meanwhile. If a producer is known to have
   * failed, this operation fails too, and its work must not be issued. If the stream would have to
   * wait with one of another device, the operation is left to the issue thread.
   *
   * @return whether the stream was made to wait for anything
   */
  private boolean addWaits(Operation<E> operation) {
    // A failure that is known before anything reaches the stream fails the operation at once.
    HalException failure = operation.producerFailure();
    if (failure != null) {
      operation.failWork(failure);
      return false;
    }
    // A failure that shows only from here on does not end the loop. The event of this operation
    // must not fire before those of all producers: a thread that sees it fire settles these, too.
    boolean waitsAcross = false;
    boolean mayBlock = operation.mayBlock();
    for (OperationWait<E> wait : operation.waits()) {
      Operation<?> producer = operation.mayBlock() == mayBlock ? wait.producer() : null;
      if (producer == null) {
        continue;
      }
      if (producer.hasOutcome()) {
        failWith(operation, producer);
      } else if (!producer.queue.isOfDevice(operation.queue)) {
        if (waitAcross(operation, producer)) {
          wait.setInStream();
          waitsAcross = true;
        }
      } else if (!(producer.queue.stream == owner.stream && owner.stream.isInOrder())) {
        addWait(operation, producer);
      }
    }
    return waitsAcross;
  }

  private void addWait(Operation<E> operation, Operation<?> producer) {
    @SuppressWarnings("unchecked") // all queues of a device have one type of events
    Operation<E> own = (Operation<E>) producer;
    PooledEvent<E> event = own.retainEvent();
    if (event != null) {
      batch.addWait(event);
    } else { // it settled after hasOutcome() was read
      failWith(operation, producer);
    }
  }

  private static void failWith(Operation<?> operation, Operation<?> producer) {
    HalException failure = producer.failure();
    if (failure != null) {
      operation.failWork(failure);
    }
  }

  private boolean waitAcross(Operation<E> operation, Operation<?> producer) {
    boolean[] hasWaited = new boolean[1];
    Runnable body = () -> hasWaited[0] = waitForOther(operation, producer);
    if (!owner.stream.across(operation.mayBlock(), body)) {
      operation.leaveToIssueThread();
    }
    return hasWaited[0];
  }

  /**
   * Makes the stream wait for an operation of another device, whose queue is entered so that its
   * close does not destroy the event meanwhile. If the call fails because that device is lost, only
   * this operation fails.
   */
  private <F> boolean waitForOther(Operation<E> operation, Operation<F> producer) {
    DeferredWorkQueue<F> other = producer.queue;
    if (!other.gate.tryEnter()) {
      HalException failure =
          producer.hasOutcome() ? producer.failure() : Settling.leftBehind(producer);
      if (failure != null) {
        operation.failWork(failure);
      }
      return false;
    }
    PooledEvent<F> event = null;
    try {
      event = producer.retainEvent();
      if (event == null) { // it settled after hasOutcome() was read
        failWith(operation, producer);
        return false;
      }
      @SuppressWarnings("unchecked") // devices that share events have one type of them
      E handle = (E) event.handle;
      steps.waitEvent(handle);
      if (other.end.hasBegun()) { // behind the wait: either this sees it, or the watch that looks
        owner.waitsForGone = owner.waitsForGone + 1;
      }
      return true;
    } catch (RuntimeException | LinkageError e) {
      other.confirm(producer, false, false); // which shows whether it is lost
      HalException cause = other.lost();
      if (cause == null) {
        throw owner.loss.loseLater("waitEvent for " + operation.name(), e);
      }
      operation.failWork(cause);
      return true; // part of the call may have reached the stream
    } finally {
      try {
        if (event != null) {
          event.release();
        }
      } finally {
        other.gate.leave(); // or the other device's close would wait for ever
      }
    }
  }
}
