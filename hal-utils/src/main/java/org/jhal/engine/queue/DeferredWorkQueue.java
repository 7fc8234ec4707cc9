// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.concurrent.WorkerThread;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.QueueOrder;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ReadyQueue;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * Holds operations until their waits are reached or covered by native events, hands them to the
 * native stream, and settles and retires them when they are complete. The package says how.
 *
 * <p>Contract: rules Q1 to Q10, K1 to K4.
 *
 * <p>Thread-safe: any thread may enqueue, poll or close.
 *
 * @param <E> the driver's native event
 */
public final class DeferredWorkQueue<E> extends ReadyQueue {
  private static final System.Logger LOG = System.getLogger(DeferredWorkQueue.class.getName());

  /**
   * How often the issue thread looks at {@link #brokenBy} without being woken: who sets that does
   * nothing else.
   */
  private static final long LOOK_NANOS = 1_000_000_000;

  /**
   * Threads that enqueue, issue, or look at the queue's events are inside, those of other devices
   * too. It is shut before the stream is closed, which waits until all have left.
   */
  final Gate gate = new Gate();

  final QueueLoss loss;
  final DeviceEnd end; // since when its device is gone
  final Object eventDomain; // the token of the devices whose events its stream can wait for
  final NativeStream<E> stream;
  final Executor aside; // for callbacks that another thread must not run
  final long spinNanos; // how long a host thread should poll an event before it parks
  final QueueOrder order; // for the record of hazards
  private final String name;
  private final long number;

  /**
   * Why users' operations are refused, and fail unless they were issued, since the queue or its
   * device is being closed; else null. Written by the thread that closes it, read by any thread.
   */
  volatile @Nullable HalException closing;

  volatile boolean isClosedAlone; // and its device is not; written before `closing`

  /**
   * How often the stream was made to wait for an operation of a device that was gone by then; see
   * {@link StreamWatch}. Written by the thread that issues, read by the issue thread.
   */
  volatile int waitsForGone;

  // What is not private, QueueShutdown uses as well.
  final EventPool<E> events;
  final OpenList<E> open = new OpenList<>();
  final IssueLine<E> line;
  final StreamQueries<E> queries;
  final Wish wish = new Wish();
  final PollingPace pace; // the completion thread's
  private final Issuer<E> issuer;
  final Retiring<E> retiring;
  final Completer<E> completer;
  final Deputy<E> deputy; // the completion thread's
  private final EventInquiry<E> inquiry;
  final StreamWatch<E> watch;
  private final Enqueuer<E> enqueuer;
  private final QueueShutdown<E> shutdown;
  final Runnable waker = this::issueLater;
  final WorkerThread issueRole; // tests run its steps on threads of their own
  final WorkerThread completionRole; // likewise

  // Used by the issue thread alone: whether it has propagated a loss, and how far loseBecause() has
  // come.
  private boolean isLossSeen;
  private boolean isLosing;
  private boolean isLossOver;

  /**
   * Creates a queue over {@code stream}. {@link #start()} starts its threads.
   *
   * @param loss receives each native failure that loses the device, and in turn calls {@link #lose}
   *     on every queue of the device
   * @param aside runs what the completion thread cannot do while it sleeps, and callbacks of users
   *     that another thread must not run, one task at a time; throws {@link
   *     java.util.concurrent.RejectedExecutionException} once it is closed
   */
  public DeferredWorkQueue(
      QueueSettings settings, NativeStream<E> stream, DeviceLoss loss, Executor aside) {
    this.aside = aside;
    this.loss = new QueueLoss(settings.name(), loss, this::issueLater);
    this.name = settings.name();
    this.order = new QueueOrder(name);
    this.number = settings.number();
    this.end = settings.end();
    this.eventDomain = settings.eventDomain();
    this.spinNanos = settings.spinNanos();
    this.stream = stream;
    this.events = new EventPool<>(stream);
    this.line = new IssueLine<>(this, settings.maxInFlight(), wish);
    this.issuer = new Issuer<>(this, line, open, events);
    this.queries = new StreamQueries<>(stream, this.loss, settings.outcomesCanFail());
    this.pace =
        new PollingPace(
            settings.completionSpinNanos(),
            settings.quietNanos(),
            wish,
            line::issued,
            line::isIssuing);
    this.retiring = new Retiring<>(this, open);
    this.completer = new Completer<>(this, open, line, queries, retiring, pace);
    this.deputy = new Deputy<>(aside, new Retirer<>(retiring, open));
    this.inquiry = new EventInquiry<>(this, queries, open, pace);
    this.watch = new StreamWatch<>(this, open, inquiry, settings.patience());
    this.enqueuer = new Enqueuer<>(this, open, line, issuer);
    this.shutdown = new QueueShutdown<>(this);
    this.issueRole =
        new WorkerThread(
            name + "-issue",
            nanos -> nanos < settings.issueSpinNanos(),
            LOOK_NANOS,
            () -> {},
            this::issueStep,
            this::crashed);
    this.completionRole =
        new WorkerThread(
            name + "-completion",
            pace::staysAwake,
            Long.MAX_VALUE,
            completer::bind,
            completer::step,
            this::crashed);
  }

