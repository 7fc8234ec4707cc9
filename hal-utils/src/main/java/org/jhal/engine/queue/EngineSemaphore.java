package org.jhal.engine.queue;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jhal.engine.concurrent.PairingHeap;
import org.jspecify.annotations.Nullable;

/**
 * The semaphore of every driver that is built on this engine. It knows no queue and no native type:
 * queues register {@link WaitNode}s and publish {@link Operation}s, whose native events only queues
 * of the same device use.
 *
 * <p>Contract: rules S1 to S10.
 *
 * <p>Thread-safe: any thread may use any method at any time.
 */
public final class EngineSemaphore implements TimelineSemaphore {
  /*
   * What is atomic, one critical section each:
   *   register  over (failed or closed)? reached? covered by an event of the waiter's device? else registered.
   *   publish   over or reached: skipped; else the event is kept, and all waiters of its device for a value up to the
   *             event's leave with the event.
   *   advance   the value grows, covered events go, all waiters for a value up to it leave.
   *   end       (fail, close) the failure is kept, all events go, all waiters leave with it.
   *
   * So a waiter leaves exactly once, and no waiter of a device stays while an event of that device covers it. Who leaves
   * is told by the thread's Cascade, after the lock is free.
   */
  private static final AtomicLong COUNT = new AtomicLong();

  private final long id = COUNT.incrementAndGet();
  private final Runnable onClose;
  private final Object lock = new Object();
  private final SemaphoreLane hostLane = new SemaphoreLane(null); // guarded by lock
  private SemaphoreLane[] lanes = {
    hostLane
  }; // the host's first, then one per device; guarded by lock
  private long registrations; // numbers waiters in order of registration; guarded by lock

  // Written with the lock held, read without. The value only grows; the others are set once.
  private volatile long value;
  // What waiters get: the failure, or CANCELLED once it is closed. That CANCELLED is in the second
  // field too, written before the first and read after it. The failure has no field of its own: a
  // thread could see it in one call and have its wait for a reached value succeed in the next.
  private volatile @Nullable HalException over;
  private @Nullable HalException cancelled;
  private volatile boolean isClosed;

