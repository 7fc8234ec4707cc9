// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jhal.CollectiveGroup;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owned;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The state of a group: its collectives that are not over, and why it takes no more (rule G3). Its
 * devices know it, and call it when they are lost or closed.
 *
 * <p>Thread-safe. No lock is held while a collective is cancelled or failed, since users' callbacks
 * run.
 */
final class GroupLife extends Owned {
  final List<DeviceGroups<?>> ranks; // what the devices serve their groups with
  final List<DeviceCore<?>> devices; // by rank, as `ranks`
  final CollectiveGroup.Options options;
  final boolean sharesEvents; // all devices wait for each other's events
  private final Object lock = new Object();
  final NativeForm natives; // the driver's part, if there is one

  @GuardedBy("lock")
  private final Set<Collective<?>> open = new LinkedHashSet<>();

  @GuardedBy("lock")
  private boolean isClosed;

  // Why the group takes no more calls. Written once, with the lock held; read by any thread.
  private volatile @Nullable HalException ended;

  // Why all collectives that had begun have failed. Written once. The close of a device does not
  // fail them, although it ends the group.
  @GuardedBy("lock")
  private @Nullable HalException failed;

  GroupLife(List<DeviceGroups<?>> ranks, CollectiveGroup.Options options) {
    super(ranks.get(0).device().resources().groups);
    this.ranks = ranks;
    this.devices = DeviceGroups.devices(ranks);
    this.options = options;
    Object domain = devices.get(0).eventDomain();
    this.sharesEvents = devices.stream().allMatch(device -> device.eventDomain() == domain);
    this.natives = new NativeForm(ranks, this, this::isAnyLaunched, this::isHeld);
  }

  /**
   * Finds out whether the devices' driver carries out collectives. Called once, when the group is
   * made. Blocks.
   */
  void makeNatives() {
    natives.make(options);
    if (ended != null) { // the thread that has ended the group may not have seen the driver's part
      natives.abort();
    }
  }

  /** Waits until the driver's part is freed, until the deadline at most; the group is closed. */
  void awaitNatives(long deadline) {
    if (open().isEmpty()) { // otherwise it is freed when those are over
      natives.awaitClosed(deadline);
    }
  }

  /** The device whose hidden queue has the group's operations. */
  DeviceCore<?> first() {
    return devices.get(0);
  }

  @Nullable HalException failure() {
    return ended;
  }

  boolean isClosed() {
    synchronized (lock) {
      return isClosed;
    }
  }

  /**
   * Refuses calls once the group is closed or has ended.
   *
   * @throws HalException FAILED_PRECONDITION if it is closed, the cause if it has ended
   */
  void checkOpen() {
    synchronized (lock) {
      checkOpenLocked();
    }
  }

  @GuardedBy("lock")
  private void checkOpenLocked() {
    if (isClosed) {
      throw new HalException(Status.FAILED_PRECONDITION, this + " is closed");
    }
    HalException cause = ended;
    if (cause != null) {
      throw cause.again();
    }
  }

  /** Adds a collective, which {@link #remove}s itself; refuses it as {@link #checkOpen}. */
  void add(Collective<?> collective) {
    synchronized (lock) {
      checkOpenLocked();
      if (open.add(collective)) {
        tryRetain(); // the devices know it until remove()
      }
    }
  }

  /** Does nothing if the collective was refused. */
  void remove(Collective<?> collective) {
    boolean wasOpen;
    synchronized (lock) {
      wasOpen = open.remove(collective);
    }
    if (wasOpen) {
      release();
    }
  }

  private List<Collective<?>> open() {
    synchronized (lock) {
      return new ArrayList<>(open);
    }
  }

  /**
   * Whether the first native collectives in the streams wait for work elsewhere, or for other
   * groups' collectives. On a lost device, it is unknown what a stream waits for.
   */
  private boolean isHeld() {
    boolean isAny = false;
    for (Collective<?> collective : open()) {
      if (collective instanceof NativeCollective<?> begun && begun.isFirst()) {
        if (!begun.isHeld()) {
          return false; // it may have stalled
        }
        isAny = true;
      }
    }
    return isAny && first().lostCause() == null;
  }

  /** Whether the library's streams are not past all that was launched. */
  private boolean isAnyLaunched() {
    return open().stream()
        .anyMatch(
            collective ->
                collective instanceof NativeCollective<?> launched && launched.isLaunched());
  }

  // How it begins and ends. Decisions are made with the lock held, and carried out without it.

  /**
   * Begins a collective, unless it has failed.
   *
   * @throws HalException CANCELLED if it has failed. The operation still fails with the original
   *     reason, which is not thrown: the loss of another device would be taken for that of the
   *     first one.
   */
  void begin(Collective<?> collective) {
    synchronized (lock) {
      if (collective.operation().workFailure() != null) {
        throw new HalException(Status.CANCELLED, "it was cancelled before it began");
      }
      collective.setBegun();
    }
  }