  // Who it is.

  /** The queue's name, for messages. */
  public String name() {
    return name;
  }

  /** The number by which recordings name it. */
  public long number() {
    return number;
  }

  /** Why its device is lost, or null. */
  @Nullable HalException lost() {
    return loss.cause();
  }

  /** Whether this and {@code other} are queues of the same device. */
  boolean isOfDevice(DeferredWorkQueue<?> other) {
    return end == other.end;
  }

  /** Starts the issue thread and the completion thread. */
  public void start() {
    DeviceEnd.addWaker(waker);
    issueRole.start();
    completionRole.start();
  }

  /** See {@link Producer#want}. The operation is being issued, or was issued. */
  void want(Operation<E> operation) {
    // One that is published and not in flight yet is the next to be. If that has come about since
    // its place was read, this wants a little more.
    long place = operation.place;
    wish.want(place > 0 ? place : line.issued() + 1);
  }

  /** A host thread inside the gate waits for an operation, which the stream may have kept back. */
  void hurry(Operation<E> operation) {
    if (stream.gathers()) {
      want(operation);
      issuer.flushNow();
    }
  }

  /** See {@link EventInquiry#poll}. */
  boolean poll(Operation<E> operation, long end, BooleanSupplier isOver) {
    return inquiry.poll(operation, end, isOver);
  }

  /** The steps of closing this queue. */
  public QueueShutdown<E> shutdown() {
    return shutdown;
  }

  /** Takes operations from users' threads. */
  public Enqueuer<E> enqueuer() {
    return enqueuer;
  }

  /**
   * A registered wait has ended. Called once for each, by the thread that changed the semaphore,
   * whose cascade then issues what is ready.
   */
  void waitOver(Operation<E> operation, OperationWait<E> wait, Cascade cascade) {
    enqueuer.waitOver(operation, wait, cascade);
  }

  /**
   * An operation is ready that {@link Work#admit} has left parked. Called once, by any thread with
   * no lock held that its issue needs. Does nothing if it has failed.
   */
  public void admitted(Operation<E> operation) {
    enqueuer.admitted(operation);
  }

  // Issuing.

  @Override
  public void drainAfterSignal() {
    if (Thread.currentThread() instanceof EngineThread) {
      issueRole.wake(); // the other threads of the engine never issue
    } else {
      drainInside(false);
    }
  }

  /** Issues ready operations inside the gate, unless that is shut. */
  private void drainInside(boolean isIssueThread) {
    if (!gate.tryEnter()) {
      if (isIssueThread) {
        issuer.flushLeft(); // it ends before the stream is closed
      } else if (issuer.isLeft()) {
        issueLater();
      }
      return;
    }
    try {
      if (isIssueThread) {
        issuer.drainAll();
      } else {
        enqueuer.drain();
      }
    } finally {
      gate.leave();
    }
  }

  /** One step of the issue thread. */
  boolean issueStep() {
    CoarseClock.tick();
    watch.step();
    Throwable thrown = brokenBy;
    if (thrown != null && !isLossOver) {
      loseBecause(thrown);
    }
    if (!isLossSeen && loss.cause() != null) { // an error here breaks the queue, which repeats both
      loss.propagate();
      lose(); // an error may have ended the thread that has lost the device before it got here
      isLossSeen = true;
    }
    enqueuer.discardLeft();
    failUnissuable();
    drainInside(true);
    return false; // the issuer goes on until nothing is ready
  }

