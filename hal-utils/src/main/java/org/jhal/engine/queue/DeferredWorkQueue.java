package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.concurrent.WorkerThread;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Holds operations until their waits can be met on the device, hands them to the native stream, and
 * settles and retires them when they are complete.
 *
 * <p>Contract: rules Q1 to Q10, K1 to K4.
 *
 * <p>Thread-safe: any thread may enqueue, poll or close.
 */
public final class DeferredWorkQueue<E> implements StreamOwner<E> {
  /*
   * Threads     Users enqueue, and issue what is ready if nobody else does so (no thread hop). NAME-issue issues what is
   *             left to it. NAME-completion waits for events, settles, and retires: data flows one way.
   * Waiting     Each wait of an operation is reached, covered by a native event of this device, or registered; the last
   *             of them makes it READY. Nothing is ever scanned for what has become ready.
   * Issuing     See Issuer. At most maxInFlight operations are in the stream, so that it never blocks who issues.
   * Completing  See Completer: who issues or polls helps NAME-completion.
   * Failure     A failed wait fails its operation alone. A native failure of the work fails its operation alone, a failure
   *             of the events loses the device, which fails everything.
   * Shutdown    See QueueShutdown.
   */
  private static final System.Logger LOG = System.getLogger(DeferredWorkQueue.class.getName());

  /**
   * How many operations a user's thread issues at most, its own and those of others, before the
   * issue thread does.
   */
  private static final int COURTESY = 32;

  /**
   * How often the issue thread looks without being woken, for an error that left whoever met it no
   * stack to wake it.
   */
  private static final long LOOK_NANOS = 1_000_000_000;

  private final String name;
  private final Object domain;
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final Supplier<Operation<E>> maker;
  private final QueueLoss loss;

  private final Gate gate = new Gate(); // threads that enqueue, issue or poll
  private final FreeOperations<E> free;
  final QueueLists<E> lists; // not private for QueueLists.escaped
  private final Issuer<E> issuer;
  private final Completer<E> completer;
  private final EventPoller<E> poller;
  private final QueueShutdown<E> shutdown;
  final WorkerThread issueRole; // not private, as tests take its steps on threads of their own
  final WorkerThread completionRole; // likewise
  private volatile @Nullable HalException
      cancelled; // why nothing is issued any more: it is closing

  /**
   * A queue over {@code stream}; {@link #start()} starts its threads.
   *
   * @param domain identifies the device, to semaphores and threads
   * @param works makes the work of a new operation
   * @param loss told when a native failure means that the device is lost; it then calls {@link
   *     #noteLost} and {@link #lose} on all queues
   */
  public DeferredWorkQueue(
      String name,
      Object domain,
      NativeStream<E> stream,
      int maxInFlight,
      long spinNanos,
      long completionSpinNanos,
      Function<Operation<E>, Work<E>> works,
      DeviceLoss loss) {
    this.name = name;
    this.domain = domain;
    this.stream = stream;
    this.maker = () -> new Operation<>(this, works);
    this.loss = new QueueLoss(name, loss, this::issueLater);
    this.events = new EventPool<>(stream);
    this.free = new FreeOperations<>(maker);
    this.lists = new QueueLists<>(maxInFlight, stream.capacity(), this::issueLater);
    this.issuer = new Issuer<>(this, this.loss, lists, stream, events, domain);
    this.completer = new Completer<>(this, this.loss, lists, stream, completionSpinNanos);
    this.poller = new EventPoller<>(this.loss, stream, gate, completer.pace(), spinNanos);
    this.shutdown = new QueueShutdown<>(this, stream, events, gate, lists, completer);
    this.issueRole =
        new WorkerThread(
            name + "-issue", domain, 0, LOOK_NANOS, () -> {}, this::issueStep, this::crashed);
    this.completionRole =
        new WorkerThread(
            name + "-completion",
            domain,
            completionSpinNanos,
            Long.MAX_VALUE,
            completer::bind,
            completer::step,
            this::crashed);
  }

  public void start() {
    OpenQueues.add(this);
    issueRole.start();
    completionRole.start();
  }

  /** For host threads that wait for an operation of this queue. */
  EventPoller<E> poller() {
    return poller;
  }

  /** The steps of closing it. */
  public QueueShutdown<E> shutdown() {
    return shutdown;
  }

  boolean isStream(NativeStream<?> other) {
    return stream == other;
  }

  // Enqueueing: begin, fill in, submit or abandon; all on the user's thread.

