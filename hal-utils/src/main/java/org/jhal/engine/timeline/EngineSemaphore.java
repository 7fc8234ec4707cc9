// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jhal.engine.concurrent.PairingHeap;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.TimelineOrder;
import org.jspecify.annotations.Nullable;

/**
 * The only implementation of {@link TimelineSemaphore}, shared by all drivers: a number that only
 * grows, or fails, and those who wait for its values. It knows no queue, device or native type, so
 * it works across devices and drivers. Queues register {@link WaitNode}s with it and publish their
 * operations on it, and use the native events of those operations if their devices share events.
 *
 * <p>Contract: rules S1 to S10.
 *
 * <p>Thread-safe: any thread may call any method at any time. Waiters are notified on the thread
 * that changed the timeline, with no lock held.
 */
public final class EngineSemaphore implements TimelineSemaphore {
  /*
   * There are four critical sections:
   *   register  If the semaphore has failed, is closed, has reached the value, or holds an event of the waiter's domain
   *             that covers the value, the outcome is known. Otherwise the waiter is registered.
   *   publish   If the semaphore has failed, is closed or has reached the value, nothing happens. Otherwise the event is
   *             stored, and every waiter of the event's domain whose value it covers is removed.
   *   advance   The value is raised, events up to it are dropped, and every waiter up to it is removed.
   *   end       (fail, close) The failure is stored, all events are dropped, and all waiters are removed.
   *
   * Invariants: a waiter is removed exactly once; no waiter of a domain stays registered while an event of that domain
   * covers its value. The thread that removes a waiter notifies it through its Cascade, after it has released the lock.
   */
  private static final AtomicLong COUNT = new AtomicLong();

  private final long id = COUNT.incrementAndGet();
  private final long initialValue;
  private final Runnable onClose;
  private final Object lock = new Object();

  @GuardedBy("lock") // the host's lane first, then one for each domain of events
  private SemaphoreLane[] lanes = {new SemaphoreLane(null)};

  @GuardedBy("lock")
  private long registrations; // the next waiter's sequence number

  // Only grows. Written with the lock held, read by any thread without it.
  private volatile long value;

  // The highest value ever published. Written with the lock held, read without it.
  private volatile long published = -1;

  // The value at which a program has looked, which may look again until it has risen: so what will
  // raise it is wanted, also what is published later. Written with the lock held, read without.
  private volatile long lookedAt = -1;

  // Until then an event may come to cover a value that none covers yet, by System.nanoTime().
  // Written and read by any thread: a host thread that waits at worst parks at once.
  private volatile long eventExpectedUntil = System.nanoTime();

  // The outcome of every wait from now on: the failure, or CANCELLED if the semaphore was closed
  // first. Written once with the lock held, read by any thread without it. It is the only field
  // that says so: with a second one for the failure, a thread could see the failure in one call and
  // have a wait for a reached value succeed in the next.
  private volatile @Nullable HalException over;

  // The same object as `over` if that is the CANCELLED of close(), else null. Written with the lock
  // held before `over`, and read without it after `over`, so it need not be volatile.
  private @Nullable HalException cancelled;

  // Set once, with the lock held; read by any thread without it.
  private volatile boolean isClosed;

  private volatile String name = "semaphore"; // for people; any thread may change it

  // What is recorded of its order; null unless hazards are looked for. Set once.
  private volatile @Nullable TimelineOrder order;

