// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.concurrent.HeapNode;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.Producer;
import org.jhal.engine.timeline.ReadyQueue;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a queue: its waits, its signals, its work, its state and its outcome. One that
 * is issued may have its outcome long before it ends, such as when its device is lost.
 *
 * <p>Each submission has an object of its own, which the garbage collector frees (rule K3). It lets
 * go of its producers with its outcome, so that a chain of operations is not kept by its last one.
 */
public final class Operation<E> extends HeapNode implements Producer {
  /** How far an operation has come. */
  public enum State {
    /** Being filled in by the thread that enqueues it; no other thread sees it. */
    NEW,
    /** At least one wait is open, or its thread has yet to register one. */
    PARKED,
    /** All waits are reached or covered; in the heap of ready operations, or about to be. */
    READY,
    /** Claimed by the drainer: handed to the stream, or about to be. */
    ISSUED,
    /** Over: it has failed without having been issued, or what it held is released. */
    DONE
  }

  private static final VarHandle STATE = handle("state", State.class);
  private static final VarHandle OPEN_WAITS = handle("openWaits", int.class);
  private static final VarHandle WORK_FAILURE = handle("workFailure", HalException.class);

  private static VarHandle handle(String field, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
        MethodHandles.lookup(), field, VarHandle.class, Operation.class, type);
  }

  /** The outcome of an operation that has succeeded. Another outcome is why it has failed. */
  private static final Object SUCCESS = new Object();

  public final DeferredWorkQueue<E> queue;
  public final Work<E> work;

  /** Whether it is a chunk of a copy between devices, which goes on while the device is closing. */
  public final boolean servesCopy;

  // Any thread changes it, by compare-and-set, so that one makes each change. OpenList.add alone
  // sets it plainly, in the critical section from which on others see the operation.
  volatile State state = State.NEW;

  // Waits that have not ended, plus one until all of them are registered. The thread that counts it
  // down to zero makes the operation READY. Set by the enqueuing thread while NEW.
  @SuppressWarnings("UnusedVariable") // used through its handle
  private volatile int openWaits;

  // Written by the enqueuing thread while NEW, then constant. The fields of an
  // OperationWait's outcome are an exception; see WaitNode.
  private OperationWait<E>[] waits;
  private Fence signals = Fence.NONE;
  long since; // when it was enqueued

  // How much of NativeStream.capacity() it takes up. Changed by the enqueuing thread, and while it
  // is ready with the lock of IssueLine held.
  private int weight;

  // Only the issue thread may issue it. Used by the enqueuing thread, by the drainer that issues
  // the operation, and, while that is ready, with the lock of IssueLine held.
  private boolean mayBlock;
  private boolean isTimed; // the stream measures when it runs
  private boolean timesCommands; // the stream measures when each of its commands runs
  private boolean isPutBack; // see putBack(); read and written as mayBlock is

  /** Recorded from the issue on. Ended by the thread that decides the outcome. */
  volatile @Nullable Span span;

  /**
   * The first failure of this operation itself: of a wait, its native work, or its host completion.
   * Set by any thread, by compare-and-set. One that has no outcome yet fails with it, unless a
   * producer has failed.
   */
  private volatile @Nullable HalException workFailure;

  // The event recorded behind the work. Written by the drainer before it publishes the operation,
  // cleared by the thread that completes it, read by any thread.
  private volatile @Nullable PooledEvent<E> event;

  /** Its host completion if that is brief. Set by the drainer before it publishes the operation. */
  @Nullable BriefRun brief;

  // Null, SUCCESS or a HalException. Set once, with this object's monitor held.
  private volatile @Nullable Object outcome;

  // All signals are raised or failed. Written by each thread that has applied them.
  private volatile boolean isApplied;

  // Links in OpenList, guarded by its lock.
  @Nullable Operation<E> openBefore;
  @Nullable Operation<E> openAfter;

  boolean isToRetire; // see Retiring.retireLater

  /**
   * An error has interrupted the end of its host completion, which no other thread ends: it is kept
   * once the device is lost. Written as {@link ReadyQueue#brokenBy} is, and for the same reason.
   */
  public volatile boolean isHalfEnded;

  /** Its entry in the record of hazards; null if there is none. Set while it is NEW. */
  @Nullable RecordedOperation recorded;

  boolean isKept; // see OpenList.keep; guarded by its lock

  /** Link in an {@link OperationChain}, of which it is in one at a time. */
  @Nullable Operation<E> next;

  /**
   * The position in the order of issue, starting at 1, or 0 if the operation is not in flight yet.
   * Written with the lock of {@link IssueLine} held. A thread that reads it without may see 0 a
   * little longer, which costs a needless wake-up or query.
   */
  long place;

  /**
   * A host thread polls the event, and will settle the operation when it fires. If several threads
   * poll, the first one that stops clears this, and then the completion thread looks as well.
   */
  volatile boolean isPolled;

  Operation(DeferredWorkQueue<E> queue, Work<E> work, boolean servesCopy) {
    this.queue = queue;
    this.work = work;
    this.servesCopy = servesCopy;
    this.waits = OperationWait.none();
  }

  // State.

  State state() {
    return state;
  }

  /** Whether it is being enqueued, or it was issued and has no outcome yet. */
  public boolean isUnderWay() {
    State now = state;
    return now == State.NEW || (now == State.ISSUED && outcome == null);
  }

  /** Whether it waits for something that is not covered by an event, or is being enqueued. */
  public boolean isParked() {
    State now = state;
    return now == State.NEW || now == State.PARKED;
  }

  /** Whether its queue has accepted it, so that it is open, or was. */
  public boolean isAccepted() {
    return key != 0;
  }

  boolean changeState(State from, State to) {
    return STATE.compareAndSet(this, from, to);
  }

  // Outcome. Settling decides it in the order that it explains.

  /**
   * Fails it if it was not issued: it is DONE, and {@code reason} is its outcome. If several
   * threads try, one succeeds.
   */
  synchronized boolean failUnissued(HalException reason) {
    if (!changeState(State.PARKED, State.DONE) && !changeState(State.READY, State.DONE)) {
      return false;
    }
    outcome = reason;
    return true;
  }

  /** Makes it READY again that could not be issued, unless it has its outcome meanwhile. */
  synchronized boolean returnToReady() {
    return outcome == null && changeState(State.ISSUED, State.READY);
  }

  /**
   * Decides the outcome while there is none.
   *
   * @param failure null for success
   */
  @GuardedBy("this")
  void decide(@Nullable HalException failure) {
    outcome = failure == null ? SUCCESS : failure;
  }

  boolean hasOutcome() {
    return outcome != null;
  }

  /** Why it has failed; null if it has succeeded, or has no outcome yet. */
  public @Nullable HalException failure() {
    return outcome instanceof HalException failure ? failure : null;
  }

  /** Whether it has succeeded and its signals are raised. */
  public boolean hasSucceeded() {
    return isApplied && outcome == SUCCESS;
  }

  /** Whether all signals are raised or failed. */
  public boolean isApplied() {
    return isApplied;
  }

  void setApplied() {
    isApplied = true;
  }

  /** Tells the record of hazards, if there is one, that it has failed. */
  void recordFailure() {
    RecordedOperation own = recorded;
    HazardRecord record = own == null ? null : HazardRecord.current();
    if (own != null && record != null) {
      record.failed(own);
    }
  }

  /** Records a failure of this operation itself. Only the first one is kept. */
  public void failWork(HalException failure) {
    WORK_FAILURE.compareAndSet(this, null, failure);
  }

  /** As {@link #failWork}, for a failure that names this operation unless it names another. */
  public void failOwnWork(HalException failure) {
    failWork(asOwn(failure));
  }

  /**
   * The failure as one that names this operation, unless it names one already. That of a part will
   * name the operation that the part belongs to, and the message of a loss has the operation after
   * which it was detected.
   */
  public HalException asOwn(HalException failure) {
    try {
      return servesCopy || failure.operation() != null || failure == queue.lost()
          ? failure
          : failure.of(new FailedOperation(queue.name(), key, work.describe()));
    } catch (VirtualMachineError exhausted) { // no memory or stack: it fails all the same
      return failure;
    }
  }

  public @Nullable HalException workFailure() {
    return workFailure;
  }

  // Waits and signals.

  /**
   * Captures the fences, and asks the work for its weight. For the enqueuing thread, while no other
   * can see the operation: what this throws refuses it.
   */
  void capture(Fence waitFence, Fence signalFence, NativeStream<E> stream) {
    since = CoarseClock.nanoTime();
    waits = OperationWait.of(this, waitFence);
    OPEN_WAITS.set(this, waits.length + 1);
    for (int i = 0; i < signalFence.size(); i++) {
      EngineSemaphore.of(signalFence.semaphore(i));
    }
    signals = signalFence;
    isTimed = stream.timingWeight(FlightRecorder.recordsExecutions()) >= 0;
    timesCommands =
        work.hasCommandTimes()
            && FlightRecorder.recordsCommands()
            && stream.commandTimingWeight() >= 0;
    weigh(stream);
    mayBlock = work.mayBlock(stream);
  }

  OperationWait<E>[] waits() {
    return waits;
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

  boolean signals(TimelineSemaphore semaphore) {
    return signalValue(semaphore) >= 0;
  }

  /** The value to which it will raise a timeline, or -1. */
  long signalValue(TimelineSemaphore semaphore) {
    for (int i = 0; i < signals.size(); i++) {
      if (signals.semaphore(i) == semaphore) {
        return signals.value(i);
      }
    }
    return -1;
  }

  /** The number of each timeline that it waits for and the value, by turns. */
  public long[] numberedWaits() {
    OperationWait<E>[] all = waits;
    long[] numbers = new long[2 * all.length];
    for (int i = 0; i < all.length; i++) {
      numbers[2 * i] = all[i].semaphore().number();
      numbers[2 * i + 1] = all[i].value();
    }
    return numbers;
  }

  /** As {@link #numberedWaits}, of what it signals. */
  public long[] numberedSignals() {
    long[] numbers = new long[2 * signalCount()];
    for (int i = 0; i < signalCount(); i++) {
      numbers[2 * i] = signal(i).number();
      numbers[2 * i + 1] = signalValue(i);
    }
    return numbers;
  }

  /** Ends one wait. Returns true for the last one. */
  boolean countDown() {
    return (int) OPEN_WAITS.getAndAdd(this, -1) == 1;
  }

  /**
   * Ends what there is about covered waits while it is parked: nothing watches them any more, and
   * those whose values are reached by now have no producer. For the drainer, before it issues this.
   */
  void endCoveredWaits() {
    for (OperationWait<E> wait : waits) {
      wait.endWatch();
      wait.dropReached();
    }
  }

  /** The stream may wait for all producers from now on, although this is put back. */
  void waitInStream() {
    for (OperationWait<E> wait : waits) {
      wait.setInStream();
    }
  }

  /**
   * Whether every wait is reached, rather than only covered by the event of a producer whose stream
   * is not past it. Asks the runtime, since completion threads may not have looked for a while. For
   * the drainer, while it issues this operation.
   */
  public boolean waitsReached() {
    for (OperationWait<E> wait : waits) {
      if (!wait.isOver()) {
        return false;
      }
    }
    return true;
  }

  /** The first failure among those of its producers, or null. */
  @Nullable HalException producerFailure() {
    for (OperationWait<E> wait : waits) {
      Operation<?> producer = wait.producer();
      HalException failure = producer == null ? null : producer.failure();
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /** Adds the producers that are not applied yet to {@code to}; none once there is an outcome. */
  public synchronized void addOpenProducers(List<Operation<?>> to) {
    for (int i = 0; outcome == null && i < waits.length; i++) {
      Operation<?> producer = waits[i].producer();
      if (producer != null && !producer.isApplied()) {
        to.add(producer);
      }
    }
  }

  /**
   * Lets go of the producers once there is an outcome; until then the cause of a failure can be
   * found. Also called when it retires, and by the thread that has registered waits while another
   * one failed it.
   */
  synchronized void releaseProducers() {
    for (int i = 0; outcome != null && i < waits.length; i++) {
      waits[i].producer = null;
    }
  }

  // What it takes up of the stream, and who may issue it.

  /** Asks the work for its weight; see the field for who may. */
  void weigh(NativeStream<E> stream) {
    weight =
        (isPutBack || timesCommands ? work.weightOfEach(stream) : work.weight(stream))
            + ownWeight(stream);
  }

  /** The weight of everything but the commands: the waits, the event, and the measurement. */
  private int ownWeight(NativeStream<E> stream) {
    return waits.length
        + 1
        + (isTimed ? stream.timingWeight(true) : 0)
        + (timesCommands ? timesWeight(stream) : 0);
  }

  private int timesWeight(NativeStream<E> stream) {
    long all = (1L + work.commandCount()) * Math.max(0, stream.commandTimingWeight());
    return (int) Math.min(all, Integer.MAX_VALUE / 4);
  }

  /** How much of {@link NativeStream#capacity()} it takes up, its waits and its event included. */
  int weight() {
    return weight;
  }

  /** Whether its weight is that of all commands one by one. For the drainer, while it issues. */
  public boolean hasRoomForEach() {
    return isPutBack
        || !work.weightMayChange()
        || weight >= work.weightOfEach(queue.stream) + ownWeight(queue.stream);
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

  /** Whether issuing it may block even though it fits, so that only the issue thread may. */
  public boolean mayBlock() {
    return mayBlock;
  }

  /** Called while it is issued: the rest would have to wait, so the issue thread issues it all. */
  public void leaveToIssueThread() {
    mayBlock = true;
  }

  /** Whether its stream measures when it runs. */
  public boolean isTimed() {
    return isTimed;
  }

  /** Whether its stream measures when each of its commands runs. */
  public boolean timesCommands() {
    return timesCommands;
  }

  // Event.

  void setEvent(@Nullable PooledEvent<E> recorded) {
    event = recorded;
  }

  /**
   * The event, without a reference for the caller: for the thread that completes this operation.
   */
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
  public long spinNanos() {
    return queue.spinNanos;
  }

  @Override
  public boolean settleWhenFired(long end, BooleanSupplier isOver) {
    return isApplied || queue.poll(this, end, isOver);
  }

  @Override
  public void want() {
    queue.want(this);
  }

  // Messages.

  /** The operation's number and kind, for messages. */
  String name() {
    return "operation " + key + " (" + work.describe() + ")";
  }

  /** Names a native call behind its work, for messages: what ran last is the likely cause. */
  String behind(String call) {
    return call + " behind " + name();
  }
}
