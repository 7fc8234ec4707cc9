package org.jhal.engine.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jhal.CollectiveGroup;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owned;
import org.jspecify.annotations.Nullable;

/**
 * The state of a group: its collectives that are not over, and why it takes no more (rule G3). Its
 * devices know it, and tell it when they are lost or closed.
 *
 * <p>Thread-safe. No lock is held while a collective is cancelled or failed, since users' callbacks
 * run.
 */
final class GroupLife extends Owned {
  /** How often a second close looks whether the first is done, if nobody wakes it. */
  private static final long LOOK_MILLIS = 1000;

  private final List<DeviceGroups<?>> ranks;
  private final List<DeviceCore<?>> devices; // the same, by rank
  private final CollectiveGroup.Options options;
  private final boolean sharesEvents;
  private final Object lock = new Object();
  private final Set<Collective> open = new LinkedHashSet<>(); // guarded by lock
  private final NativeForm natives; // the driver's part, if there is one
  private boolean isClosed; // guarded by lock
  private boolean isClosing; // a thread is in closeOnce(); guarded by lock

  // Why the group takes no more calls. Written once, with the lock held; read by any thread.
  private volatile @Nullable HalException ended;

  // Why all that it had begun has failed. The close of a device does not do that, although it ends
  // the group. Written once; guarded by lock.
  private @Nullable HalException failed;

  GroupLife(List<DeviceGroups<?>> ranks, CollectiveGroup.Options options) {
    this.ranks = ranks;
    this.devices = DeviceGroups.devices(ranks);
    this.options = options;
    Object domain = devices.get(0).eventDomain();
    this.sharesEvents = devices.stream().allMatch(device -> device.eventDomain() == domain);
    this.natives = new NativeForm(ranks, this, this::isAnyLaunched, this::isHeld);
  }

  /**
   * Finds out whether the devices' driver carries out collectives. Called once, by who makes the
   * group. Blocks.
   */
  void makeNatives() {
    natives.make(options);
    if (ended != null) { // who has ended the group meanwhile may not have seen it
      natives.abort();
    }
  }

  /** What carries out collectives between the devices, or null if they go through the host. */
  @Nullable NativeGroup<?> natives() {
    return natives.group();
  }

  /** Why all collectives go through the host, for people. */
  String whyHost() {
    return natives.whyNot();
  }

  /** Waits until the driver's part is freed, for the {@code close-timeout}; the group is closed. */
  void awaitNatives() {
    if (open().isEmpty()) { // otherwise it is freed when those are over
      natives.awaitClosed(closeTimeout());
    }
  }

  /** What the devices serve their groups with, by rank. */
  List<DeviceGroups<?>> ranks() {
    return ranks;
  }

  /** The devices, by rank. */
  List<DeviceCore<?>> devices() {
    return devices;
  }

  /** The device whose hidden queue has the group's operations. */
  DeviceCore<?> first() {
    return devices.get(0);
  }

  /** Whether all devices wait for each other's events. */
  boolean sharesEvents() {
    return sharesEvents;
  }

