package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.concurrent.WorkerThread;
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
   * Completing  See Completer. A host thread that polls an event settles the operation itself; see EventInquiry.
   * Failure     A failed wait or a failed native call for the work fails only that operation. A failed event call loses
   *             the device, which fails everything. What waits for it on other devices: see StreamWatch.
   * Shutdown    See QueueShutdown.
   */
  private static final System.Logger LOG = System.getLogger(DeferredWorkQueue.class.getName());

  /**
   * How often the issue thread checks {@link Broken} without being woken. A thread that has run out
   * of stack may be unable to wake it.
   */
  private static final long LOOK_NANOS = 1_000_000_000;

  // What is not private, QueueShutdown uses as well.
  final EventPool<E> events;
  final OpenList<E> open = new OpenList<>();
  final IssueLine<E> line;
  final Retirement<E> retirement = new Retirement<>();
  private final Outcomes<E> outcomes;
  private final Issuer<E> issuer;
  final Completer<E> completer;
  private final EventInquiry<E> inquiry;
  private final StreamWatch<E> watch;
  final OperationFailures<E> failing;
  private final WaitRegistration<E> registration;
  private final Enqueuer<E> enqueuer;
  private final QueueShutdown<E> shutdown;
  private final Runnable waker = this::issueLater;
  final WorkerThread issueRole; // tests run its steps on threads of their own
  final WorkerThread completionRole; // likewise

  // How far loseBecause() has come. Used by the issue thread alone.
  private boolean isLosing;
  private boolean isLossOver;

  /**
   * Creates a queue over {@code stream}. {@link #start()} starts its threads.
   *
   * @param loss receives each native failure that loses the device, and in turn calls {@link
   *     #noteLost} and {@link #lose} on every queue of the device
   */
  public DeferredWorkQueue(QueueSettings settings, NativeStream<E> stream, DeviceLoss loss) {
    super(settings, stream, loss);
    String name = name();
    Object domain = settings.eventDomain();
    this.events = new EventPool<>(stream);
    this.line = new IssueLine<>(settings.maxInFlight(), stream, broken, waker);
    this.issuer = new Issuer<>(this, line, open, events, domain);
    this.outcomes = new Outcomes<>(settings.outcomesCanFail(), this.loss, stream);
    this.completer =
        new Completer<>(this, open, line, retirement, outcomes, settings.completionSpinNanos());
    this.inquiry = new EventInquiry<>(this, outcomes, open, completer.pace());
    this.watch = new StreamWatch<>(this, open, inquiry, settings.patience());
    this.failing = new OperationFailures<>(this, open, line);
    this.registration = new WaitRegistration<>(this, failing, line, domain);
    this.enqueuer = new Enqueuer<>(this, open, line, registration, failing, issuer);
    this.shutdown = new QueueShutdown<>(this);
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
    DeviceEnd.addWaker(waker);
  }

  /** Its threads are about to end: nothing finds it among the open queues any more. */
  void leaveOpen() {
    Explanation.removeSource(this);
    DeviceEnd.removeWaker(waker);
  }

  @Override
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

  @Override
  void waitOver(Operation<E> operation, OperationWait<E> wait) {
    registration.waitOver(operation, wait);
  }

  // Issuing.

  @Override
  public void drainAfterSignal(Cascade cascade) {
    cascade.stepOf = broken;
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
        enqueuer.drain();
      }
    } finally {
      gate.leave();
    }
  }

  /**
   * One step of the issue thread: loses the device after an error of the engine, propagates a loss
   * of the device, fails what could not be issued, looks whether the stream waits for devices that
   * are gone, and issues all that is ready.
   */
  boolean issueStep() {
    CoarseClock.tick();
    watch.step();
    Throwable thrown = broken.by;
    if (thrown != null && !isLossOver) {
      loseBecause(thrown);
    }
    if (loss.takePending()) { // an error from here on breaks the queue, which repeats both
      loss.propagate();
      // The device may have known before, and then this has not reached the queue.
      lose(Objects.requireNonNull(loss.cause()));
    }
    Cascade.runLeft();
    enqueuer.discardLeft();
    failing.failUnissuable();
    drainInside(true);
    return false; // the issuer goes on until nothing is ready
  }

  @Override
  void failLater(Operation<E> operation) {
    line.addFailed(operation);
    issueRole.wake();
  }

  /**
   * Loses the device because of an error, see {@link Broken}: what was under way may be half done.
   * Shuts the gate, and fails everything once more when all threads have left, since one of them
   * may have died after the device had failed what was open. For the issue thread.
   */
  private void loseBecause(Throwable thrown) {
    if (!isLosing) {
      Failures.log(LOG, Level.ERROR, "an error interrupted a step of queue " + name(), thrown);
      loss.lose("the engine", thrown);
      boolean ignored = gate.shut();
      isLosing = true;
    }
    if (gate.isEmpty()) {
      failing.failAll(operation -> true, Objects.requireNonNull(loss.cause()), true);
      open.keepHalfIssued();
      isLossOver = true;
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
    if (retirement.add(operation)) {
      completionRole.wake();
    } else {
      completer.retireAfterClose(operation);
    }
  }

  // What other devices ask.

  /** See {@link EventInquiry#findLoss()}. */
  public @Nullable HalException findLoss() {
    return inquiry.findLoss();
  }

  @Override
  boolean isOutcomeOpen(Operation<E> operation) {
    return outcomes.isOpen(operation);
  }

  @Override
  @Nullable HalException findLoss(Operation<E> operation) {
    return inquiry.findLoss(operation);
  }

  @Override
  boolean confirm(Operation<E> operation, boolean isOwnDevice, boolean mayWait) {
    return inquiry.confirm(operation, isOwnDevice, mayWait);
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
  boolean isClosing() {
    return enqueuer.isClosing();
  }

  /** Records the cause of the device's loss. {@link #lose(HalException)} follows. */
  public void noteLost(HalException cause) {
    loss.set(cause);
  }

  /** The device is about to call {@link #lose(HalException)}. */
  public void expectLoss(HalException cause) {
    loss.expect(cause);
  }

  /**
   * A step of one of this queue's threads threw, which is a bug in the engine or the driver. The
   * state of the queue is unknown, so the device is lost.
   */
  private void crashed(Throwable thrown) {
    broken.by = thrown; // first: should the rest fail, the issue thread does it
    Failures.log(LOG, Level.ERROR, "a thread of queue " + name() + " failed", thrown);
    loss.lose(Thread.currentThread().getName(), thrown);
  }

  /**
   * Fails every open operation with {@code cause}, those in flight included. Users' callbacks run;
   * see {@link DeviceLoss#propagate}.
   */
  public void lose(HalException cause) {
    loss.set(cause);
    failing.failAll(operation -> true, cause, true);
    completionRole.wake();
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
    open.count(counts);
  }

  public long enqueued() {
    return open.enqueued();
  }

  public long retired() {
    return open.retired();
  }

  /** How many of {@link #enqueued()} are not among {@link #retired()}, both read at once. */
  public long openOperations() {
    return open.openOperations();
  }

  @Override
  public void explain(EngineSemaphore semaphore, long value, Explanation explanation) {
    walkOpen(operation -> OperationReport.explain(operation, semaphore, value, explanation));
  }

  private void walkOpen(Consumer<Operation<E>> looker) {
    open.walk(new Operation<>(this, NoWork.get()), looker);
  }

  /** Passes a description of each open operation to {@code looker}, with no lock held. */
  public void describeOpen(Consumer<OpenOperation> looker) {
    walkOpen(
        operation -> {
          OpenOperation described = OperationReport.open(operation);
          if (described != null) {
            looker.accept(described);
          }
        });
  }
}
