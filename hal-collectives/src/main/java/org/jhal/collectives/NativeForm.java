// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jhal.CollectiveGroup;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.base.AtExit;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Reclaimer;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.timeline.Failures;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The driver's part of a group, if there is one: how it is made, aborted and freed. The calls that
 * may block for any time are made by threads of their own.
 *
 * <p>Thread-safe.
 */
final class NativeForm {
  private static final System.Logger LOG = System.getLogger(NativeForm.class.getName());

  /** The longest time between two queries whether the streams are past an aborted group. */
  private static final long LONGEST_NAP = TimeUnit.MILLISECONDS.toNanos(50);

  private final List<DeviceGroups<?>> ranks;
  private final List<DeviceCore<?>> devices; // by rank
  private final RefCounted life;
  private final BooleanSupplier isAnyLaunched;
  private final BooleanSupplier isHeld;
  private volatile @Nullable NativeGroup<?> group; // written once, before users see the group
  private volatile String whyNot = "the group is being made";
  private final AtomicBoolean isAborted = new AtomicBoolean();

  // Open once the driver's call has returned. Then no timer is started any more.
  private final CountDownLatch abortIsOver = new CountDownLatch(1);
  private final Runnable atExit = () -> await(abortIsOver, AtExit.CALL.toNanos());

  // By rank, once the group is aborted: whether the stream is past all that the group has put into
  // it, and what to do when it is.
  @GuardedBy("this")
  private final boolean[] isPast;

  @GuardedBy("this")
  private final List<List<Runnable>> whenPast = new ArrayList<>();

  // The timers of the abort, by rank.
  @GuardedBy("this")
  private final Map<Integer, Future<?>> timers = new HashMap<>();

  private final CountDownLatch isClosed = new CountDownLatch(1);

  /**
   * For the devices of a group, by rank.
   *
   * @param life the group's, at the end of which this is closed
   * @param isAnyLaunched whether the library's streams have a collective of the group that they are
   *     not past
   * @param isHeld whether all running collectives wait for work elsewhere
   */
  NativeForm(
      List<DeviceGroups<?>> ranks,
      RefCounted life,
      BooleanSupplier isAnyLaunched,
      BooleanSupplier isHeld) {
    this.ranks = ranks;
    this.devices = DeviceGroups.devices(ranks);
    this.life = life;
    this.isAnyLaunched = isAnyLaunched;
    this.isHeld = isHeld;
    this.isPast = new boolean[ranks.size()];
    for (int rank = 0; rank < ranks.size(); rank++) {
      whenPast.add(new ArrayList<>(0));
    }
  }

  /** Makes it, or finds out why there is none. Blocks. */
  void make(CollectiveGroup.Options options) {
    if (options.hostOnly()) {
      whyNot = "the group was made for the host only";
      return;
    }
    List<DeviceBackend<?>> backends = new ArrayList<>();
    devices.forEach(device -> backends.add(device.backend()));
    List<RankLease> leases = List.of();
    try {
      leases = RankLease.of(devices); // or one could end meanwhile
      long patience = TimeUnit.NANOSECONDS.convert(options.deadline()); // Long.MAX_VALUE at most
      group = ranks.get(0).createNatives(backends, patience);
      var unused = ranks.get(0).natives(); // or the first call would wait for it
    } catch (HalException e) {
      whyNot = e.getMessage();
    } finally {
      leases.forEach(RankLease::release);
    }
  }

  /** What carries out collectives, or null. */
  @Nullable NativeGroup<?> group() {
    return group;
  }

  /** Why there is none. */
  String whyNot() {
    return whyNot;
  }

  /**
   * Begins to end the running collectives, without waiting for their end. A device is lost if its
   * part of them is not over within its {@link DeviceCore#abortTimeout}, since its stream may never
   * go on. Time in which the streams wait for work elsewhere does not count. May be called again.
   */
  void abort() {
    NativeGroup<?> aborted = group;
    if (aborted == null || !isAborted.compareAndSet(false, true)) {
      return;
    }
    if (!life.tryRetain()) { // for the watch
      return; // nothing runs any more, and it is being freed
    }
    AtExit.addCall(atExit);
    Reclaimer.startThread("jhal-abort", () -> abort(aborted));
    Reclaimer.startThread("jhal-abort-watch", () -> watch(aborted));
  }

  // What the streams are past.

  /**
   * Calls {@code body} when a rank's stream is past all that the group has put into it. For a group
   * that has ended, or is about to, and was not freed. {@code body} throws nothing.
   */
  void whenPast(int rank, Runnable body) {
    synchronized (this) {
      if (!isPast[rank]) {
        whenPast.get(rank).add(body);
        return;
      }
    }
    body.run();
  }

  private synchronized boolean isPast(int rank) {
    return isPast[rank];
  }

  /**
   * Asks the driver until all streams are past everything, however long that takes. The group lives
   * until then: its events are asked for, and its close would take all streams to be past it.
   */
  private void watch(NativeGroup<?> aborted) {
    long start = System.nanoTime();
    for (int left = devices.size(); left > 0; ) {
      left = 0;
      for (int rank = 0; rank < devices.size(); rank++) {
        if (!isPast(rank)) {
          if (isPast(aborted, rank)) {
            setPast(rank);
          } else {
            left++;
          }
        }
      }
      if (left > 0) {
        long waited = System.nanoTime() - start;
        LockSupport.parkNanos(this, Math.min(BackOff.length(waited) + waited / 64, LONGEST_NAP));
      }
    }
    life.release();
  }