  /**
   * Loses the device because of an error, see {@link #brokenBy}: what was under way may be half
   * done. Shuts the gate, and fails everything once more when all threads have left, since one of
   * them may have died after the device had failed what was open. For the issue thread.
   */
  private void loseBecause(Throwable thrown) {
    if (!isLosing) {
      Failures.log(LOG, Level.ERROR, "an error interrupted a step of queue " + name(), thrown);
      loss.lose("the engine", thrown);
      gate.shut();
      isLosing = true;
    }
    if (gate.isEmpty()) {
      failAll(operation -> true, Objects.requireNonNull(loss.cause()), true);
      open.keepHalfDone();
      isLossOver = true;
    }
  }

  /** Wakes the issue thread. */
  void issueLater() {
    issueRole.wake();
  }

  /** Wakes the completion thread: there is something in the stream. */
  void completeLater() {
    completionRole.wake();
  }

  /** Has a thread of the queue, or its deputy, retire an operation that has its outcome. */
  void retireLater(Operation<E> operation) {
    retiring.retireLater(operation);
    completionRole.wake();
    if (completer.isAsleep()) {
      deputy.call();
    }
  }

  // What other devices ask.

  /** See {@link EventInquiry#findLoss()}. */
  public @Nullable HalException findLoss() {
    return inquiry.findLoss();
  }

  /** See {@link EventInquiry#isPast}. */
  boolean isPast(Operation<E> operation) {
    return inquiry.isPast(operation);
  }