  /** A timeline at {@code initialValue}; {@code onClose} runs when it is closed, once. */
  public EngineSemaphore(long initialValue, Runnable onClose) {
    if (initialValue < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "initialValue " + initialValue + " of a semaphore is negative");
    }
    this.value = initialValue;
    this.onClose = onClose;
  }

  /** The engine's own kind of semaphore, or INVALID_ARGUMENT for any other implementation. */
  public static EngineSemaphore of(TimelineSemaphore semaphore) {
    if (semaphore instanceof EngineSemaphore timeline) {
      return timeline;
    }
    Objects.requireNonNull(semaphore, "semaphore");
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "semaphore of " + semaphore.getClass() + " was not made by Device.createSemaphore");
  }

  // What users call.

  @Override
  public long value() {
    long now = value; // read before the failure, which beats a value that was reached
    checkOpen();
    HalException failed = failure();
    if (failed != null) {
      throw failed.again();
    }
    return now;
  }

  @Override
  public @Nullable HalException failure() {
    HalException end = over;
    return end == cancelled ? null : end;
  }

  @Override
  public void signal(long newValue) {
    Cascade cascade = Cascade.current();
    synchronized (lock) {
      checkOpen();
      HalException failed = failure();
      if (failed != null) {
        throw failed.again();
      }
      if (newValue <= value) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            "signal value " + newValue + " of " + this + " must be more than its value " + value);
      }
      advanceLocked(newValue, cascade);
    }
    cascade.run();
  }

  @Override
  public void fail(HalException newFailure) {
    Objects.requireNonNull(newFailure, "failure");
    end(newFailure, false);
  }

  @Override
  public void close() {
    if (end(new HalException(Status.CANCELLED, this + " was closed"), true)) {
      onClose.run();
    }
  }

  @Override
  public void await(long wanted) throws InterruptedException {
    HostWait.await(this, checkWanted(wanted), null);
  }

  @Override
  public void await(long wanted, Duration timeout) throws InterruptedException {
    HostWait.await(this, checkWanted(wanted), Objects.requireNonNull(timeout, "timeout"));
  }

  @Override
  public Registration onReach(long wanted, TimepointCallback callback) {
    Objects.requireNonNull(callback, "callback");
    checkOpen();
    CallbackWait wait = new CallbackWait(this, callback);
    if (!register(wait, checkWanted(wanted), null)) {
      // Known already: run it like any other waiter, in the order of what this thread still has to
      // tell.
      Cascade cascade = Cascade.current();
      cascade.addReleased(wait);
      cascade.run();
    }
    return wait;
  }

  @Override
  public CompletionStage<@Nullable Void> whenReached(long wanted) {
    CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    onReach(
        wanted,
        failed -> {
          if (failed == null) {
            future.complete(null);
          } else {
            future.completeExceptionally(failed.again());
          }
        });
    return future.minimalCompletionStage();
  }

  @Override
  public String explain(long wanted) {
    return Explanation.of(this, wanted);
  }

  @Override
  public String toString() {
    return "semaphore#" + id;
  }

  private void checkOpen() {
    if (isClosed) {
      throw new HalException(Status.FAILED_PRECONDITION, this + " is closed");
    }
  }

  private long checkWanted(long wanted) {
    if (wanted < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "value " + wanted + " to wait for on " + this + " is negative");
    }
    return wanted;
  }

  // What queues and host waiters call.

  /**
   * Refuses to signal {@code newValue} later: FAILED_PRECONDITION if closed, OUT_OF_RANGE if
   * reached (rule S1a).
   */
  public void checkFutureSignal(long newValue) {
    checkOpen();
    if (newValue <= value && failure() == null) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "signal value " + newValue + " of " + this + " must be more than its value " + value);
    }
  }

  /** Refuses a closed semaphore with FAILED_PRECONDITION. */
  public void checkFutureWait() {
    checkOpen();
  }

  /** The value without a look at failures; for messages and spinning. */
  long currentValue() {
    return value;
  }

  /**
   * What a waiter gets once this is over: the failure, or CANCELLED after close; null while it is
   * alive.
   */
  @Nullable HalException over() {
    return over;
  }

  /**
   * Makes {@code node} wait for {@code wanted}.
   *
   * @param domain the device whose events can serve it, or null for the host
   * @return true if it is registered: {@link WaitNode#released} will be called. False if its fate
   *     is known: {@code node.failure} and {@code node.producer} are set and nobody will call.
   */
  boolean register(WaitNode node, long wanted, @Nullable Object domain) {
    node.failure = null;
    node.producer = null;
    if (value >= wanted && over == null) {
      return false;
    }
    synchronized (lock) {
      if (over != null) {
        node.failure = over;
        return false;
      }
      if (value >= wanted) {
        return false;
      }
      SemaphoreLane lane = laneLocked(domain);
      Operation<?> producer = lane.covering(wanted);
      if (producer != null) {
        producer.retain();
        node.producer = producer;
        return false;
      }
      node.key = wanted;
      node.sequence = registrations++;
      node.registered();
      lane.waiters.insert(node);
      return true;
    }
  }

  /** Takes a waiter back; true if it was still registered, so that nobody will call it. */
  boolean deregister(WaitNode node) {
    synchronized (lock) {
      @SuppressWarnings("unchecked") // only register() puts a WaitNode into a heap
      PairingHeap<WaitNode> heap = (PairingHeap<WaitNode>) node.heap;
      if (heap == null) {
        return false;
      }
      heap.remove(node);
      return true;
    }
  }

  /**
   * Makes known that {@code operation}, whose completion event is recorded, will raise the value to
   * {@code newValue}. Skipped where that is reached, or this is over.
   */
  void publish(Operation<?> operation, long newValue, Object domain) {
    Cascade cascade = Cascade.current();
    synchronized (lock) {
      if (over != null || value >= newValue) {
        return;
      }
      SemaphoreLane lane = laneLocked(domain);
      operation.retain();
      lane.addEvent(newValue, operation);
      for (WaitNode node = lane.waiters.min();
          node != null && node.key <= newValue;
          node = lane.waiters.min()) {
        lane.waiters.remove(node);
        operation.retain();
        node.producer = operation;
        cascade.addReleased(node);
      }
    }
    cascade.run();
  }

  /** An operation of any device that will raise the value to {@code wanted}, retained, or null. */
  @Nullable Operation<?> retainCovering(long wanted) {
    synchronized (lock) {
      for (SemaphoreLane lane : lanes) {
        Operation<?> operation = lane.covering(wanted);
        if (operation != null) {
          operation.retain();
          return operation;
        }
      }
      return null;
    }
  }

  /**
   * An operation's signal: raises the value to at least {@code newValue}, or does nothing (rule
   * S1a).
   */
  void signalAtLeast(long newValue) {
    if (value >= newValue) {
      return;
    }
    Cascade cascade = Cascade.current();
    synchronized (lock) {
      if (over != null || value >= newValue) {
        return;
      }
      advanceLocked(newValue, cascade);
    }
    cascade.run();
  }

  /** Fails or closes; returns whether this call closed it. */
  private boolean end(HalException reason, boolean closing) {
    Cascade cascade = Cascade.current();
    boolean closedNow = false;
    synchronized (lock) {
      if (closing && !isClosed) {
        isClosed = true;
        closedNow = true;
      }
      if (over == null) {
        if (closing) {
          cancelled = reason;
        }
        over = reason;
        releaseLocked(Long.MAX_VALUE, reason, cascade);
      }
    }
    cascade.run();
    return closedNow;
  }

  private void advanceLocked(long newValue, Cascade cascade) {
    value = newValue;
    releaseLocked(newValue, null, cascade);
  }

  /**
   * Drops the events and hands over the waiters up to {@code limit}, by value, then registration,
   * over all lanes.
   */
  private void releaseLocked(long limit, @Nullable HalException reason, Cascade cascade) {
    for (SemaphoreLane lane : lanes) {
      lane.dropEvents(limit, cascade);
    }
    while (true) {
      SemaphoreLane source = null;
      WaitNode smallest = null;
      for (SemaphoreLane lane : lanes) {
        WaitNode node = lane.waiters.min();
        if (node != null
            && node.key <= limit
            && (smallest == null
                || node.key < smallest.key
                || (node.key == smallest.key && node.sequence < smallest.sequence))) {
          smallest = node;
          source = lane;
        }
      }
      if (smallest == null || source == null) {
        return;
      }
      source.waiters.remove(smallest);
      smallest.failure = reason;
      cascade.addReleased(smallest);
    }
  }

  private SemaphoreLane laneLocked(@Nullable Object domain) {
    for (SemaphoreLane lane : lanes) {
      if (lane.domain == domain) {
        return lane;
      }
    }
    // A new device: its lane takes the place of one that is empty, if any, so that closed devices
    // leave nothing behind.
    SemaphoreLane added = new SemaphoreLane(domain);
    for (int i = 1; i < lanes.length; i++) {
      if (lanes[i].isEmpty()) {
        lanes[i] = added;
        return added;
      }
    }
    lanes = Arrays.copyOf(lanes, lanes.length + 1);
    lanes[lanes.length - 1] = added;
    return added;
  }
}