  CollectiveGroup.Options options() {
    return options;
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
  void add(Collective collective) {
    synchronized (lock) {
      checkOpenLocked();
      boolean ignored = open.add(collective) && tryRetain(); // the devices know it until remove()
    }
  }

  /** Does nothing if the collective was refused. */
  void remove(Collective collective) {
    boolean wasOpen;
    synchronized (lock) {
      wasOpen = open.remove(collective);
    }
    if (wasOpen) {
      release();
    }
  }

  /**
   * Keeps what the ranks of a collective that has begun have brought until their streams are past
   * it; the group stays until then. The group has ended, or is about to.
   *
   * @param holds by rank
   */
  void leave(List<RankLease> holds) {
    for (int rank = 0; rank < holds.size(); rank++) {
      RankLease hold = holds.get(rank);
      boolean isKept = tryRetain();
      natives.whenPast(
          rank,
          () -> {
            try {
              hold.release();
            } finally {
              if (isKept) {
                release();
              }
            }
          });
    }
  }

  private List<Collective> open() {
    synchronized (lock) {
      return new ArrayList<>(open);
    }
  }

  /**
   * Whether the native collectives that the streams come to first wait for work elsewhere, or for
   * other groups' collectives. On a lost device nobody knows what a stream waits for.
   */
  private boolean isHeld() {
    boolean isAny = false;
    for (Collective collective : open()) {
      if (collective instanceof NativeCollective begun && begun.isFirst()) {
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
            collective -> collective instanceof NativeCollective launched && launched.isLaunched());
  }

  // How it ends.

  /**
   * Ends the group with a failure: what is parked, and what has begun, fails with it as well. If
   * there was a failure before, with that.
   */
  void end(HalException cause) {
    // All of it if it was called before, too: an error may have ended that half-way.
    HalException first = setFailed(cause);
    try {
      cancelUnbegun(first);
      // All of them first, since an error may end the rest half-way.
      for (Collective collective : open()) {
        boolean ignored = decideFailed(collective, first);
        collective.stopFailed();
      }
      open().forEach(Collective::tellFailed);
    } finally {
      natives.abort(); // last: what is aborted may look as if it had succeeded
    }
  }

  /**
   * Decides that a collective has failed, if it has begun and is not decided, and that the group
   * has ended: with {@code cause}, or with what the group has failed with before. Returns whether
   * it has decided; the caller then has to {@link #end} the group.
   */
  boolean decideFailed(Collective collective, HalException cause) {
    if (collective.hasSucceeded()) {
      return false; // and does not know it yet
    }
    synchronized (lock) {
      // At once, so that all collectives, and later calls, fail with one cause.
      HalException first = failed == null ? cause : failed;
      if (!collective.becomeFailed(first)) {
        return false;
      }
      HalException ignored = setFailed(first);
      return true;
    }
  }

  /** Returns the first failure. */
  private HalException setFailed(HalException cause) {
    synchronized (lock) {
      HalException first = failed == null ? cause : failed;
      failed = first;
      ended = ended == null ? first : ended;
      return first;
    }
  }

  private void setEnded(HalException cause) {
    synchronized (lock) {
      if (ended == null) {
        ended = cause;
      }
    }
  }

  /** Cancels what waits for something, or could not begin. */
  private void cancelParked(HalException reason, long deadline) {
    for (Collective collective : open()) {
      collective.awaitBeginning(deadline);
      if (collective.isParked() || collective.isRefused()) {
        collective.cancel(reason);
      }
    }
  }

  /** Cancels what has not begun, also if it is about to. */
  private void cancelUnbegun(HalException reason) {
    for (Collective collective : open()) {
      collective.cancel(reason);
    }
  }

  /** Fails what has begun, and so ends the group; does nothing if all of that is over. */
  private void failBegun(HalException cause) {
    for (Collective collective : open()) {
      collective.fail(cause);
    }
  }

  /** One of the devices is lost. */
  void deviceLost(HalException cause) {
    end(cause);
  }

  /** One of the devices is being closed, and waits for what has begun. */
  void deviceCloses(DeviceCore<?> device) {
    String closed = "device " + device.name() + " was closed";
    setEnded(new HalException(Status.FAILED_PRECONDITION, this + " has ended: " + closed));
    long deadline = System.nanoTime() + device.closeTimeout().toNanos();
    open().forEach(collective -> collective.awaitBeginning(deadline));
    cancelUnbegun(new HalException(Status.CANCELLED, closed));
  }

  /** One of the devices is being closed, and waits no longer. */
  void deviceGivesUp(DeviceCore<?> device, Duration limit) {
    failBegun(
        new HalException(
            Status.DEADLINE_EXCEEDED,
            "device "
                + device.name()
                + " was closed, and this collective did not end within "
                + limit));
  }

  /**
   * Closes the group. A call beside another one waits until that is done; one that follows does
   * nothing, unless an error has ended the one before half-way.
   */
  void close() {
    synchronized (lock) {
      isClosed = true;
      boolean wasInterrupted = false;
      while (isClosing) {
        try {
          lock.wait(LOOK_MILLIS); // its thread may have no stack left to wake this one
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
      isClosing = true;
    }
    try {
      closeOnce();
    } finally {
      synchronized (lock) {
        isClosing = false;
        lock.notifyAll();
      }
    }
  }

  private void closeOnce() {
    Duration limit = closeTimeout();
    long deadline = System.nanoTime() + limit.toNanos();
    cancelParked(new HalException(Status.CANCELLED, this + " was closed"), deadline);
    if (!BackOff.await(this, deadline, this::isQuiet)) {
      HalException late =
          new HalException(
              Status.DEADLINE_EXCEEDED,
              this + " was closed, and this collective did not end within " + limit);
      cancelUnbegun(late); // what a stream had no room for
      failBegun(late);
    }
  }

  /** How long an abort may take, in nanoseconds: the longest time that one of the devices has. */
  long abortNanos() {
    long longest = 0;
    for (DeviceCore<?> device : devices) {
      longest = Math.max(longest, device.abortTimeout().toNanos());
    }
    return longest;
  }

  /** How long a close waits: the longest {@code close-timeout} of the devices. */
  Duration closeTimeout() {
    Duration limit = Duration.ZERO;
    for (DeviceCore<?> device : devices) {
      limit = limit.compareTo(device.closeTimeout()) < 0 ? device.closeTimeout() : limit;
    }
    return limit;
  }

  /** Whether all that has begun, or was about to, is over. What was parked has been cancelled. */
  private boolean isQuiet() {
    for (Collective collective : open()) {
      if (!collective.isTold()) {
        return false;
      }
    }
    return true;
  }

  /** The group is closed, or nobody has a handle to it any more, and no collective is open. */
  @Override
  protected void destroy() {
    ranks.forEach(rank -> rank.remove(this));
    natives.close();
    first().resources().groups.remove(this);
  }

  @Override
  protected String describe() {
    return "a " + this;
  }

  /** One that has ended has nothing left but itself. */
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
