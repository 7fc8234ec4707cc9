package org.jhal.engine.queue;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Timepoint;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.concurrent.HeapNode;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a queue: its waits, its signals, its work, and its state.
 *
 * <p>Each submission has an object of its own, which the garbage collector frees (rule K3). It lets
 * go of its producers with its verdict, so that a chain of operations is not kept by its last one.
 */
public final class Operation<E> extends HeapNode implements Producer {
  /**
   * The state of an operation. Each change is one compare-and-set, so exactly one thread makes it.
   */
  public enum State {
    /** Being filled in by the thread that enqueues it; no other thread sees it. */
    NEW,
    /** At least one wait is open, or its thread has yet to register one. */
    PARKED,
    /** All waits are reached or covered; in the heap of ready operations. */
    READY,
    /** Claimed by the drainer: handed to the stream, or about to be. */
    ISSUED,
    /** The verdict was fixed after it was issued. */
    SETTLED,
    /** Failed before it was issued: a wait failed, or the device was closed or lost. */
    FAILED,
    /** Its resources are released. */
    RETIRED
  }

  private static final VarHandle STATE = handle("state", State.class);
  private static final VarHandle OPEN_WAITS = handle("openWaits", int.class);
  private static final VarHandle WORK_FAILURE = handle("workFailure", HalException.class);
  private static final VarHandle OUTCOME = handle("outcome", int.class);

