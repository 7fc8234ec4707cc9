package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.concurrent.WorkerThread;
import org.jhal.engine.events.Events;
import org.jhal.engine.queue.Operation.State;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * Holds operations until their waits are reached or covered by native events, hands them to the
 * native stream, and settles and retires them when they are complete.
 *
 * <p>Contract: rules Q1 to Q10, K1 to K4.
 *
 * <p>Thread-safe: any thread may enqueue, poll or close.
 */
public final class DeferredWorkQueue<E> extends OperationQueue<E>
    implements ReadyQueue, Explanation.Source {
  /*
   * Threads     Users' threads enqueue. They also issue ready operations, which saves a thread hop, unless another thread
   *             is issuing. NAME-issue issues what they leave. NAME-completion waits for events, settles and retires.
   * Waiting     Each wait is reached, covered by a native event of this device or of one that shares events with it, or
   *             registered with its semaphore. When the last registered wait ends, the operation becomes READY. Nothing
   *             is ever scanned for ready operations.
   * Issuing     See Issuer. At most maxInFlight operations are in the stream, so that issuing does not block.
   * Completing  See Completer. A host thread that polls an event settles the operation itself; see EventPoller.
   * Failure     A failed wait or a failed native call for the work fails only that operation. A failed event call loses
   *             the device, which fails everything. What waits for it on other devices: see failBehindGone.
   * Shutdown    See QueueShutdown.
   */
  private static final System.Logger LOG = System.getLogger(DeferredWorkQueue.class.getName());

  /**
   * How many operations, its own and others', a user's thread issues before it leaves the rest to
   * the issue thread.
   */
  private static final int COURTESY = 32;

  /**
   * How often the issue thread checks {@link Broken} without being woken. A thread that has run out
   * of stack may be unable to wake it.
   */
  private static final long LOOK_NANOS = 1_000_000_000;

  private final String name;
  private final long number;
  private final Object device; // the token of the device
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final QueueLoss loss;

  private final Gate gate = new Gate(); // threads that enqueue, issue or poll are inside
  final QueueLists<E> lists; // not private: a test walks them
  private final Outcomes<E> outcomes;
  private final Issuer<E> issuer;
  private final Completer<E> completer;
  private final EventPoller<E> poller;
  private final EventInquiry<E> inquiry;
  private final StuckWaits<E> stuck;
  private final Failing<E> failing;
  private final WaitRegistration<E> registration;
  private final QueueShutdown<E> shutdown;
  final WorkerThread issueRole; // not private: tests run its steps on threads of their own
  final WorkerThread completionRole; // not private for the same reason

  /** How far {@link #endBroken} has come. */
  private enum Losing {
    NO,
    LOST,
    OVER
  }

  private Losing losing = Losing.NO; // used by the issue thread alone

  // Why new operations are refused once closing has begun, else null. Written by the thread that
  // closes the device, read by threads that enqueue.
  private volatile @Nullable HalException cancelled;

  /**
   * Creates a queue over {@code stream}. {@link #start()} starts its threads.
   *
   * @param loss receives each native failure that loses the device, and in turn calls {@link
   *     #noteLost} and {@link #lose} on every queue of the device
   */
  public DeferredWorkQueue(QueueSettings settings, NativeStream<E> stream, DeviceLoss loss) {
    this.name = settings.name();
    this.number = settings.number();
    this.device = settings.device();
    Object domain = settings.eventDomain();
    this.stream = stream;
    this.loss = new QueueLoss(name, loss, this::issueLater);
    this.events = new EventPool<>(stream);
    this.lists = new QueueLists<>(settings.maxInFlight(), stream, broken, this::issueLater);
    this.issuer = new Issuer<>(this, this.loss, lists, stream, events, domain);
    this.outcomes = new Outcomes<>(settings.outcomesCanFail(), this.loss, stream);
    this.completer =
        new Completer<>(this, this.loss, lists, stream, outcomes, settings.completionSpinNanos());
    this.poller =
        new EventPoller<>(
            this.loss, stream, outcomes, gate, completer.pace(), settings.spinNanos());
    this.inquiry = new EventInquiry<>(this.loss, stream, outcomes, gate, lists);
    this.stuck = new StuckWaits<>(lists, this.loss, settings.patience(), this::issueLater);
    this.failing = new Failing<>(this, lists);
    this.registration = new WaitRegistration<>(this, failing, lists, domain);
    this.shutdown = new QueueShutdown<>(this, stream, events, gate, lists, completer);
    this.issueRole =
        new WorkerThread(
            name + "-issue",
            settings.issueSpinNanos(),
            LOOK_NANOS,
            () -> {},
            this::issueStep,
            this::crashed);
    this.completionRole =
        new WorkerThread(
            name + "-completion",
            settings.completionSpinNanos(),
            Long.MAX_VALUE,
            completer::bind,
            completer::step,
            this::crashed);
  }

  /** Starts the issue thread and the completion thread. */
  public void start() {
    enterOpen();
    issueRole.start();
    completionRole.start();
  }

  /** Puts it among the open queues of this process, which find one another. */
  void enterOpen() {
    Explanation.addSource(this);
    stuck.open();
  }

  /** Its threads are about to end: nothing finds it among the open queues any more. */
  void leaveOpen() {
    Explanation.removeSource(this);
    stuck.close();
  }

  @Override
  long spinNanos() {
    return poller.spinNanos();
  }

  @Override
  boolean poll(Operation<E> operation, long end, BooleanSupplier isOver) {
    return poller.poll(operation, end, isOver);
  }

  /** The steps of closing this queue. */
  public QueueShutdown<E> shutdown() {
    return shutdown;
  }

  @Override
  NativeStream<E> stream() {
    return stream;
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  boolean isOfDevice(OperationQueue<?> other) {
    return other instanceof DeferredWorkQueue<?> queue && device == queue.device;
  }

  @Override
  boolean isStream(NativeStream<?> other) {
    return stream == other;
  }

  // Enqueueing: begin(), fill in the work, then submit() or abandon(), and in any case
  // endEnqueue(), all on the user's thread.

  /**
   * Returns an operation to fill in, and enters the gate. The caller must then submit or {@link
   * #abandon} it, and {@link #endEnqueue leave} the gate.
   *
   * @param work what it does, which may be filled in until the operation is captured
   * @param servesCopy whether the operation is a chunk of a copy between devices that is under way;
   *     such an operation is accepted even while the queue is closing
   * @throws HalException FAILED_PRECONDITION if the queue is closed; UNAVAILABLE if the device is
   *     lost
   */
  public Operation<E> begin(Work<E> work, boolean servesCopy) {
    if ((cancelled != null && !servesCopy) || !gate.tryEnter()) {
      HalException lost = cancelled == null ? loss.cause() : null; // see endBroken()
      throw lost != null
          ? lost.again()
          : new HalException(
              Status.FAILED_PRECONDITION, "the device of queue " + name + " is closed");
    }
    try {
      HalException cause = loss.cause();
      if (cause != null) {
        throw cause.again();
      }
      Operation<E> operation = new Operation<>(this, work);
      operation.setServesCopy(servesCopy);
      return operation;
    } catch (Throwable t) {
      leave();
      throw t;
    }
  }

  /**
   * Discards an operation that was begun and not accepted. It has had no effect. If there is too
   * little stack for that, the issue thread does it.
   */
  public void abandon(Operation<E> operation) {
    try {
      operation.work.retire(RefCounted::release);
    } catch (Throwable t) {
      synchronized (lists.lock) { // without a call, for which there may be no stack left
        operation.nextToRetire = lists.firstBegun;
        lists.firstBegun = operation;
      }
      issueRole.wake();
      throw t;
    }
  }

  /**
   * Leaves the gate that {@link #begin} has entered. It is called where {@link #begin} was, and not
   * further up the stack: a thread that had enough stack to enter has enough to leave.
   */
  public void endEnqueue() {
    leave();
  }

  private void leave() {
    try {
      gate.leave();
    } catch (Throwable t) { // it stays counted as a thread inside; no call, as in submit()
      broken.by = t;
      throw t;
    }
  }

  /** Discards what other threads could not discard. For the issue thread, and when it has ended. */
  void discardLeft() {
    for (Operation<E> left = lists.takeBegun(); left != null; left = lists.takeBegun()) {
      left.work.retire(RefCounted::release);
    }
  }

  /**
   * Captures the fences, and asks the stream what the operation takes: the last that may refuse it.
   * Its work is filled in. The caller must then call {@link #submit(Operation)}, or {@link
   * #abandon} if this throws.
   */
  public void capture(Operation<E> operation, Fence waits, Fence signals) {
    operation.capture(waits, signals, stream);
  }

  /**
   * Accepts an operation: {@linkplain #capture captures}, and {@linkplain #submit(Operation)
   * submits} it. What refuses it abandons it.
   */
  public void submit(Operation<E> operation, Fence waits, Fence signals) {
    try {
      capture(operation, waits, signals);
      submit(operation);
    } catch (Throwable t) {
      if (!operation.isAccepted()) {
        abandon(operation);
      }
      throw t;
    }
  }

  /**
   * Accepts an operation that was captured: registers its waits, and issues it if none of them is
   * open. Once it {@linkplain Operation#isAccepted is accepted}, other threads see it, and nothing
   * refuses it any more; what is thrown before refuses it.
   */
  public void submit(Operation<E> operation) {
    boolean isRecorded = Events.recordsSubmissions() || Events.recordsEdges();
    String kind = "";
    long kernel = 0;
    int commands = 0;
    if (isRecorded) { // read before others can issue and retire it, recorded when it has its number
      kind = operation.work.kind();
      kernel = operation.work.kernel();
      commands = operation.work.commandCount();
    }
    Object domain = registration.domainOf(operation);
    boolean mayIssue = !PlatformThreads.isCurrentVirtual();
    boolean isReached = registration.areReached(operation);
    if (isReached) {
      operation.announce();
    }
    try {
      boolean isIssued = false;
      if (isReached) {
        isIssued = lists.openReady(operation, mayIssue);
      } else {
        lists.open(operation);
      }
      if (isRecorded) {
        record(operation, kind, kernel, commands);
      }
      if (isIssued) {
        issuer.drainFrom(operation, COURTESY);
      } else if (isReached) {
        submitReady(operation);
      } else {
        submitParked(operation, domain, mayIssue);
      }
    } catch (Throwable t) {
      if (operation.key != 0) { // it is accepted; no call, for which there may be no stack left
        broken.by = t;
        issueRole.wake();
      }
      throw t;
    }
  }

  /** Goes on with an operation of which all waits are reached, and that could not be issued. */
  private void submitReady(Operation<E> operation) {
    // lose() or cancel() may have walked the open operations between begin() and openReady(). They
    // have then not seen this one, so it is failed here.
    HalException failure = refusal(operation);
    if (failure != null) {
      failing.failUnissued(operation, failure);
    }
    drain();
  }

  private void submitParked(Operation<E> operation, @Nullable Object domain, boolean mayIssue) {
    // As above; and failOpen() may have been called before others could fail it.
    HalException failure =
        operation.workFailure() != null ? operation.workFailure() : refusal(operation);
    if (failure == null) {
      failure = registration.register(operation, domain);
    }
    if (failure != null) {
      failing.failUnissued(operation, failure);
    } else if (!operation.countDown()) {
      registration.watchCovered(operation);
    } else {
      operation.announce();
      if (lists.endParking(operation, mayIssue)) {
        issuer.drainFrom(operation, COURTESY);
      } else {
        drain();
      }
    }
    State now = operation.state();
    if (now == State.FAILED || now == State.RETIRED) {
      operation.deregister(); // what was registered after another thread had failed it
    }
  }

  private void record(Operation<E> operation, String kind, long kernel, int commands) {
    if (Events.recordsSubmissions()) {
      operation.recordSubmission(kind, kernel, commands);
    }
    if (Events.recordsEdges()) {
      operation.recordEdges();
    }
  }

  /** Issues ready operations. A virtual thread leaves that to the issue thread. */
  private void drain() {
    if (PlatformThreads.isCurrentVirtual()) {
      issueRole.wake();
    } else {
      issuer.drain(COURTESY);
    }
  }

  /** Why an operation that was begun can no longer be accepted, or null if it can. */
  private @Nullable HalException refusal(Operation<E> operation) {
    HalException cause = loss.cause();
    return cause != null || (operation.servesCopy() && !gate.isShut()) ? cause : cancelled;
  }

  @Override
  void waitOver(Operation<E> operation, OperationWait<E> wait) {
    registration.waitOver(operation, wait);
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

  /** Issues ready operations inside the gate. Does nothing if the gate is shut. */
  private void drainInside(boolean isIssueThread) {
    if (!gate.tryEnter()) {
      return;
    }
    try {
      if (isIssueThread) {
        issuer.drainAll();
      } else {
        drain();
      }
    } catch (Throwable t) {
      broken.by = t; // before any call: there may be no stack left for one
      issueRole.wake();
      throw t;
    } finally {
      leave();
    }
  }

  /**
   * One step of the issue thread: loses the device after an error of the engine, propagates a loss
   * of the device, fails what could not be issued, looks at what waits for lost devices, and issues
   * all that is ready.
   */
  boolean issueStep() {
    CoarseClock.tick();
    Throwable thrown = broken.by;
    if (thrown != null) {
      endBroken(thrown);
    }
    if (loss.takeUntold()) {
      try {
        loss.tellLate();
        // The device may have known before, and then it has not told this queue again.
        lose(Objects.requireNonNull(loss.cause()));
        failBehindGone(); // likewise
      } catch (Throwable t) {
        loss.expect();
        throw t;
      }
    }
    Cascade.runLeft();
    discardLeft();
    failing.failUnissuable();
    stuck.step();
    drainInside(true);
    return false; // the issuer goes on until nothing is ready
  }

  @Override
  void failLater(Operation<E> operation) {
    lists.addFailed(operation);
    issueRole.wake();
  }

  /**
   * Loses the device because of {@link Broken}: what was under way may be half done. Shuts the
   * gate, and fails everything once more when all threads have left, since one of them may have
   * died after the device had failed what was open. For the issue thread.
   */
  private void endBroken(Throwable thrown) {
    if (losing == Losing.NO) {
      Failures.log(LOG, Level.ERROR, "an error interrupted a step of queue " + name, thrown);
      loss.lose("the engine", thrown);
      boolean ignored = gate.shut();
      losing = Losing.LOST;
    }
    if (losing == Losing.LOST && gate.isEmpty()) {
      failing.failAll(operation -> true, Objects.requireNonNull(loss.cause()), true);
      lists.keepHanded();
      losing = Losing.OVER;
    }
  }

  @Override
  void issueLater() {
    issueRole.wake();
  }

  @Override
  void completeLater() {
    completionRole.wake();
  }

  @Override
  void retireLater(Operation<E> operation) {
    if (lists.addToRetire(operation)) {
      completionRole.wake();
    } else {
      completer.retireAfterClose(operation);
    }
  }

  // What waits for other devices.

  /**
   * Fails what waits in the streams of all devices for operations that are gone: that were failed
   * although their events may not have fired. Called once all of those have failed; calling it more
   * often does no harm. If an error ends it half-way, the issue threads do it once more. Users'
   * callbacks run: see {@link DeviceLoss#tell}.
   *
   * <p>What is not issued yet learns of it by its semaphores; see {@link CoveredWait}.
   */
  public static void failBehindGone() {
    StuckWaits.failBehindGone();
  }

  @Override
  void failBehindLater() {
    stuck.failLater();
  }

  /** See {@link EventInquiry#findLoss()}. */
  public @Nullable HalException findLoss() {
    return inquiry.findLoss();
  }

  @Override
  boolean isOutcomeOpen(Operation<E> operation) {
    return outcomes.isOpen(operation);
  }

  @Override
  Inquiry<E> inquiry() {
    return inquiry;
  }

  // Completing.

  /** One step of the completion thread. Returns false if there was nothing to do. */
  boolean completionStep() {
    return completer.step();
  }

  @Override
  public void hostCompletionOver(Operation<E> operation, @Nullable HalException failure) {
    completer.hostCompletionOver(operation, failure);
  }

  // Failure and shutdown.

  @Override
  public String name() {
    return name;
  }

  @Override
  boolean isClosing() {
    return cancelled != null;
  }

  @Override
  @Nullable HalException lost() {
    return loss.cause();
  }

  /** Records the cause of the device's loss. {@link #lose(HalException)} follows. */
  public void noteLost(HalException cause) {
    loss.set(cause);
  }

  /** The device is about to call {@link #lose(HalException)}. */
  public void expectLoss() {
    loss.expect();
  }

  /**
   * A step of one of this queue's threads threw, which is a bug in the engine or the driver. The
   * state of the queue is unknown, so the device is lost.
   */
  private void crashed(Throwable thrown) {
    Failures.log(LOG, Level.ERROR, "a thread of queue " + name + " failed", thrown);
    loss.lose(Thread.currentThread().getName(), thrown);
  }

  /**
   * Fails every open operation with {@code cause}, those in flight included. Users' callbacks run;
   * see {@link DeviceLoss#tell}.
   */
  public void lose(HalException cause) {
    loss.set(cause);
    failing.failAll(operation -> true, cause, true);
    completionRole.wake();
  }

  /**
   * Refuses new operations with {@code reason}, and fails the selected ones that were not issued.
   */
  void cancel(Predicate<Operation<E>> which, HalException reason) {
    // Before the walk: a thread that is enqueueing sees this, or failAll() sees its operation.
    cancelled = reason;
    failing.failAll(which, reason, false);
  }

  /** Fails operations of this queue. */
  Failing<E> failing() {
    return failing;
  }

  @Override
  void failUnissued(Operation<E> operation, HalException failure) {
    failing.failUnissued(operation, failure);
  }

  @Override
  public void failOpen(Operation<E> operation, HalException reason) {
    failing.failOpen(operation, reason);
  }

  // Statistics and messages.

  /**
   * Adds the open operations of this queue to {@code counts}, indexed by {@link State#ordinal()}.
   */
  public void count(long[] counts) {
    lists.count(counts);
  }

  public long enqueued() {
    return lists.enqueued();
  }

  public long retired() {
    return lists.retired();
  }

  /** How many of {@link #enqueued()} are not among {@link #retired()}, both read at once. */
  public long openOperations() {
    return lists.openOperations();
  }

  @Override
  public void explain(EngineSemaphore semaphore, long value, Explanation explanation) {
    lists.walkOpen(
        new Operation<>(this, NoWork.get()),
        operation -> {
          for (int i = 0; i < operation.signalCount(); i++) {
            long signal = operation.signalValue(i);
            if (operation.signal(i) == semaphore && signal >= value) {
              if (!operation.waitsFor(semaphore, value)) {
                explanation.add(operation::tell);
              } else if (operation.waitsFor(semaphore, signal)) {
                explanation.addInVain(operation::tell);
              }
            }
          }
        });
  }

  /** Passes what there is to tell of each open operation to {@code looker}, with no lock held. */
  public void tellOpen(Consumer<OpenOperation> looker) {
    lists.walkOpen(
        new Operation<>(this, NoWork.get()),
        operation -> {
          OpenOperation told = operation.tell();
          if (told != null) {
            looker.accept(told);
          }
        });
  }
}