  private static boolean isPast(NativeGroup<?> aborted, int rank) {
    try {
      return aborted.isPast(rank);
    } catch (RuntimeException | OutOfMemoryError e) { // it is asked again
      return false;
    }
  }

  /** What is done then releases memory, so users' callbacks run, which may take any time. */
  private void setPast(int rank) {
    Runnable rest = () -> runPast(rank); // made first: a lack of memory must lose nothing
    boolean isAny;
    synchronized (this) {
      isPast[rank] = true;
      isAny = !whenPast.get(rank).isEmpty();
    }
    if (isAny) {
      Deadlines.apart(rest);
    }
  }

  private void runPast(int rank) {
    List<Runnable> bodies;
    synchronized (this) {
      bodies = whenPast.set(rank, List.of());
    }
    bodies.forEach(Runnable::run);
  }

  private void abort(NativeGroup<?> aborted) {
    try {
      // The library waits until its streams are past what it ends.
      BackOff.await(this, BackOff.never(), () -> !isHeld.getAsBoolean());
      long longest = 0;
      for (int rank = 0; rank < devices.size(); rank++) {
        startPatience(rank, false);
        longest = Math.max(longest, abortNanos(rank));
      }
      aborted.abort(longest);
    } catch (RuntimeException | OutOfMemoryError e) {
      for (int rank = 0; rank < devices.size(); rank++) {
        if (!isPast(rank)) {
          lose(devices.get(rank), "failed: " + e);
        }
      }
    } finally {
      endPatience();
      AtExit.remove(atExit);
    }
  }

  // How long an abort may take.

  private long abortNanos(int rank) {
    return devices.get(rank).abortTimeout().toNanos();
  }

  private synchronized void startPatience(int rank, boolean wasHeld) {
    if (abortIsOver.getCount() > 0) {
      timers.put(rank, Deadlines.after(abortNanos(rank), () -> late(rank, wasHeld)));
    }
  }

  private synchronized void endPatience() {
    abortIsOver.countDown();
    for (Future<?> timer : timers.values()) {
      timer.cancel(false);
    }
  }

  /** On the timer's thread. */
  private void late(int rank, boolean wasHeld) {
    if (!startAgain(rank, wasHeld)) {
      Deadlines.apart(() -> giveUp(rank));
    }
  }

  /**
   * A collective that is aborted behind others may wait for work elsewhere only when those have
   * gone. Returns false if the time is up, or there is no memory for the timer.
   */
  private boolean startAgain(int rank, boolean wasHeld) {
    try {
      boolean isHeldNow = isHeld.getAsBoolean();
      if (isHeldNow || wasHeld) {
        startPatience(rank, isHeldNow);
      }
      return isHeldNow || wasHeld;
    } catch (HalException | OutOfMemoryError e) {
      return false;
    }
  }

  /**
   * The device is lost, unless its part of the collectives is over: an abort also waits for work
   * that has nothing to do with it, which is no reason to give up a device.
   */
  private void giveUp(int rank) {
    DeviceCore<?> device = devices.get(rank);
    Duration limit = device.abortTimeout();
    if (!isPast(rank)) {
      lose(device, "did not end within " + DurationText.of(limit));
    } else {
      Failures.log(
          LOG,
          Level.INFO,
          ("device %s: the abort of a group has not ended within %s, although its"
                  + " collectives are over; it may wait for other work on the device")
              .formatted(device.name(), DurationText.of(limit)),
          null);
    }
  }

  /** The first device is lost, too, if its stream waits for that of {@code device}. */
  private void lose(DeviceCore<?> device, String how) {
    HalException cause =
        new HalException(
            Status.UNAVAILABLE,
            "device " + device.name() + " is lost: the abort of a collective " + how);
    if (!device.isClosed()) {
      device.lose(cause);
    }
    DeviceCore<?> other = devices.get(0);
    if (other != device && isAnyLaunched.getAsBoolean() && !other.isClosed()) {
      other.lose(cause);
    }
  }

  /** Frees it, without waiting for that. Nothing runs any more. Called once. Throws nothing. */
  void close() {
    NativeGroup<?> ended = group;
    if (ended == null) {
      return;
    }
    for (int rank = 0; rank < devices.size(); rank++) {
      setPast(rank); // there are no more queries
    }
    Reclaimer.startThread(
        "jhal-group-free",
        () -> {
          try {
            ended.close();
          } finally {
            isClosed.countDown();
          }
        });
  }

  /** Waits until {@link #close} is through, until the deadline at most. */
  void awaitClosed(long deadline) {
    if (group != null) {
      await(isClosed, deadline - System.nanoTime());
    }
  }

  private static void await(CountDownLatch latch, long nanos) {
    boolean unused = Uninterruptibles.awaitUninterruptibly(latch, nanos, TimeUnit.NANOSECONDS);
  }
}