  private static VarHandle handle(String field, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
        MethodHandles.lookup(), field, VarHandle.class, Operation.class, type);
  }

  // Values of the field `outcome`.
  static final int UNASKED = 0;
  private static final int ASKING = 1;
  static final int KNOWN = 2;

  private static final OperationWait<?>[] NO_WAITS = {};

  public final OperationQueue<E> queue;
  public final Work<E> work;

  // Any thread changes it by compare-and-set. It is set plainly only by QueueLists.openLocked, in
  // the critical section from which on others see the operation.
  volatile State state = State.NEW;

  // Registered waits that are open, plus one until submit() has registered all of them. The thread
  // that counts it down to zero makes the operation READY.
  @SuppressWarnings("UnusedVariable") // used through its handle
  private volatile int openWaits = 1;

  // Written by the enqueuing thread while NEW, then constant. The fields of an
  // OperationWait's outcome are an exception; see WaitNode.
  private OperationWait<E>[] waits;
  private Fence signals = Fence.NONE;
  private boolean servesCopy; // a chunk of a copy between devices

  // How much of NativeStream.capacity() it takes up. Changed by the enqueuing thread, and while it
  // is ready with the lock of QueueLists held.
  private int weight;

  // Only the issue thread may issue it. Written by the enqueuing thread, and by the drainer; read
  // with the lock of QueueLists held, or by the drainer.
  private boolean mayBlock;
  private boolean isTimed; // the stream measures when it runs

  // Recorded from the issue on. Written by the drainer, taken by the thread that fixes the verdict.
  private volatile @Nullable Span span;

  /**
   * The first failure of this operation itself: of a wait, its native work, or its host completion.
   * Set by any thread, by compare-and-set.
   */
  private volatile @Nullable HalException workFailure;

  // The event recorded behind the work. Written by the drainer before it publishes the operation,
  // cleared by the thread that completes it, read by any thread.
  private volatile @Nullable PooledEvent<E> event;

  // Whether the driver was asked how the work behind the event has ended; see Outcomes. Stays
  // UNASKED where it need not be asked. The thread that changes it to ASKING writes it next. Not
  // private, as what follows is not: that thread may have no stack left for a call.
  volatile int outcome = UNASKED;

  // Whether the driver has answered, and what it has returned or thrown. For the thread that is
  // ASKING: the next one goes on with it if that one dies before the outcome is KNOWN.
  boolean isAnswered;
  boolean isAnswerThrown;
  @Nullable Throwable answer;

  // The verdict is null for success. It is written before hasVerdict, once, both with this object's
  // monitor held. Any thread may read hasVerdict and then the verdict, without the monitor.
  private volatile boolean hasVerdict;
  private @Nullable HalException verdict;

  // Why it is FAILED, which becomes its verdict whoever fixes that. Written with that state, with
  // this object's monitor held, so nobody can fail it with another reason meanwhile.
  private @Nullable HalException failedWith;

  // All signals are raised or failed. Written by each thread that has applied them.
  private volatile boolean isApplied;

  // Used by the drainer that issues the operation, and, while it is ready, with the lock of
  // QueueLists held.
  private boolean isPutBack; // its work cannot be issued with the weight that was asked for

  // Links in OpenList, guarded by the lock of QueueLists.
  @Nullable Operation<E> openBefore;
  @Nullable Operation<E> openAfter;

  /** It was added to the operations to retire; guarded by the lock of {@link QueueLists}. */
  boolean isToRetire;

  /** Link in the lists of {@link QueueLists}; used by one thread alone once it has taken a list. */
  @Nullable Operation<E> nextToRetire;

  /** Link in the list of operations in flight, with the same owner as {@link #nextToRetire}. */
  @Nullable Operation<E> nextInFlight;

  // When it was enqueued. Written like the waits above.
  private long since;

  // Written with the lock of QueueLists held, read without it; see place().
  private long place;

  // Written by host threads that poll the event, read by the completion thread.
  private volatile boolean isPolled;

  @SuppressWarnings("unchecked") // an empty array of any type
  Operation(OperationQueue<E> queue, Work<E> work) {
    this.queue = queue;
    this.work = work;
    this.waits = (OperationWait<E>[]) NO_WAITS;
  }

  // State.

  State state() {
    return state;
  }

  /** Whether it is being enqueued, or it was issued and is not over. */
  public boolean isUnderWay() {
    State now = state;
    return now == State.NEW || now == State.ISSUED;
  }

  /** Whether it waits for something that is not covered by an event, or is being enqueued. */
  public boolean isParked() {
    State now = state;
    return now == State.NEW || now == State.PARKED;
  }

  /** Whether it is open, or was: its queue has accepted it. */
  public boolean isAccepted() {
    return key != 0;
  }

  boolean changeState(State from, State to) {
    return STATE.compareAndSet(this, from, to);
  }

  /**
   * Becomes FAILED because of {@code reason} if it is in one of the two states. If several threads
   * try, one succeeds.
   */
  synchronized boolean failFrom(State from, State orFrom, HalException reason) {
    if (!changeState(from, State.FAILED) && !changeState(orFrom, State.FAILED)) {
      return false;
    }
    failedWith = reason; // no call behind the change: there may be no stack left for one
    return true;
  }

  // Waits and signals.

  /**
   * Captures the fences, and asks the work for its weight. For the enqueuing thread, while no other
   * can see the operation: what this throws refuses it.
   */
  @SuppressWarnings("unchecked") // an array of OperationWait<E>
  void capture(Fence waitFence, Fence signalFence, NativeStream<E> stream) {
    since = CoarseClock.nanoTime();
    int count = waitFence.size();
    if (count > 0) {
      waits = (OperationWait<E>[]) new OperationWait<?>[count];
      for (int i = 0; i < count; i++) {
        waits[i] =
            new OperationWait<>(
                this, EngineSemaphore.of(waitFence.semaphore(i)), waitFence.value(i));
      }
    }
    for (int i = 0; i < signalFence.size(); i++) {
      EngineSemaphore ignored = EngineSemaphore.of(signalFence.semaphore(i));
    }
    signals = signalFence;
    isTimed = timingWeight(stream) >= 0;
    weigh(stream);
    mayBlock = work.mayBlock(stream);
  }

  private static int timingWeight(NativeStream<?> stream) {
    return stream.timingWeight(FlightRecorder.recordsExecutions());
  }

  private void weigh(NativeStream<E> stream) {
    weight = (isPutBack ? work.weightOfEach(stream) : work.weight(stream)) + ownWeight(stream);
  }

  /** The weight of everything but the commands: the waits, the event, and the measurement. */
  private int ownWeight(NativeStream<E> stream) {
    return waits.length + 1 + (isTimed ? stream.timingWeight(true) : 0);
  }

  /**
   * Asks for the weight again if it may have changed. Called when the operation may be issued, with
   * the lock of {@link QueueLists} held. From then on the weight stays, unless the operation is put
   * back. What the stream throws fails this operation, whose turn comes with the weight that it
   * has.
   */
  void weighAgain(NativeStream<E> stream) {
    if (state != State.FAILED && work.weightMayChange()) {
      try {
        weigh(stream);
      } catch (Throwable t) { // whatever a driver throws must not stop the drainer
        failOwnWork(Failures.of(t));
      }
    }
  }

  /** Whether its weight is that of all commands one by one. For the drainer, while it issues. */
  public boolean hasRoomForEach() {
    return isPutBack
        || !work.weightMayChange()
        || weight >= work.weightOfEach(queue.stream()) + ownWeight(queue.stream());
  }

  /**
   * Called by its work while it is issued: the work has issued nothing, and needs the weight of all
   * commands one by one.
   */
  public void putBack() {
    isPutBack = true;
  }

  public boolean isPutBack() {
    return isPutBack;
  }

  /** Called while it is issued: the rest would have to wait, so the issue thread issues it all. */
  public void leaveToIssueThread() {
    mayBlock = true;
  }

  void setServesCopy(boolean serves) {
    servesCopy = serves;
  }

  /**
   * Whether it is a chunk of a copy between devices, which continues while the device is closing.
   */
  public boolean servesCopy() {
    return servesCopy;
  }

  int waitCount() {
    return waits.length;
  }

  OperationWait<E> wait(int index) {
    return waits[index];
  }

  int signalCount() {
    return signals.size();
  }

  EngineSemaphore signal(int index) {
    return EngineSemaphore.of(signals.semaphore(index));
  }

  long signalValue(int index) {
    return signals.value(index);
  }

  /**
   * Whether every wait is reached, rather than only covered by the event of a producer that has not
   * succeeded yet. For the drainer, while it issues this operation.
   */
  public boolean waitsReached() {
    for (int i = 0; i < waits.length; i++) {
      Operation<?> producer = waits[i].producer();
      if (producer != null && !producer.hasSucceeded()) {
        return false;
      }
    }
    return true;
  }

  /** Whether it begins only once {@code semaphore} has reached {@code value}, or more. */
  boolean waitsFor(EngineSemaphore semaphore, long value) {
    for (int i = 0; i < waits.length; i++) {
      if (waits[i].semaphore() == semaphore && waits[i].value() >= value) {
        return true;
      }
    }
    return false;
  }

  void addOpenWait() {
    OPEN_WAITS.getAndAdd(this, 1);
  }

  /** Ends one wait. Returns true for the last one. */
  boolean countDown() {
    return (int) OPEN_WAITS.getAndAdd(this, -1) == 1;
  }

  /**
   * The position in the order of issue, starting at 1, or 0 if the operation is not in flight yet.
   * A thread that reads it without the lock of {@link QueueLists} may see 0 a little longer, even
   * once the event is recorded. That costs {@link PollingPace#endPoll} a needless wake-up.
   */
  long place() {
    return place;
  }

  /**
   * Whether a host thread is polling the event, and will settle the operation when it fires. If
   * several threads poll, the first one that stops clears this, and then the completion thread
   * looks as well.
   */
  boolean isPolled() {
    return isPolled;
  }

  void setPolled(boolean polled) {
    isPolled = polled;
  }

  void setPlace(long newPlace) {
    place = newPlace;
  }

  /** How much of {@link NativeStream#capacity()} it takes up, its waits and its event included. */
  int weight() {
    return weight;
  }

  /** Whether issuing it may block even though it fits into the stream. */
  public boolean mayBlock() {
    return mayBlock;
  }

  // What is recorded of it.

  /** Whether its stream measures when it runs. */
  public boolean isTimed() {
    return isTimed;
  }

  /** Tells the recorder that it was enqueued. */
  void recordSubmission(String kind, long kernel, int commands) {
    int recorded = 0;
    for (int i = 0; i < waits.length; i++) {
      recorded += waits[i].needsSignal() ? 1 : 0;
    }
    FlightRecorder.submission(
        queue.number(), key, kind, kernel, commands, recorded, signals.size());
  }

  /** Records its timepoints, but no wait for a value that a timeline had from the start. */
  void recordEdges() {
    for (int i = 0; i < waits.length; i++) {
      if (waits[i].needsSignal()) {
        FlightRecorder.edge(
            waits[i].semaphore().number(), waits[i].value(), false, queue.number(), key);
      }
    }
    for (int i = 0; i < signals.size(); i++) {
      FlightRecorder.edge(signal(i).number(), signalValue(i), true, queue.number(), key);
    }
  }

  /**
   * Tells host threads that wait for its signals that an event will cover them soon, if it is left
   * to the issue thread. Called when nothing but its turn is in the way any more.
   */
  void announce() {
    long spin = mayBlock ? queue.spinNanos() : 0;
    if (spin > 0) {
      long until = System.nanoTime() + spin;
      for (int i = 0; i < signals.size(); i++) {
        signal(i).expectEvent(until);
      }
    }
  }

  /** Tells the recorder that it is being issued. For the drainer. */
  void recordIssue() {
    if (span == null && FlightRecorder.recordsOperations()) {
      span = FlightRecorder.operation(queue.number(), key);
    }
  }

  /**
   * Tells the recorder the verdict. For the thread that has fixed it, with no lock held. Throws
   * nothing, as the signals are still to be applied.
   */
  private void recordVerdict() {
    HalException reason = verdict;
    try {
      Span begun = span;
      if (begun == null && reason != null && FlightRecorder.recordsOperations()) {
        begun = FlightRecorder.operation(queue.number(), key); // it was never issued
      }
      Span.end(begun, reason == null ? null : reason.status().name());
    } catch (Throwable exhausted) {
      return; // a record is lost, and not the operation
    }
  }

  // Failure and event.

  @Override
  public long spinNanos() {
    return queue.spinNanos();
  }

  /** Records a failure of this operation itself. Only the first one is kept. */
  public void failWork(HalException failure) {
    WORK_FAILURE.compareAndSet(this, null, failure);
  }

  /**
   * Records a failure of this operation as {@link #failWork} does, for what has not come from
   * elsewhere: whoever gets the failure is told which operation it was.
   */
  public void failOwnWork(HalException failure) {
    failWork(asOwn(failure));
  }

  /**
   * The failure as one of this operation, unless it names another one already. That of a part is
   * told by the operation that it is a part of, and so stays as it is; the loss of its device does
   * as well, since that tells itself what it was seen behind.
   */
  public HalException asOwn(HalException failure) {
    try {
      return servesCopy || failure.operation() != null || failure == queue.lost()
          ? failure
          : failure.of(new FailedOperation(queue.name(), key, work.describe()));
    } catch (Throwable exhausted) { // no memory or stack: it fails all the same
      return failure;
    }
  }

  @Nullable HalException workFailure() {
    return workFailure;
  }

  /** For {@link Outcomes}: whether the calling thread is to ask the driver, and nobody else. */
  boolean beginOutcome() {
    return OUTCOME.compareAndSet(this, UNASKED, ASKING);
  }

  boolean isOutcomeKnown() {
    return outcome == KNOWN;
  }

  /** Whether the driver has yet to be asked how the work has ended; see {@link Outcomes}. */
  boolean isOutcomeOpen() {
    return queue.isOutcomeOpen(this);
  }

  /**
   * Called by the drainer once the event is recorded and before the operation is published, and
   * with null by the thread that completes the operation.
   */
  void setEvent(@Nullable PooledEvent<E> recorded) {
    event = recorded;
  }

  /** The event, without a reference to it. For the thread that completes this operation. */
  @Nullable PooledEvent<E> event() {
    return event;
  }

  /**
   * The event with a reference for the caller, or null if it was not recorded yet or has already
   * been dropped.
   */
  @Nullable PooledEvent<E> retainEvent() {
    PooledEvent<E> found = event;
    if (found == null || !found.tryRetain()) {
      return null;
    }
    if (event != found) {
      // Between the read and tryRetain() this operation dropped its event, and another one acquired
      // it from the pool.
      found.release();
      return null;
    }
    return found;
  }

  @Override
  public boolean settleWhenFired(long end, BooleanSupplier isOver) {
    if (isApplied) {
      return true;
    }
    return queue.poll(this, end, isOver);
  }

  // Verdict. Settling calls these in the order that it explains.

  boolean hasVerdict() {
    return hasVerdict;
  }

  /** Why the operation failed. Null if it succeeded, or if {@link #hasVerdict()} is false. */
  public @Nullable HalException failure() {
    return hasVerdict ? verdict : null;
  }

  /** Whether it has succeeded and its signals are raised. */
  public boolean hasSucceeded() {
    return isApplied && failure() == null;
  }

  /** Whether all signals are raised or failed. */
  public boolean isApplied() {
    return isApplied;
  }

  void setApplied() {
    isApplied = true;
  }

  /**
   * Fixes the verdict, unless that was done before, and releases the producers, unless the stream
   * may still wait for them: {@link StreamWatch} needs them until the operation retires. This and
   * {@link #fixVerdictIfForeseen} are the only places where an operation gets its verdict.
   *
   * <p>The verdict is why it is FAILED if it is, otherwise {@code forced} if that is not null,
   * otherwise the first failure among the producers', otherwise this operation's own failure,
   * otherwise the loss of its device, otherwise success. Unless {@code forced} is given, all
   * producers must be applied.
   */
  void fixVerdict(@Nullable HalException forced) {
    synchronized (this) {
      if (hasVerdict) {
        return;
      }
      HalException first = failedWith != null ? failedWith : forced;
      fixLocked(first != null ? first : foreseeFailure());
    }
    if (forced == null || state == State.FAILED) {
      releaseProducers();
    }
    recordVerdict();
  }

  /**
   * Fixes the verdict like {@link #fixVerdict} without {@code forced}, but only if all producers
   * are applied. Returns whether there is a verdict now.
   */
  boolean fixVerdictIfForeseen() {
    synchronized (this) {
      if (hasVerdict) {
        return true;
      }
      for (int i = 0; i < waits.length; i++) {
        Operation<?> producer = waits[i].producer();
        if (producer != null && !producer.isApplied) {
          return false;
        }
      }
      fixLocked(foreseeFailure());
    }
    releaseProducers();
    recordVerdict();
    return true;
  }

  private void fixLocked(@Nullable HalException newVerdict) {
    verdict = newVerdict;
    // Before hasVerdict is set: a thread that sees the verdict may apply it and have the operation
    // retired, which needs SETTLED, before this thread continues.
    changeState(State.ISSUED, State.SETTLED);
    hasVerdict = true;
  }

  /**
   * Lets go of the producers once the verdict is fixed; until then the cause of a failure can be
   * found. Also called when it retires, and by the thread that has registered waits while another
   * one failed it.
   */
  synchronized void releaseProducers() {
    for (int i = 0; hasVerdict && i < waits.length; i++) {
      waits[i].producer = null;
    }
  }

  /**
   * What the verdict would be if it were fixed now: a failure, or null for success. All producers
   * must be applied.
   */
  synchronized @Nullable HalException foreseeFailure() {
    if (hasVerdict) {
      return verdict;
    }
    // Producers first: work that ran behind a failed producer often fails because of that.
    for (int i = 0; i < waits.length; i++) {
      Operation<?> producer = waits[i].producer();
      HalException reason = producer == null ? null : producer.failure();
      if (reason != null) {
        return reason;
      }
    }
    HalException own = workFailure;
    return own != null ? own : queue.lost();
  }

  /**
   * Whether its stream may not be past it. For any thread; afterwards it sees the producers, unless
   * another thread lets go of them meanwhile.
   */
  boolean isInStream() {
    return event != null;
  }

  /**
   * If its event may never fire, since its device is lost, or was closed past its deadline before
   * the operation was over: why the operation has failed, or is about to fail. Otherwise null.
   */
  @Nullable HalException whyGone() {
    if (!queue.end().hasBegun() || (state == State.RETIRED && queue.lost() == null)) {
      return null;
    }
    return hasVerdict ? verdict : queue.lost();
  }

  /**
   * For a thread that saw a stream get past this operation's event; see {@link
   * EventInquiry#confirm}.
   */
  boolean confirm(boolean isOwnDevice, boolean mayWait) {
    return queue.inquiry().confirm(this, isOwnDevice, mayWait);
  }

  /**
   * Names a native call behind this operation's work, for messages: the work that ran last is the
   * most likely cause of a failure.
   */
  String behind(String call) {
    return call + " behind " + name();
  }

  /** The operation's number and kind, for messages. */
  String name() {
    return "operation " + key + " (" + work.describe() + ")";
  }

  /** What there is to tell of this operation, or null if there is nothing yet, or no more. */
  @Nullable OpenOperation tell() {
    State now = state;
    if (now == State.NEW || now == State.RETIRED) {
      return null;
    }
    List<Timepoint> openWaits = new ArrayList<>(waits.length);
    for (int i = 0; i < waits.length; i++) {
      EngineSemaphore semaphore = waits[i].semaphore();
      if (semaphore.over() == null && semaphore.currentValue() < waits[i].value()) {
        openWaits.add(semaphore.at(waits[i].value()));
      }
    }
    List<Timepoint> ownSignals = new ArrayList<>(signals.size());
    for (int i = 0; i < signals.size(); i++) {
      ownSignals.add(signal(i).at(signalValue(i)));
    }
    return new OpenOperation(
        queue.name(), key, work.describe(), now.toString(), since, openWaits, ownSignals);
  }

  /** Adds the producers that are not applied yet to {@code to}; none once the verdict is fixed. */
  public synchronized void addOpenProducers(List<? super Operation<?>> to) {
    if (hasVerdict) {
      return;
    }
    for (int i = 0; i < waits.length; i++) {
      Operation<?> producer = waits[i].producer();
      if (producer != null && !producer.isApplied()) {
        to.add(producer);
      }
    }
  }
}
