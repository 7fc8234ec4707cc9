package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.EngineThread;
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
   * Shutdown    cancelUsers, awaitIdle, shut, cancelAll, awaitIdle, abandonAll, stop, awaitStreamIdle, closeStream: called
   *             by the device, in this order.
   */
  private static final System.Logger LOG = System.getLogger(DeferredWorkQueue.class.getName());

  /**
   * How many operations a user's thread issues at most, its own and those of others, before the
   * issue thread does.
   */
  private static final int COURTESY = 32;

  private static final Duration GRACE = Duration.ofSeconds(1);

  private final String name;
  private final Object domain;
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final Supplier<Operation<E>> maker;
  private final UnaryOperator<HalException> onLost;
  private final long spinNanos;

  private final Gate gate = new Gate(); // threads that enqueue, issue or poll
  private final QueueLists<E> lists;
  private final Issuer<E> issuer;
  private final Completer<E> completer;
  final WorkerThread issueRole; // not private, as tests take its steps on threads of their own
  final WorkerThread completionRole; // likewise
  private volatile @Nullable HalException lost;
  private volatile @Nullable HalException
      cancelled; // why nothing is issued any more: it is closing

  /**
   * A queue over {@code stream}; {@link #start()} starts its threads.
   *
   * @param domain identifies the device, to semaphores and threads
   * @param works makes the work of a new operation
   * @param onLost told, with no lock held, when a native failure means that the device is lost; the
   *     first to tell it makes it call {@link #lose} on all queues; returns the first failure
   */
  public DeferredWorkQueue(
      String name,
      Object domain,
      NativeStream<E> stream,
      int maxInFlight,
      long spinNanos,
      long completionSpinNanos,
      Function<Operation<E>, Work<E>> works,
      UnaryOperator<HalException> onLost) {
    this.name = name;
    this.domain = domain;
    this.stream = stream;
    this.spinNanos = spinNanos;
    this.maker = () -> new Operation<>(this, works);
    this.onLost = onLost;
    this.events = new EventPool<>(stream);
    this.lists = new QueueLists<>(maxInFlight, stream.capacity(), this::issueLater);
    this.issuer = new Issuer<>(this, lists, stream, events, domain);
    this.completer = new Completer<>(this, lists, stream, completionSpinNanos);
    this.issueRole =
        new WorkerThread(name + "-issue", domain, 0, () -> {}, this::issueStep, this::crashed);
    this.completionRole =
        new WorkerThread(
            name + "-completion",
            domain,
            completionSpinNanos,
            completer::bind,
            completer::step,
            this::crashed);
  }

  public void start() {
    OpenQueues.add(this);
    issueRole.start();
    completionRole.start();
  }

  long spinNanos() {
    return spinNanos;
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
      HalException cause = lost;
      if (cause != null) {
        throw cause.again();
      }
      Operation<E> operation = lists.takeFree(maker);
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
    try {
      operation.capture(waits, signals, stream);
      if (registerWaits(operation)) {
        submitReady(operation);
      } else {
        submitParked(operation);
      }
    } finally {
      gate.leave();
    }
  }

  /** Nobody else knows the operation. */
  private void submitReady(Operation<E> operation) {
    if (lists.openReady(operation)) {
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
    issuer.drain(COURTESY);
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
      issuer.drain(COURTESY);
    }
  }

  /** Why an operation that was begun is not accepted any more, or null. */
  private @Nullable HalException end(Operation<E> operation) {
    HalException cause = lost;
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
    Settling.fail(operation, failure);
    retireLater(operation);
  }

  // Issuing.

  /** Called by a thread that signalled, after it made operations ready. */
  void drainAfterSignal() {
    if (Thread.currentThread() instanceof EngineThread) {
      issueRole.wake(); // completion threads complete
    } else if (gate.tryEnter()) {
      try {
        issuer.drain(COURTESY);
      } finally {
        gate.leave();
      }
    }
  }

  /** One step of the issue thread: issues all that is ready. */
  boolean issueStep() {
    if (gate.tryEnter()) {
      try {
        issuer.drainAll();
      } finally {
        gate.leave();
      }
    }
    return false; // the issuer looks again itself
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

  @Override
  public void helpComplete() {
    completer.help();
  }

  /** The host tail of an operation is over; called once per use of the operation, by any thread. */
  public void tailOver(Operation<E> operation, @Nullable HalException failure) {
    completer.tailOver(operation, failure);
  }

  /**
   * For a host thread that holds a reference: looks at the event of an operation until it has
   * fired, {@code isOver} says so, or {@code end} has passed; returns whether it has fired, and
   * then it is settled. Looks at least once, after it has helped to complete.
   */
  boolean pollEvent(Operation<E> operation, long end, BooleanSupplier isOver) {
    if (!gate.tryEnter()) {
      return false; // closing; the completion thread will see to it
    }
    operation.setPolled(true);
    boolean hasFired = false;
    try {
      try {
        hasFired = pollInside(operation, end, isOver);
      } finally {
        gate.leave();
      }
      if (hasFired) {
        Settling.settle(operation);
      }
      return hasFired;
    } finally {
      operation.setPolled(false);
      completer.pace().endPoll(operation, hasFired);
    }
  }

  private boolean pollInside(Operation<E> operation, long end, BooleanSupplier isOver) {
    PooledEvent<E> event = operation.retainEvent();
    if (event == null) {
      return operation.hasVerdict();
    }
    try {
      long token = stream.bindToThread();
      try {
        completer.help(); // with what was issued before, while the device is at work
        while (!operation.isApplied() && !stream.queryEvent(event.handle)) {
          if (isOver.getAsBoolean() || gate.isShut() || System.nanoTime() - end >= 0) {
            return false;
          }
          Thread.onSpinWait();
        }
        return true;
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (Throwable t) {
      Settling.fail(operation, lose(operation.behind("queryEvent"), t));
      return true;
    } finally {
      event.release();
    }
  }

  /** A host thread does not poll, and is about to sleep until an event has been seen. */
  void hurry() {
    completer.pace().hurry();
  }

  /** Takes an operation that nobody refers to any more. */
  void giveBack(Operation<E> operation) {
    lists.giveBack(operation);
  }

  // Failure and shutdown.

  @Override
  public String name() {
    return name;
  }

  @Override
  public @Nullable HalException lost() {
    return lost;
  }

  @Override
  public HalException lose(String call, Throwable thrown) {
    HalException failure =
        new HalException(
            Status.UNAVAILABLE,
            "the device of queue " + name + " is lost: " + call + " failed: " + Failures.of(thrown),
            thrown);
    // Somebody else may be losing the device and not have come to this queue yet. From here on
    // nothing of it may pass for complete.
    HalException first = onLost.apply(failure);
    lost = first;
    return first;
  }

  /**
   * A step of a role threw, which is a bug of the engine or of the driver: nothing is known any
   * more.
   */
  private void crashed(Throwable thrown) {
    LOG.log(Level.ERROR, "a thread of queue " + name + " failed", thrown);
    lose(Thread.currentThread().getName(), thrown);
  }

  /** The device is lost: everything here fails with {@code cause}, also what is in flight. */
  public void lose(HalException cause) {
    lost = cause;
    failAll(operation -> true, cause, true);
    completionRole.wake();
  }

  /** Step 1 of closing: users enqueue nothing any more, and what of theirs was not issued fails. */
  public void cancelUsers(HalException reason) {
    cancelled = reason; // whoever is enqueueing sees it, or is seen by the following
    failAll(operation -> !operation.servesCopy(), reason, false);
  }

  /**
   * Step 2, and again step 5: waits until nothing is open. What failed without having been issued
   * has {@link #GRACE} beyond the deadline to retire, which takes no longer than a moment.
   */
  public boolean awaitIdle(long deadline) {
    if (lists.awaitNoneOpen(deadline)) {
      return true;
    }
    long[] counts = new long[State.values().length];
    count(counts);
    return counts[State.ISSUED.ordinal()] == 0
        && lists.awaitNoneOpen(System.nanoTime() + GRACE.toNanos());
  }

  /** Step 3: nobody enqueues or issues any more; waits until those who do so have left. */
  public boolean shut(long deadline) {
    gate.shut();
    lists.endIssuing();
    return gate.awaitEmpty(deadline);
  }

  /** Step 4: whatever was not issued fails. */
  public void cancelAll(HalException reason) {
    cancelled = reason;
    failAll(operation -> true, reason, false);
    for (Operation<E> dead = lists.takeDeadReady(); dead != null; dead = lists.takeDeadReady()) {
      dead.release(); // the heap's reference
    }
  }

  /**
   * Step 6, only past the deadline: what is still in flight fails and is never retired; returns how
   * much that is.
   */
  public int abandonAll(HalException reason) {
    return failAll(operation -> true, reason, true);
  }

  /** Step 7: ends the threads; false if one, or a user's thread that issues, did not in time. */
  public boolean stop(long deadline) {
    OpenQueues.remove(this);
    // Who is inside may still have something for the threads.
    return gate.awaitEmpty(deadline) && issueRole.stop(deadline) & completionRole.stop(deadline);
  }

  /**
   * Step 8: waits until the stream has run everything, also that of which no event tells, since it
   * could not be recorded or waited for. False if that is not known at the deadline: then the
   * stream may still use what its operations hold.
   */
  public boolean awaitStreamIdle(long deadline) {
    return BackOff.await(this, deadline, this::isStreamIdle);
  }

  private boolean isStreamIdle() {
    try {
      long token = stream.bindToThread();
      try {
        return stream.isIdle();
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (Throwable t) {
      return Failures.isLoss(t); // the native runtime says so itself: nothing runs any more
    }
  }

  /** Step 9, unless something is leaked: frees what is native; nothing uses it. */
  public void closeStream() {
    events.close();
    try {
      stream.close();
    } catch (Throwable t) { // the rest of the device is closed all the same
      LOG.log(Level.WARNING, "cannot close the stream of " + name, t);
    }
    completer.retireRest();
  }

  private int failAll(Predicate<Operation<E>> which, HalException reason, boolean alsoIssued) {
    List<Operation<E>> open = lists.retainOpen();
    for (Operation<E> operation : open) {
      if (which.test(operation)) {
        failUnissued(operation, reason);
        State state = operation.state();
        if (alsoIssued && (state == State.ISSUED || state == State.SETTLED)) {
          Settling.fail(operation, reason); // also what a helper has settled in part
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
    lists.forEachOpen(operation -> counts[operation.state().ordinal()]++);
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
    lists.forEachOpen(
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