  /**
   * An operation to be filled in. The caller must then {@link #submit} or {@link #abandon} it.
   *
   * @param servesCopy whether it is a chunk of a copy between devices, which is under way
   * @throws HalException FAILED_PRECONDITION if the queue is closed; UNAVAILABLE if the device is
   *     lost
   */
  public Operation<E> begin(boolean servesCopy) {
    if ((cancelled != null && !servesCopy) || !gate.tryEnter()) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "the device of queue " + name + " is closed");
    }
    try {
      HalException cause = loss.cause();
      if (cause != null) {
        throw cause.again();
      }
      Operation<E> operation = free.take();
      operation.setServesCopy(servesCopy);
      return operation;
    } catch (Throwable t) {
      gate.leave();
      throw t;
    }
  }

  /** Takes back an operation that was begun: nothing happened. */
  public void abandon(Operation<E> operation) {
    operation.work.retire(RefCounted::release);
    operation.release();
    gate.leave();
  }

  /** Accepts an operation: registers its waits, and issues it if it has nothing to wait for. */
  public void submit(Operation<E> operation, Fence waits, Fence signals) {
    Thread thread = Thread.currentThread();
    try {
      operation.capture(waits, signals, stream);
      if (registerWaits(operation)) {
        submitReady(operation);
      } else {
        submitParked(operation);
      }
    } catch (Throwable t) {
      if (lists.drainer == thread) {
        lists.deadDrainer = thread;
      }
      lists.escaped = t; // first of all; see there
      issueRole.wake();
      throw t;
    } finally {
      gate.leave();
    }
  }

  /** Nobody else knows the operation. */
  private void submitReady(Operation<E> operation) {
    boolean mayIssue = !PlatformThreads.isCurrentVirtual();
    if (lists.openReady(operation, mayIssue)) {
      issuer.drainFrom(operation, COURTESY);
      return;
    }
    // If the device was lost, or closing gave up waiting for us, before it was open, then nobody
    // has failed it.
    HalException failure = end(operation);
    if (failure != null) {
      failUnissued(operation, failure);
    }
    operation.release();
    drain();
  }

  private void submitParked(Operation<E> operation) {
    operation.retain(); // others may fail and retire it before this method is through with it
    lists.open(operation);
    operation.changeState(State.REGISTERING, State.PARKED);
    // A wait may have failed, the device been lost, or closing have given up waiting for us,
    // while this was REGISTERING: whoever did that left it to us. Whoever does it from here on
    // finds it PARKED.
    HalException failure =
        operation.workFailure() != null ? operation.workFailure() : end(operation);
    boolean isReady = false;
    if (failure != null) {
      failUnissued(operation, failure);
    } else if (operation.countDown()) {
      isReady = makeReady(operation);
    }
    operation.release();
    if (isReady) {
      drain();
    }
  }

  /** Issues what is ready on a user's thread, or has it issued if that is a virtual one. */
  private void drain() {
    if (PlatformThreads.isCurrentVirtual()) {
      issueRole.wake();
    } else {
      issuer.drain(COURTESY);
    }
  }

  /** Why an operation that was begun is not accepted any more, or null. */
  private @Nullable HalException end(Operation<E> operation) {
    HalException cause = loss.cause();
    return cause != null || (operation.servesCopy() && !gate.isShut()) ? cause : cancelled;
  }

  /** Returns whether all waits are over or covered, so that none was registered. */
  private boolean registerWaits(Operation<E> operation) {
    boolean isReady = true;
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      if (wait.semaphore().register(wait, wait.value(), domain)) {
        isReady = false;
      } else if (wait.failure != null) {
        operation.failWork(wait.failure);
        isReady = false;
      }
    }
    return isReady;
  }

  /** A registered wait is over; called by the thread that signalled, published or failed. */
  void waitOver(Operation<E> operation, @Nullable HalException failure) {
    if (failure != null) {
      operation.failWork(failure);
      failUnissued(operation, failure);
    } else if (operation.countDown() && makeReady(operation)) {
      Cascade.current().addReady(this);
    }
  }

  private boolean makeReady(Operation<E> operation) {
    operation.retain(); // the heap's reference
    if (!operation.changeState(State.PARKED, State.READY)) {
      operation.release();
      return false;
    }
    lists.addReady(operation);
    return true;
  }

  /** Fails an operation that was not issued: the first to do so wins. */
  private void failUnissued(Operation<E> operation, HalException failure) {
    if (!operation.changeState(State.PARKED, State.FAILED)
        && !operation.changeState(State.READY, State.FAILED)) {
      return; // REGISTERING: submit() looks after it. Else somebody was faster, or it was issued.
    }
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      if (wait.semaphore().deregister(wait)) {
        operation.release();
      }
    }
    operation.work.endBorrow(); // nothing has reached the stream
    Settling.fail(operation, failure);
    retireLater(operation);
  }

  // Issuing.

  /** Called by a thread that signalled, after it made operations ready. */
  void drainAfterSignal() {
    if (Thread.currentThread() instanceof EngineThread) {
      issueRole.wake(); // completion threads complete
    } else {
      drainInside(false);
    }
  }

  /** Issues what is ready, unless the gate is shut. */
  private void drainInside(boolean isIssueThread) {
    if (!gate.tryEnter()) {
      return;
    }
    Thread thread = Thread.currentThread();
    try {
      if (isIssueThread) {
        issuer.drainAll();
      } else {
        drain();
      }
    } catch (Throwable t) {
      if (lists.drainer == thread) {
        lists.deadDrainer = thread;
      }
      lists.escaped = t; // first of all; see there
      issueRole.wake();
      throw t;
    } finally {
      gate.leave();
    }
  }

  /** One step of the issue thread: fails what could not be issued, and issues all that is ready. */
  boolean issueStep() {
    if (lists.escaped != null) {
      endEscape();
    }
    if (loss.tellLate()) {
      // The device may have known before, and then it has not told this queue again.
      lose(Objects.requireNonNull(loss.cause()));
    }
    for (Operation<E> next = lists.takeFailed(); next != null; ) {
      Operation<E> operation = next;
      next = operation.nextToRetire;
      operation.nextToRetire = null;
      HalException failure = operation.workFailure();
      operation.work.endBorrow(); // nothing is in the stream
      Settling.fail(
          operation, failure != null ? failure : Failures.internal("operation was not issued"));
      retireLater(operation);
    }
    drainInside(true);
    return false; // the issuer looks again itself
  }

  @Override
  public void failLater(Operation<E> operation) {
    lists.addFailed(operation);
    issueRole.wake();
  }

  /**
   * An error left the engine in the middle of something: what was under way may be half done, so
   * the device is lost. The drainer's role, if that is what was left, is free then.
   */
  private void endEscape() {
    Throwable thrown = lists.escaped;
    if (thrown != null) {
      LOG.log(Level.ERROR, "queue " + name + " was left in the middle of something", thrown);
      loss.lose("the engine", thrown);
      lists.endEscape();
    }
  }

  @Override
  public void issueLater() {
    issueRole.wake();
  }

  @Override
  public void completeLater() {
    completionRole.wake();
  }

  @Override
  public void retireLater(Operation<E> operation) {
    lists.addToRetire(operation);
    completionRole.wake();
  }

  // Completing.

  /** One step of the completion thread. */
  boolean completionStep() {
    return completer.step();
  }

  /**
   * The host completion of an operation is over; called once per use of the operation, by any
   * thread.
   */
  public void hostCompletionOver(Operation<E> operation, @Nullable HalException failure) {
    completer.hostCompletionOver(operation, failure);
  }

  /** Takes an operation that nobody refers to any more. */
  void giveBack(Operation<E> operation) {
    free.giveBack(operation);
  }

  // Failure and shutdown.

  @Override
  public String name() {
    return name;
  }

  @Nullable HalException lost() {
    return loss.cause();
  }

  /** The device is lost; {@link #lose(HalException)} follows. */
  public void noteLost(HalException cause) {
    loss.set(cause);
  }

  /**
   * A step of a role threw, which is a bug of the engine or of the driver: nothing is known any
   * more.
   */
  private void crashed(Throwable thrown) {
    LOG.log(Level.ERROR, "a thread of queue " + name + " failed", thrown);
    loss.lose(Thread.currentThread().getName(), thrown);
  }

  /** The device is lost: everything here fails with {@code cause}, also what is in flight. */
  public void lose(HalException cause) {
    loss.set(cause);
    failAll(operation -> true, cause, true);
    completionRole.wake();
  }

  /** Nothing is issued any more of what {@code which} selects: it fails with {@code reason}. */
  void cancel(Predicate<Operation<E>> which, HalException reason) {
    cancelled = reason; // whoever is enqueueing sees it, or is seen by the following
    failAll(which, reason, false);
  }

  /** Fails what is open and selected by {@code which}; returns how much is open. */
  int failAll(Predicate<Operation<E>> which, HalException reason, boolean alsoIssued) {
    List<Operation<E>> open = lists.retainOpen();
    for (Operation<E> operation : open) {
      if (which.test(operation)) {
        failUnissued(operation, reason);
        State state = operation.state();
        if (alsoIssued && (state == State.ISSUED || state == State.SETTLED)) {
          Settling.fail(operation, reason); // also what is being settled now
        }
      }
      operation.release();
    }
    return open.size();
  }

  // Looking in.

  /**
   * Adds this queue's operations, by state, to {@code counts}, which is indexed by {@link
   * State#ordinal()}.
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

  /**
   * Describes to {@code explanation} each open operation that would raise {@code semaphore} to
   * {@code value}.
   */
  void explain(EngineSemaphore semaphore, long value, Explanation explanation) {
    lists.walkOpen(
        maker.get(),
        operation -> {
          if (operation.state() == State.REGISTERING) {
            return; // being filled in by another thread
          }
          for (int i = 0; i < operation.signalCount(); i++) {
            if (operation.signal(i) == semaphore && operation.signalValue(i) >= value) {
              explanation.add(name, operation);
            }
          }
        });
  }
}