  /**
   * Decides that a collective fails, if it has begun and has not succeeded, and that the group has
   * ended: with {@code cause}, or with what the group has failed with before. If this returns true,
   * the caller has to {@link #end} the group.
   */
  boolean decideFailed(Collective<?> collective, HalException cause) {
    synchronized (lock) {
      if (!collective.hasBegun() || collective.operation().hasSucceeded()) {
        return false;
      }
      HalException known = collective.operation().failure(); // such as that of a producer
      // At once, so that all fail with one cause.
      collective.operation().failWork(setFailed(known == null ? cause : known));
      return true;
    }
  }

  /** Returns the first failure. */
  @GuardedBy("lock")
  private HalException setFailed(HalException cause) {
    HalException first = failed == null ? cause : failed;
    failed = first;
    ended = ended == null ? first : ended;
    return first;
  }

  /**
   * Ends the group with a failure, with which all collectives fail, parked or begun. If there was a
   * failure before, they fail with that one. May be called again.
   */
  void end(HalException cause) {
    List<Collective<?>> all = new ArrayList<>();
    HalException first;
    synchronized (lock) {
      first = setFailed(cause);
      for (Collective<?> collective : open) {
        if (!collective.operation().hasSucceeded()) {
          collective.operation().failWork(first);
          all.add(collective);
        }
      }
    }
    try {
      all.forEach(collective -> collective.stop(first));
      all.forEach(collective -> collective.applyFailure(first));
    } finally {
      natives.abort(); // last: an aborted collective may look as if it had succeeded
    }
  }

  private void setEnded(HalException cause) {
    synchronized (lock) {
      if (ended == null) {
        ended = cause;
      }
    }
  }

  /**
   * Fails collectives that have not begun: with {@code reason}, or with the reason why they could
   * not begin.
   */
  private void cancel(HalException reason, Predicate<Collective<?>> which) {
    List<Collective<?>> cancelled = new ArrayList<>();
    synchronized (lock) {
      for (Collective<?> collective : open) {
        if (!collective.hasBegun() && which.test(collective)) {
          collective.operation().failWork(reason);
          cancelled.add(collective);
        }
      }
    }
    cancelled.forEach(collective -> collective.applyFailure(reason));
  }

  /** Waits until each collective that is about to begin has begun or failed. */
  private void awaitBeginning(long deadline) {
    open().forEach(collective -> collective.awaitBeginning(deadline));
  }

  /** Fails the collectives that have begun, which ends the group; without any, does nothing. */
  private void failBegun(HalException cause) {
    open().forEach(collective -> collective.failWith(cause));
  }

  /**
   * One of the devices is being closed, and waits for the collectives that have begun.
   *
   * @param deadline of that close, for all groups of the device
   */
  void deviceCloses(DeviceCore<?> device, long deadline) {
    String closed = "device " + device.name() + " was closed";
    setEnded(new HalException(Status.FAILED_PRECONDITION, this + " has ended: " + closed));
    awaitBeginning(deadline);
    cancel(new HalException(Status.CANCELLED, closed), any -> true);
  }

  /** One of the devices is being closed, and waits no longer. */
  void deviceGivesUp(DeviceCore<?> device, Duration limit) {
    failBegun(
        new HalException(
            Status.DEADLINE_EXCEEDED,
            "device %s was closed, and this collective did not end within %s"
                .formatted(device.name(), DurationText.of(limit))));
  }

  /**
   * Closes the group. Each call waits until the signals of all collectives are raised or failed;
   * after the {@code close-timeout} it fails them.
   *
   * @return when the {@code close-timeout} is over, for what is left to wait for
   */
  long close() {
    synchronized (lock) {
      isClosed = true;
    }
    Duration limit = closeTimeout();
    long deadline = System.nanoTime() + limit.toNanos();
    awaitBeginning(deadline);
    cancel(new HalException(Status.CANCELLED, this + " was closed"), Collective::isParked);
    if (!BackOff.await(this, deadline, this::isQuiet)) {
      HalException late =
          new HalException(
              Status.DEADLINE_EXCEEDED,
              this
                  + " was closed, and this collective did not end within "
                  + DurationText.of(limit));
      cancel(late, any -> true); // those for which a stream had no room
      failBegun(late);
    }
    return deadline;
  }

  /** How long an abort may take, in nanoseconds: the longest time that one of the devices has. */
  long abortNanos() {
    return longest(DeviceCore::abortTimeout).toNanos();
  }

  /** How long a close waits: the longest {@code close-timeout} of the devices. */
  Duration closeTimeout() {
    return longest(DeviceCore::closeTimeout);
  }

  private Duration longest(Function<DeviceCore<?>, Duration> timeout) {
    return devices.stream().map(timeout).max(Comparator.naturalOrder()).orElseThrow();
  }

  /** Whether the signals of all open collectives have been raised or have failed. */
  private boolean isQuiet() {
    return open().stream().allMatch(Collective::isApplied);
  }

  /** The group is closed, or its handle has become unreachable, and no collective is open. */
  @Override
  protected void endNative() {
    ranks.forEach(rank -> rank.remove(this));
    natives.close();
  }

  @Override
  protected String describe() {
    return "a " + this;
  }

  /** A group that has ended holds nothing more. */
  @Override
  protected boolean isSpent() {
    return ended != null;
  }

  @Override
  public String toString() {
    List<String> names = new ArrayList<>();
    devices.forEach(device -> names.add(device.name()));
    return "group of " + names;
  }
}