  /**
   * Makes sure that an operation is complete, and that its outcome is known: a stream is past its
   * event. If the stream is another device's, this device may also be lost; {@link #lost} then says
   * so afterwards.
   *
   * @param isOwnDevice whether the caller is of this device
   * @param mayWait whether to wait a moment for the event, and to lose the device if it does not
   *     fire; a thread that has a deadline of its own must not. One of this device that may is a
   *     completion thread, which ends before any event of the device is destroyed
   * @return whether all this is known. If the caller may wait, this is false only if the device is
   *     closed, or past its deadline, and the outcome can be asked for no more
   */
  boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait) {
    return inquiry.confirm(operation, isOwnDevice, mayWait);
  }

  // Failure and shutdown.

  /** A step of one of this queue's threads threw: its state is unknown, so the device is lost. */
  private void crashed(Throwable thrown) {
    brokenBy = thrown; // first: should the rest fail, the issue thread does it
    Failures.log(LOG, Level.ERROR, "a thread of queue " + name() + " failed", thrown);
    loss.lose(Thread.currentThread().getName(), thrown);
  }

  /**
   * Fails every open operation with the cause of the device's loss, those in flight included.
   * Users' callbacks run; see {@link DeviceLoss#propagate}.
   */
  public void lose() {
    wish.want(Wish.ALL);
    failAll(operation -> true, Objects.requireNonNull(loss.cause()), true);
    completionRole.wake();
  }

  // How operations end, by any thread. Users' callbacks run; see DeviceLoss.propagate.

  /** Fails an operation that is PARKED or READY. If several threads try, one succeeds. */
  void failUnissued(Operation<E> operation, HalException failure) {
    if (operation.failUnissued(failure)) {
      endUnissued(operation);
    }
  }

  /**
   * As {@link #failUnissued}, and ends an operation that another thread has failed as well: that
   * thread may not have got there yet, or never will. It does nothing to one that has retired.
   */
  private void endIfUnissued(Operation<E> operation, HalException failure) {
    if (operation.failUnissued(failure) || operation.state() == State.DONE) {
      endUnissued(operation);
    }
  }

  /**
   * Ends an operation that has failed without having been issued. May be called again if an error
   * has ended it half-way.
   */
  private void endUnissued(Operation<E> operation) {
    try {
      // publish() may have removed a wait between the change of state and deregister(). The
      // semaphore's lock makes the producer that it stored visible here.
      OperationWait.deregisterAll(operation);
      operation.releaseProducers();
      operation.recordFailure(); // as the next line
      // Before the signals: a thread that sees the failure may ask (rule Q2).
      operation.work.endBorrow();
      if (!operation.isApplied()) {
        OperationReport.outcome(operation);
        Settling.apply(operation);
      }
      retireLater(operation);
    } catch (Throwable t) {
      brokenBy = t;
      throw t;
    }
  }

  /** Fails the operations that the drainer could not issue. For the issue thread. */
  private void failUnissuable() {
    // One goes only when it has failed, since an error may end this anywhere.
    for (Operation<E> next = line.firstFailed(); next != null; next = line.firstFailed()) {
      HalException failure = next.workFailure();
      next.work.endBorrow(); // nothing of it is in the stream
      Settling.fail(
          next, failure != null ? failure : Failures.internal("operation was not issued"));
      line.removeFirstFailed();
      retireLater(next);
    }
  }

  /** Fails the open operations that {@code which} selects. */
  void failAll(Predicate<Operation<E>> which, HalException reason, boolean alsoIssued) {
    for (Operation<E> operation : open.all()) {
      if (which.test(operation)) {
        endIfUnissued(operation, reason);
        if (alsoIssued && operation.state() == State.ISSUED) {
          Settling.fail(operation, reason); // if it has its outcome, that may not be applied yet
        }
      }
    }
  }

  /**
   * Fails one operation whatever its state, unless it has its outcome. What it has put into the
   * stream goes on, and only then it retires.
   */
  public void failOpen(Operation<E> operation, HalException reason) {
    operation.failWork(reason); // while it is NEW, its own thread looks at this
    endIfUnissued(operation, reason);
    if (operation.state() == State.ISSUED) {
      Settling.fail(operation, reason);
    }
  }

  /**
   * The host completion of an operation has ended. Called once for each operation that has one, by
   * any thread.
   */
  public void hostCompletionOver(Operation<E> operation, @Nullable HalException failure) {
    try {
      if (failure != null) {
        operation.failOwnWork(failure);
      }
      operation.work.endBorrow(); // however it ends: nothing uses the memory now (rule Q2)
      Settling.settle(operation);
      BriefRun brief = operation.brief;
      if (brief == null || brief.end()) {
        retireLater(operation);
      }
    } catch (Throwable t) { // no other thread ends it, so the device is lost (rule E2)
      brokenBy = t;
      operation.isHalfEnded = true;
      issueLater(); // behind them: they need no stack
      throw t;
    }
  }

  // Statistics and messages.

  /**
   * Adds the open operations of this queue to {@code counts}, indexed by {@link State#ordinal()}.
   */
  public void count(long[] counts) {
    open.count(counts);
  }

  public long enqueued() {
    return open.enqueued();
  }

  public long retired() {
    return open.retired();
  }

  /** How many of {@link #retired()} have failed. */
  public long failed() {
    return open.failed();
  }

  /** How many of {@link #enqueued()} are not among {@link #retired()}, both read at once. */
  public long openOperations() {
    return open.openOperations();
  }

  /** The program has seen that no operation was open: those that have retired are over for it. */
  public void noteNoneOpen() {
    if (HazardRecord.current() != null) {
      order.noneOpenUpTo(open.lastIfNoneOpen());
    }
  }

  /**
   * Describes the open operation that was enqueued first, or returns null. The time does not depend
   * on how many are open.
   */
  public @Nullable OpenOperation describeOldest() {
    Operation<E> oldest = open.oldest();
    return oldest == null ? null : OperationReport.open(oldest);
  }

  /**
   * Passes a description of each open operation to {@code looker}, the newest first, with no lock
   * held.
   *
   * @param semaphore only those that signal it are described, unless it is null
   */
  public void describeOpen(@Nullable TimelineSemaphore semaphore, Consumer<OpenOperation> looker) {
    for (Operation<E> operation : open.newestFirst()) {
      OpenOperation described =
          semaphore == null || operation.signals(semaphore)
              ? OperationReport.open(operation)
              : null;
      if (described != null) {
        looker.accept(described);
      }
    }
  }
}
