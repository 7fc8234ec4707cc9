package org.jhal.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.HeapNode;
import org.jspecify.annotations.Nullable;

/**
 * One accepted operation: what it waits for, what it signals, its work, and where it is in its
 * life.
 *
 * <p>Objects are used again (rule K3). One goes back to its queue when the last reference is gone.
 * References are held by the queue until it retires the operation, by each registered wait, by the
 * ready list, by each semaphore that keeps its event, by each operation that waits natively for its
 * event, and by each thread that looks at it. So whoever can still see an operation sees the same
 * one.
 */
public final class Operation<E> extends HeapNode {
  /** Where an operation is; each change is one compare-and-set, so one thread makes it. */
  public enum State {
    /** In no use. */
    FREE,
    /** Being enqueued: its waits are being registered. */
    REGISTERING,
    /** Some wait is open. */
    PARKED,
    /** Nothing to wait for on the host; in the ready list. */
    READY,
    /** Claimed by the drainer: handed to the stream, or about to be. */
    ISSUED,
    /** Verdict fixed after it was issued. */
    SETTLED,
    /** Verdict fixed before it was issued: a wait failed, or the device closed or was lost. */
    FAILED,
    /** Its resources are released. */
    RETIRED
  }

  private static final VarHandle STATE;
  private static final VarHandle OPEN_WAITS;
  private static final VarHandle REFERENCES;
  private static final VarHandle WORK_FAILURE;
  private static final OperationWait<?>[] NO_WAITS = {};
  private static final EngineSemaphore[] NO_SEMAPHORES = {};
  private static final long[] NO_VALUES = {};

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Operation.class, "state", State.class);
      OPEN_WAITS = lookup.findVarHandle(Operation.class, "openWaits", int.class);
      REFERENCES = lookup.findVarHandle(Operation.class, "references", int.class);
      WORK_FAILURE = lookup.findVarHandle(Operation.class, "workFailure", HalException.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  public final DeferredWorkQueue<E> queue;
  public final Work<E> work;

  private volatile State state = State.FREE;

  @SuppressWarnings("UnusedVariable") // through its updater
  private volatile int openWaits = 1; // waits whose fate is open, plus one until all are registered

  @SuppressWarnings("UnusedVariable") // through its updater
  private volatile int references = 1; // the queue's, from the beginning

  // Captured by the enqueuing thread while REGISTERING; constant until the operation is free again.
  private OperationWait<E>[] waits;
  private int waitCount;
  private EngineSemaphore[] signals = NO_SEMAPHORES;
  private long[] signalValues = NO_VALUES;
  private int signalCount;
  private boolean servesCopy; // a chunk of a copy between devices; written once it is REGISTERING

  /**
   * The first thing that went wrong with this operation itself: a wait, its native work, its host
   * completion.
   */
  private volatile @Nullable HalException workFailure;

  private volatile @Nullable PooledEvent<E>
      event; // recorded behind the work; null before and after
  private volatile boolean hasVerdict; // set once, under this object's monitor
  private @Nullable HalException verdict; // null for success; written before hasVerdict
  private volatile boolean isApplied; // the signals are raised or failed; set after they are

  // Links of the queue's lists, guarded by its lock.
  @Nullable Operation<E> openBefore;
  @Nullable Operation<E> openAfter;
  @Nullable Operation<E> nextToRetire;

  /** Of the list of operations in flight; of who completes, once the list was taken. */
  @Nullable Operation<E> nextInFlight;

  /** Of the list of free operations, and how many there are from here on. */
  @Nullable Operation<E> nextFree;

  int freeFromHere;

  /** How much of {@link NativeStream#capacity()} it takes; constant once it is enqueued. */
  private int weight;

  private boolean mayBlock; // likewise: only the issue thread issues it

  private long place; // see place()
  private volatile boolean isPolled;

  @SuppressWarnings("unchecked") // an empty array of any type
  Operation(DeferredWorkQueue<E> queue, Function<Operation<E>, Work<E>> works) {
    this.queue = queue;
    this.work = works.apply(this);
    this.waits = (OperationWait<E>[]) NO_WAITS;
  }

  // Life.

  /** From FREE to REGISTERING. By the thread that took it from the free list. */
  void begin() {
    state = State.REGISTERING;
  }

  /**
   * Becomes READY, or ISSUED for the thread that has the drainer's role, with no wait registered.
   * By the thread that enqueues, and not seen by any other yet.
   */
  void beginAs(State first) {
    state = first;
  }

  State state() {
    return state;
  }

  boolean changeState(State from, State to) {
    return STATE.compareAndSet(this, from, to);
  }

  void retain() {
    REFERENCES.getAndAdd(this, 1);
  }

  /** Drops a reference; with the last one the operation is free to be used again. */
  void release() {
    if ((int) REFERENCES.getAndAdd(this, -1) == 1) {
      for (int i = 0; i < waitCount; i++) {
        waits[i].clear();
      }
      Arrays.fill(signals, 0, signalCount, null);
      waitCount = 0;
      signalCount = 0;
      references = 1;
      openWaits = 1;
      workFailure = null;
      hasVerdict = false;
      verdict = null;
      isApplied = false;
      state = State.FREE;
      queue.giveBack(this);
    }
  }

  // Waits and signals.

  @SuppressWarnings("unchecked") // an array of OperationWait<E>
  void capture(Fence waitFence, Fence signalFence, NativeStream<E> stream) {
    int count = waitFence.size();
    if (waits.length < count) {
      int old = waits.length;
      waits = Arrays.copyOf(waits, count);
      for (int i = old; i < count; i++) {
        waits[i] = new OperationWait<>(this);
      }
    }
    for (int i = 0; i < count; i++) {
      waits[i].set(EngineSemaphore.of(waitFence.semaphore(i)), waitFence.value(i));
    }
    waitCount = count;
    count = signalFence.size();
    if (signals.length < count) {
      signals = new EngineSemaphore[count];
      signalValues = new long[count];
    }
    for (int i = 0; i < count; i++) {
      signals[i] = EngineSemaphore.of(signalFence.semaphore(i));
      signalValues[i] = signalFence.value(i);
    }
    signalCount = count;
    weight = work.weight(stream) + waitCount + 1;
    mayBlock = work.mayBlock(stream);
  }

  void setServesCopy(boolean serves) {
    servesCopy = serves;
  }

  /** Whether it is a chunk of a copy between devices, which goes on while the device is closing. */
  boolean servesCopy() {
    return servesCopy;
  }

  int waitCount() {
    return waitCount;
  }

  OperationWait<E> wait(int index) {
    return waits[index];
  }

  int signalCount() {
    return signalCount;
  }

  EngineSemaphore signal(int index) {
    return signals[index];
  }

  long signalValue(int index) {
    return signalValues[index];
  }

  /**
   * Whether every wait was reached, none only covered by the event of a producer that is not over.
   * For the drainer, while it issues this.
   */
  public boolean waitsReached() {
    for (int i = 0; i < waitCount; i++) {
      Operation<?> producer = waits[i].producer;
      if (producer != null && !producer.hasSucceeded()) {
        return false;
      }
    }
    return true;
  }

  void addOpenWait() {
    OPEN_WAITS.getAndAdd(this, 1);
  }

  /** One wait less; true for the last one. */
  boolean countDown() {
    return (int) OPEN_WAITS.getAndAdd(this, -1) == 1;
  }

  /**
   * How many operations had been in flight with this one. Read without the lock of the lists: a
   * thread may see the number of an earlier use, which is smaller.
   */
  long place() {
    return place;
  }

  /**
   * Whether a host thread polls the event, and will see first that it has fired. If several do, it
   * may be false before the last has left, and then the completion thread looks as well.
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

  /** How much of {@link NativeStream#capacity()} it takes, its waits and its record included. */
  int weight() {
    return weight;
  }

  /** Whether issuing it may block though it fits into the stream. */
  boolean mayBlock() {
    return mayBlock;
  }

  // Failure and event.

  /** Keeps {@code failure} if it is the first. */
  public void failWork(HalException failure) {
    WORK_FAILURE.compareAndSet(this, null, failure);
  }

  @Nullable HalException workFailure() {
    return workFailure;
  }

  /** Set when the event was recorded, before it is published. */
  void setEvent(@Nullable PooledEvent<E> recorded) {
    event = recorded;
  }

  /** The event; for the thread that will retire this operation. */
  @Nullable PooledEvent<E> event() {
    return event;
  }

  /** The event with a reference for the caller, or null if this operation has retired. */
  @Nullable PooledEvent<E> retainEvent() {
    PooledEvent<E> found = event;
    if (found == null || !found.tryRetain()) {
      return null;
    }
    if (event != found) {
      // Between the read and tryRetain this operation was retired and another one took the event.
      found.release();
      return null;
    }
    return found;
  }

  /**
   * For a host thread: polls the event until {@code end} or until {@code isOver}, and settles this
   * operation if it has fired; returns whether it is settled now.
   */
  boolean settleWhenFired(long end, BooleanSupplier isOver) {
    if (isApplied) {
      return true;
    }
    return queue.poller().poll(this, end, isOver);
  }

  // Verdict; the order of what Settling does with it is explained there.

  boolean hasVerdict() {
    return hasVerdict;
  }

  /** Why the operation failed, null if it succeeded or {@link #hasVerdict()} is false. */
  @Nullable HalException failure() {
    return hasVerdict ? verdict : null;
  }

  /** Whether its event has fired, it has succeeded, and its signals show it. */
  boolean hasSucceeded() {
    return isApplied && failure() == null;
  }

  boolean isApplied() {
    return isApplied;
  }

  void setApplied() {
    isApplied = true;
  }

  /**
   * Fixes the verdict unless it is fixed: failure if there is any of {@code forced}, those of the
   * operations whose events it waited for, and this operation's own, in this order. Lets go of
   * those operations.
   */
  void fixVerdict(@Nullable HalException forced) {
    synchronized (this) {
      if (hasVerdict) {
        return;
      }
      fixLocked(forced != null ? forced : foreseeFailure());
    }
    releaseProducers();
  }

  /**
   * Fixes the verdict as {@code fixVerdict(null)} does, but only if all producers are applied;
   * returns whether there is a verdict now.
   */
  boolean fixVerdictIfForeseen() {
    synchronized (this) {
      if (hasVerdict) {
        return true;
      }
      for (int i = 0; i < waitCount; i++) {
        Operation<?> producer = waits[i].producer;
        if (producer != null && !producer.isApplied) {
          return false;
        }
      }
      fixLocked(foreseeFailure());
    }
    releaseProducers();
    return true;
  }

  private void fixLocked(@Nullable HalException newVerdict) {
    verdict = newVerdict;
    // Before the verdict shows: another thread that sees it may apply it and retire this
    // operation at once.
    changeState(State.ISSUED, State.SETTLED);
    hasVerdict = true;
  }

  /** Nobody reads producers once there is a verdict; see retainProducers. */
  private void releaseProducers() {
    for (int i = 0; i < waitCount; i++) {
      waits[i].releaseProducer();
    }
  }

  /**
   * What the verdict would be now: the failure, or null for success. Producers are to be applied
   * before.
   */
  synchronized @Nullable HalException foreseeFailure() {
    if (hasVerdict) {
      return verdict;
    }
    // Producers first: work that ran although its producer had failed often fails because of that.
    for (int i = 0; i < waitCount; i++) {
      Operation<?> producer = waits[i].producer;
      HalException reason = producer == null ? null : producer.failure();
      if (reason != null) {
        return reason;
      }
    }
    return workFailure;
  }

  /** A native call behind this one's work, for people; what ran last is most likely at fault. */
  String behind(String call) {
    return call + " behind " + name();
  }

  /** Which one it is, for people. */
  String name() {
    return "operation " + key + " (" + work.describe() + ")";
  }

  /** One line for people. The caller holds a reference, so that the operation stays what it is. */
  String describe() {
    StringBuilder text = new StringBuilder();
    text.append("operation ")
        .append(key)
        .append(" (")
        .append(work.describe())
        .append(", ")
        .append(state);
    for (int i = 0; i < waitCount && state == State.PARKED; i++) {
      EngineSemaphore semaphore = waits[i].semaphore();
      if (semaphore.currentValue() < waits[i].value()) {
        text.append(", waits for ").append(semaphore).append(" to reach ").append(waits[i].value());
        text.append(", now at ").append(semaphore.currentValue());
      }
    }
    return text.append(')').toString();
  }

  /**
   * Adds the producers that are not applied yet to {@code stack}, retained; nothing once the
   * verdict is fixed.
   */
  synchronized void retainProducers(Settling.Stack stack) {
    if (hasVerdict) {
      return;
    }
    for (int i = 0; i < waitCount; i++) {
      Operation<?> producer = waits[i].producer;
      if (producer != null && !producer.isApplied()) {
        producer.retain();
        stack.push(producer);
      }
    }
  }
}
