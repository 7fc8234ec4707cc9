// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * A collective that a driver's library carries out. The operation's stream waits for the library's
 * streams on all devices, so its event fires when all ranks have their results.
 *
 * <p>It may begin while operations still run that it waits for, on any device: the stream waits for
 * their events, and the streams on all devices wait for one event behind those. So nothing runs on
 * any rank before all may begin. Behind collectives of the same devices, the order of the streams
 * is enough. Streams only ever wait for events that were recorded before, and {@link
 * NativeGroup#issue} puts the parts of all ranks into them with nothing in between. So no
 * collective depends on a later one, and no groups wait for each other in a circle.
 *
 * <p>On each device, the collectives of all groups run one after the other. So the deadline of one
 * does not count the time during which another one is before it, or in which operations that it
 * waits for still run.
 *
 * <p>Thread-safe.
 */
final class NativeCollective<E> extends Collective<E> {
  /** How often the timer checks whether its producers are over; the deadline counts from then. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final NativeGroup<E> natives;

  // The operations that the stream waits for. Written by the issue thread before it has begun, and
  // emptied when the operation retires.
  private volatile List<Operation<?>> producers = List.of();

  // The collectives before it on some device, some of which may be over. Written once, by the issue
  // thread; emptied when this one is over.
  private volatile List<NativeCollective<?>> before = List.of();

  // Whether `before` is known. Written behind it, by the issue thread.
  private volatile boolean isOrdered;

  // From when the deadline counts, by System.nanoTime(): when it got its place among all others, or
  // was first seen to wait for nothing elsewhere. Written by the issue thread, and by the timer.
  private volatile long began;

  // Used by the issue thread until the timer runs, and then by that.
  private boolean wasHeld;

  // What the ranks bring, by rank. Written by the issue thread before it has begun; taken once, by
  // endLeases().
  private final AtomicReference<List<RankLease>> leases = new AtomicReference<>(List.of());

  // Whether the operation's stream waits for the parts of all ranks, so that all streams are past
  // them when its event has fired. Written by the issue thread.
  private volatile boolean isJoined;

  // When it was made to fail, by System.nanoTime(), if it was. Written before isFailed.
  private volatile long failed;
  private volatile boolean isFailed;

  // When it was over, if it is. Written before isOver.
  private volatile long ended;
  private volatile boolean isOver;

  @SuppressWarnings("unchecked") // the group was made for the device
  NativeCollective(
      DeviceCore<E> device, GroupLife group, NativeGroup<?> natives, CollectiveRequest request) {
    super(device, group, request);
    this.natives = (NativeGroup<E>) natives;
  }

  /** The vendor's library moves the bytes. */
  @Override
  protected boolean isUnseen() {
    return true;
  }

  /** A device that shares no events is not held up by what happens on another one. */
  @Override
  public boolean waitsOnHost() {
    return !group.sharesEvents;
  }

  @Override
  public int weight(NativeStream<E> stream) {
    return natives.weight();
  }

  @Override
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    checkMemory();
    batch.submitWaits(stream);
    Throwable failure = null;
    try {
      launch(stream);
    } catch (RuntimeException e) { // the event covers what may be in the stream
      failure = e;
    }
    batch.submitEvent(stream, failure);
    return failure;
  }

  /** Puts it into the streams of all devices, which the queue's stream is made to wait for. */
  private void launch(NativeStream<E> stream) {
    CollectiveCall call = request().call();
    List<Operation<?>> open = new ArrayList<>(0);
    operation().addOpenProducers(open);
    producers = open;
    List<RankLease> brought = RankLease.of(group.devices);
    leases.set(brought);
    HalException failure;
    try {
      for (int rank = 0; rank < brought.size(); rank++) {
        brought.get(rank).retain(request().sources()[rank]);
        brought.get(rank).retain(request().targets()[rank]);
      }
      boolean isBehind = !open.stream().allMatch(this::isBeforeOnAllDevices);
      failure = natives.issue(call, stream, isBehind, deadlineNanos(), this::beginOrdered);
    } catch (RuntimeException e) {
      failure = Failures.aborted(FAILED, e);
      if (!hasBegun() || failure.status() == Status.UNAVAILABLE) {
        throw e;
      }
    } finally {
      if (!hasBegun()) { // nothing is in the streams, and the group goes on
        leases.getAndSet(List.of()).forEach(RankLease::release);
      }
    }
    isJoined = failure == null;
    if (failure != null) {
      // Another thread fails the group at once: users' callbacks run, the stream may be held, and
      // the streams stand still until the library is aborted.
      HalException own = named(failure);
      if (group.decideFailed(this, own)) {
        stop(own);
        failApart(own);
      }
    }
  }

  /**
   * Ends what it holds of each rank, once the rank's stream is past it. The operation is over, or
   * has failed, or its stream is idle. That says something about the other streams only if it has
   * succeeded and the stream has waited for them; otherwise each rank is asked. May be called
   * again.
   */
  private void endLeases() {
    List<RankLease> brought = leases.getAndSet(List.of());
    boolean isPast = isJoined && operation().hasSucceeded();
    for (int rank = 0; rank < brought.size(); rank++) {
      RankLease lease = brought.get(rank);
      if (isPast) {
        lease.release();
      } else { // the group has ended, or is about to, and lives until this operation has retired
        group.natives.whenPast(rank, lease::release);
      }
    }
  }

  /**
   * Whether it is a collective that comes before this one in the library's streams on all devices.
   */
  private boolean isBeforeOnAllDevices(Operation<?> producer) {
    return producer.work instanceof NativeCollective<?> other
        && other.group.devices.containsAll(group.devices);
  }

  /** Whether its streams wait for operations, or other groups' collectives, that are not over. */
  boolean isHeld() {
    return awaitsProducers()
        || before.stream().anyMatch(other -> other.group != group && other.holdsOthers());
  }

  /** Whether its streams wait for operations that are not over. */
  private boolean awaitsProducers() {
    return producers.stream().anyMatch(producer -> !producer.isApplied());
  }

  /**
   * Whether collectives behind it have to wait for it: it is not over. On a lost device, it is
   * unknown whether it ends; but it cannot end before its producers are over.
   */
  private boolean holdsOthers() {
    return !isOver && (!isOnLostDevice() || awaitsProducers());
  }

  private boolean isOnLostDevice() {
    return group.devices.stream().anyMatch(device -> device.lostCause() != null);
  }

  /** Whether it is in the library's streams, and these are not past it. */
  boolean isLaunched() {
    return isOrdered && !isOver;
  }

  /** Whether it is in the streams, and nothing of its group that is not over is before it. */
  boolean isFirst() {
    return isOrdered && before.stream().noneMatch(other -> other.group == group && !other.isOver);
  }

  /** Begins. No other collective can come between those before it and this one. */
  private void beginOrdered() {
    began = System.nanoTime();
    beginHolding();
    List<NativeCollective<?>> earlier = new ArrayList<>();
    for (DeviceGroups<?> rank : group.ranks) {
      NativeCollective<?> last = rank.lastNative().getAndSet(this);
      if (last != null) {
        earlier.add(last);
      }
    }
    before = earlier;
    isOrdered = true;
  }

  /** Notes when it failed: an aborted collective may look as if it had succeeded. */
  @Override
  void stop(HalException cause) {
    if (!isFailed) {
      failed = System.nanoTime();
      isFailed = true;
    }
  }

  /** The operation may never leave a lost device's stream, so each rank is asked on its own. */
  @Override
  void stopped() {
    endLeases();
    letGo();
  }

  /** At most a second, since the timer also asks the library for failures that it has found. */
  @Override
  long nanosLeft() {
    return Math.min(nanosToDeadline(), LOOK_NANOS);
  }

  /** Time during which it was held, or others were before it, does not count. */
  private long nanosToDeadline() {
    if (isHeld()) {
      wasHeld = true;
      return Math.min(deadlineNanos(), LOOK_NANOS);
    }
    if (wasHeld) {
      wasHeld = false;
      began = System.nanoTime();
    }
    long waited = System.nanoTime() - began;
    for (NativeCollective<?> other : before) {
      waited = Math.min(waited, other.sinceOver());
    }
    return deadlineNanos() - Math.max(0, waited);
  }

  @Override
  void late() {
    HalException failure = producerFailure();
    if (failure != null) {
      failApart(failure);
    } else if (!startTimerAgain()) {
      super.late();
    }
  }

  /** Asks the library whether it knows of a failure. */
  private void ask() {
    if (!group.tryRetain()) {
      return; // this has retired, and the group is being freed
    }
    HalException found;
    try {
      found = natives.failure();
    } finally {
      group.release();
    }
    if (found != null) {
      failWith(found);
    }
  }

  /** The failure of a producer, which its streams may not be past. */
  private @Nullable HalException producerFailure() {
    for (Operation<?> producer : producers) {
      HalException failure = producer.failure();
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /** Returns false if no time is left, or no memory for the timer. */
  private boolean startTimerAgain() {
    try {
      if (nanosToDeadline() <= 0) {
        return false;
      }
      startTimer(nanosLeft());
      if (isLaunched()) {
        Deadlines.apart(this::ask);
      }
      return true;
    } catch (HalException | OutOfMemoryError e) {
      return false;
    }
  }

  /**
   * How long it has been over, in nanoseconds; not more than 0 if it is not. A failed one counts as
   * over when its abort has had enough time, or has lost a device.
   */
  private long sinceOver() {
    if (isOver) {
      return System.nanoTime() - ended;
    }
    if (!isFailed) {
      return 0;
    }
    long patience = isOnLostDevice() ? 0 : group.abortNanos();
    return System.nanoTime() - failed - patience;
  }

  @Override
  protected void retired() {
    ended = System.nanoTime();
    isOver = true;
    before = List.of();
    for (DeviceGroups<?> rank : group.ranks) {
      rank.lastNative().compareAndSet(this, null);
    }
    endLeases();
    super.retired();
    producers = List.of();
  }
}