  /**
   * Creates a timeline. The thread that closes it runs {@code onClose}, once, with no lock held.
   *
   * @throws HalException OUT_OF_RANGE if {@code initialValue} is negative
   */
  public EngineSemaphore(long initialValue, Runnable onClose) {
    if (initialValue < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "initialValue " + initialValue + " of a semaphore is negative");
    }
    this.initialValue = initialValue;
    this.value = initialValue;
    this.onClose = onClose;
  }

  /**
   * Returns {@code semaphore} as the engine's own type.
   *
   * @throws HalException INVALID_ARGUMENT for any other implementation
   */
  public static EngineSemaphore of(TimelineSemaphore semaphore) {
    if (semaphore instanceof EngineSemaphore timeline) {
      return timeline;
    }
    Objects.requireNonNull(semaphore, "semaphore");
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "semaphore of " + semaphore.getClass() + " was not made by Device.createSemaphore");
  }

  // What users see.

  @Override
  public long value() {
    long now = look(); // before the failure, which takes precedence over a reached value
    checkOpen();
    HalException failed = failure(); // which notes that it was observed
    if (failed != null) {
      throw failed.again();
    }
    noteObserved(now);
    return now;
  }

  @Override
  public void signal(long newValue) {
    HazardRecord record = HazardRecord.current();
    if (record != null) { // first: those that it releases are placed before they go on
      record.hostSignals(order(), newValue);
    }
    Cascade cascade = Cascade.current();
    Span span = FlightRecorder.hostSignal(id, newValue); // begins before a waiter can see the value
    raise(newValue, cascade);
    Span.end(span, null);
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
      Reference.reachabilityFence(this); // or it might be reported as a leak while it is closed
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
  public boolean tryAwait(long wanted, Duration timeout) throws InterruptedException {
    return HostWait.tryAwait(this, checkWanted(wanted), Objects.requireNonNull(timeout, "timeout"));
  }

  @Override
  public Registration onReach(long wanted, TimepointCallback callback) {
    Objects.requireNonNull(callback, "callback");
    checkOpen();
    return observe(checkWanted(wanted), callback);
  }

  /** As {@link #onReach}, but if the semaphore is closed, the callback gets CANCELLED. */
  public Registration observe(long wanted, TimepointCallback callback) {
    CallbackWait wait = new CallbackWait(this, wanted, callback);
    if (!register(wait, wanted, null)) {
      // The outcome is already known. The callback still goes through the cascade, so that it runs
      // after the waiters that this thread has yet to notify.
      Cascade cascade = Cascade.current();
      cascade.addReleased(wait);
      cascade.run();
    }
    return wait;
  }

  @Override
  public CompletableFuture<@Nullable Void> whenReached(long wanted) {
    checkOpen();
    CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    Registration registration =
        observe(
            checkWanted(wanted),
            failed -> {
              if (failed == null) {
                future.complete(null);
              } else {
                future.completeExceptionally(failed.again());
              }
            });
    // Does nothing if the timeline has completed it; otherwise the caller has.
    var unused = future.whenComplete((nothing, thrown) -> registration.cancel());
    return future;
  }

  @Override
  public String explain(long wanted) {
    return Explanation.of(this, wanted);
  }

  @Override
  public TimelineSemaphore named(String given) {
    GivenName.check("semaphore", given);
    synchronized (lock) {
      name = given;
      if (order != null) {
        order.setName(toString());
      }
    }
    return this;
  }

  /** The number by which messages and recordings name it. */
  public long number() {
    return id;
  }

  /** What is recorded of its order, for {@link HazardRecord}. */
  public TimelineOrder order() {
    TimelineOrder known = order;
    if (known != null) {
      return known;
    }
    synchronized (lock) {
      TimelineOrder made = order == null ? new TimelineOrder(toString()) : order;
      order = made;
      return made;
    }
  }

  /** The program has seen that the value is reached. */
  void noteObserved(long seen) {
    HazardRecord record = HazardRecord.current();
    TimelineOrder known = record == null ? null : order;
    if (record != null && known != null) {
      record.hostSees(known, seen);
    }
  }

  /** The program has seen that it has failed or is closed, if it has or is. */
  void noteObservedFailure() {
    HazardRecord record = HazardRecord.current();
    TimelineOrder known = record == null ? null : order;
    if (record != null && known != null && over != null) {
      record.hostSeesFailure(known);
    }
  }

  @Override
  public String toString() {
    return name + "#" + id;
  }

  private long checkWanted(long wanted) {
    if (wanted < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "wait value " + wanted + " on " + this + " is negative");
    }
    return wanted;
  }

  // What does not change it.

  @Override
  public @Nullable HalException failure() {
    HalException failed = failureUnnoted();
    if (failed != null) {
      noteObservedFailure();
    }
    return failed;
  }

  private @Nullable HalException failureUnnoted() {
    HalException end = over;
    return end == cancelled ? null : end;
  }

  /** Throws FAILED_PRECONDITION if it is closed. */
  public void checkOpen() {
    if (isClosed) {
      throw new HalException(Status.FAILED_PRECONDITION, this + " is closed");
    }
  }

  /**
   * Checks a signal that an operation will apply later (rule S1a). On a failed semaphore any value
   * is accepted; such a signal has no effect.
   *
   * @throws HalException FAILED_PRECONDITION if the semaphore is closed, OUT_OF_RANGE if {@code
   *     newValue} is already reached
   */
  public void checkFutureSignal(long newValue) {
    checkOpen();
    if (newValue <= value && failureUnnoted() == null) {
      throw notAbove(newValue);
    }
  }

  /** Whether {@code wanted} takes a signal: the timeline did not have it from the start. */
  public boolean needsSignalFor(long wanted) {
    return wanted > initialValue;
  }

  /** Whether a wait for {@code wanted} that begins now has ended. It takes no lock. */
  public boolean isReached(long wanted) {
    return value >= wanted && over == null; // in this order: a failure in between comes later
  }

  /** The value regardless of failures, for messages and polling. */
  public long currentValue() {
    return value;
  }

  /**
   * As {@link #currentValue}, for a program that may look again until the value has risen. So what
   * will raise it next is wanted, as if the program waited for that.
   */
  private long look() {
    if (lookedAt != value && over == null) {
      synchronized (lock) {
        lookedAt = value;
        Producer next = coveringLocked(value + 1);
        if (next != null) {
          next.want();
        }
      }
    }
    return value;
  }

  /** The outcome of every wait, once it has failed or is closed; null until then. */
  public @Nullable HalException over() {
    return over;
  }

  /**
   * Registers {@code node} as a waiter for {@code wanted}, unless the outcome of the wait is
   * already known.
   *
   * <p>This is the only place where a wait is registered. One that no event of its domain covers
   * ends when a completion thread has seen that of another domain fire: {@link Producer#want}. Such
   * an event that comes later finds the waiter in {@link #publish}.
   *
   * @param domain the token of the devices whose events can cover the value, or null if it must be
   *     reached
   * @return true if the node was registered, and {@link WaitNode#released} will be called exactly
   *     once unless {@link #deregister} succeeds first; false if the outcome is in {@code
   *     node.failure} and {@code node.producer}, and {@code released} will not be called
   */
  public boolean register(WaitNode node, long wanted, @Nullable Object domain) {
    node.failure = null;
    node.producer = null;
    if (isReached(wanted)) {
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
      Producer producer = domain == null ? null : lane.covering(wanted); // see publish()
      if (producer != null) {
        node.producer = producer;
        return false;
      }
      Producer elsewhere = coveringLocked(wanted);
      if (elsewhere != null) {
        elsewhere.want();
      }
      node.key = wanted;
      node.sequence = registrations++;
      lane.waiters.insert(node);
      return true;
    }
  }

  /**
   * Withdraws a waiter. Returns true if it was still registered. Otherwise it was never registered,
   * or another thread has removed it and calls {@link WaitNode#released}.
   */
  public boolean deregister(WaitNode node) {
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
   * Announces that {@code operation}, whose event has been recorded, will raise the value to {@code
   * newValue}, as far as that still makes a difference. Waiters of the same domain for a value up
   * to that are added to {@code cascade}, with the operation as their producer. Those of other
   * domains stay, and want it. Called by the drainer.
   *
   * @param domain the token of the devices for which the event covers the value. Null if the host
   *     completes the operation behind its event: it then covers the value for none, and releases
   *     no waiter, but a host thread finds it by {@link #covering}
   */
  public void publish(Producer operation, long newValue, @Nullable Object domain, Cascade cascade) {
    synchronized (lock) {
      if (over != null || value >= newValue) {
        return;
      }
      SemaphoreLane lane = laneLocked(domain);
      lane.addEvent(newValue, operation);
      published = Math.max(published, newValue);
      for (WaitNode node = domain == null ? null : lane.waiters.min();
          node != null && node.key <= newValue;
          node = lane.waiters.min()) {
        lane.waiters.remove(node);
        node.producer = operation;
        cascade.addReleased(node);
      }
      if (lookedAt == value || isAwaitedLocked(newValue)) {
        operation.want();
      }
    }
  }

  /**
   * The issued operation of any device that will raise the value to {@code wanted}, or as little
   * above it as possible; null if there is none.
   */
  public @Nullable Producer covering(long wanted) {
    if (published < wanted) { // without the lock, which those who issue need
      return null;
    }
    synchronized (lock) {
      return coveringLocked(wanted);
    }
  }

  @GuardedBy("lock")
  private @Nullable Producer coveringLocked(long wanted) {
    Producer found = null;
    long least = Long.MAX_VALUE;
    for (SemaphoreLane lane : lanes) {
      Producer operation = lane.covering(wanted);
      if (operation != null && (found == null || lane.nearest(wanted) < least)) {
        found = operation;
        least = lane.nearest(wanted);
      }
    }
    return found;
  }

  /** Whether a value up to {@code limit} is waited for. */
  @GuardedBy("lock")
  private boolean isAwaitedLocked(long limit) {
    for (SemaphoreLane lane : lanes) {
      WaitNode node = lane.waiters.min();
      if (node != null && node.key <= limit) {
        return true;
      }
    }
    return false;
  }

  /** An operation that will raise it is about to be issued, and is likely to be until then. */
  public void expectEvent(long until) {
    eventExpectedUntil = until;
  }

  /** Whether {@link #covering} may find something soon. */
  boolean expectsEvent() {
    return eventExpectedUntil - System.nanoTime() > 0;
  }

  /**
   * Applies the signal of an operation: raises the value to at least {@code newValue}, unless the
   * semaphore has failed or is closed (rule S1a).
   */
  public void signalAtLeast(long newValue) {
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

  /**
   * Applies a host's signal, whose waiters {@code cascade} then has to release.
   *
   * @throws HalException OUT_OF_RANGE if the value is reached already, FAILED_PRECONDITION if the
   *     timeline is closed, its failure if it has failed
   */
  void raise(long newValue, Cascade cascade) {
    synchronized (lock) {
      checkOpen();
      HalException failed = failureUnnoted();
      if (failed != null) {
        throw failed.again();
      }
      if (newValue <= value) {
        throw notAbove(newValue);
      }
      advanceLocked(newValue, cascade);
    }
  }

  private HalException notAbove(long newValue) {
    return new HalException(
        Status.OUT_OF_RANGE,
        "signal value " + newValue + " of " + this + " must be greater than its value " + value);
  }

  /** Fails or closes the semaphore. Returns whether this call closed it. */
  boolean end(HalException reason, boolean closing) {
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
      }
      // Also if it was over before: an error may have ended that call half-way (rule E2).
      releaseLocked(Long.MAX_VALUE, over, cascade);
    }
    cascade.run();
    return closedNow;
  }

  @GuardedBy("lock")
  private void advanceLocked(long newValue, Cascade cascade) {
    value = newValue;
    releaseLocked(newValue, null, cascade);
  }

  /**
   * Drops the events and removes the waiters for values up to {@code limit}. The waiters go to
   * {@code cascade} ordered by value and then by registration, across all lanes (rule S2).
   */
  @GuardedBy("lock")
  private void releaseLocked(long limit, @Nullable HalException reason, Cascade cascade) {
    for (SemaphoreLane lane : lanes) {
      lane.dropEvents(limit);
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
      smallest.failure = reason;
      source.waiters.remove(smallest);
      cascade.addReleased(smallest);
    }
  }

  @GuardedBy("lock")
  private SemaphoreLane laneLocked(@Nullable Object domain) {
    for (SemaphoreLane lane : lanes) {
      if (lane.domain == domain) {
        return lane;
      }
    }
    // The lane of a new domain replaces an empty one, if any, so that closed devices leave nothing
    // behind.
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
