// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.Lazy;
import org.jhal.engine.base.AtExit;
import org.jhal.engine.base.BackendCalls;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.DeviceResources;
import org.jhal.engine.base.HostCompletionPool;
import org.jhal.engine.base.Reclaimer;
import org.jhal.engine.collective.DeviceCollectives;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.transfer.StagingPool;
import org.jhal.spi.DurationText;
import org.jhal.spi.Explanations;

/**
 * Closes a device (rule Q8): refuses users, cancels unissued operations, waits for issued ones,
 * ends the threads, and frees native resources. Resources that may still be in use are leaked.
 *
 * <p>Thread-safe.
 */
final class DeviceShutdown<E> {
  private static final System.Logger LOG = System.getLogger(DeviceShutdown.class.getName());

  /** How long idle threads may take to end. */
  private static final Duration THREADS = Duration.ofSeconds(10);

  /** How long threads that may hang in a native call may take to end. */
  private static final Duration ABANDONED_THREADS = Duration.ofSeconds(1);

  /** How long operations that failed without having been issued may take to retire. */
  private static final Duration RETIRING = Duration.ofSeconds(1);

  /** How many stuck operations a message names. */
  private static final int MOST_NAMED = 3;

  /** The states of an operation that has begun; SETTLED includes a host call behind the signals. */
  private static final Set<String> UNDER_WAY = Set.of("ISSUED", "SETTLED");

  /** The least time that a close waits for native resources to be freed. */
  private static final Duration GIVE_BACK = Duration.ofSeconds(2);

  /** The limit for both when the JVM exits. */
  private static final Duration AT_EXIT = Duration.ofSeconds(2);

  private final DeviceCore<E> core;
  private final String name;
  private final BackendCalls calls;
  private final DeviceResources resources;
  private final List<DeferredWorkQueue<E>> queues; // hidden and acquired ones are added later
  private final Lazy<DeviceCollectives> collectives;
  private final List<StagingPool> staging;

  private final Runnable atExit = this::closeAtExit;
  private volatile long exitPatience; // in nanoseconds

  DeviceShutdown(
      DeviceCore<E> core, Lazy<DeviceCollectives> collectives, List<StagingPool> staging) {
    this.core = core;
    this.name = core.name();
    this.calls = core.calls();
    this.resources = core.resources();
    this.queues = core.queues();
    this.collectives = collectives;
    this.staging = staging;
  }

  /** Closes what the device's constructor had created before it failed. */
  void closeHalfMade() {
    calls.shut();
    core.pools().all().forEach(HostCompletionPool::close);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    for (DeferredWorkQueue<E> queue : queues) {
      if (queue.shutdown().shut(deadline)) {
        queue.shutdown().stop(deadline); // ends the threads that did start
      }
    }
    queues.forEach(queue -> calls.quietly("closing a stream", queue.shutdown()::closeStream));
    calls.quietly("closing", core.backend()::close);
    Names.removeDevice(core.number());
    core.setCloseOver();
  }

  /** Registers the open device, to be closed when the JVM exits. */
  void open() {
    AtExit.addDevice(atExit);
    boolean isOpen = false;
    try {
      Explanations.register(core);
      resources.open();
      isOpen = true;
    } finally {
      if (!isOpen) { // no thread can be started
        AtExit.remove(atExit);
        Explanations.unregister(core);
      }
    }
  }

  /** Sets how long {@link #closeAtExit} lets the program begin to close the device. */
  void setExitPatience(Duration patience) {
    if (Objects.requireNonNull(patience, "patience").isNegative()
        || patience.compareTo(Duration.ofDays(1)) > 0) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "patience " + DurationText.of(patience) + " is not between 0 and 1 day");
    }
    exitPatience = patience.toNanos();
  }

  /** Closes the device. A second call only waits until the first is done. */
  void close() {
    close(core.closeTimeout(), THREADS);
  }

  /**
   * Closes the device because the JVM exits, unless the program does so within its patience. No
   * other wait for the device is longer than {@link #AT_EXIT}: the thread that called {@link
   * System#exit} may be one of the device's, which then never ends.
   */
  void closeAtExit() {
    long patienceEnd = System.nanoTime() + exitPatience;
    if (BackOff.await(this, patienceEnd, calls::isShut)) {
      // Until its end: the close may begin an abort, for which the exit has to wait.
      long atExit = System.nanoTime() + AT_EXIT.toNanos();
      awaitOver(patienceEnd - atExit > 0 ? patienceEnd : atExit);
    } else {
      Duration timeout = core.closeTimeout();
      close(timeout.compareTo(AT_EXIT) < 0 ? timeout : AT_EXIT, AT_EXIT);
    }
  }

  /** Waits for work up to {@code limit}, and then for threads up to {@code threadsLimit}. */
  private void close(Duration limit, Duration threadsLimit) {
    if (!calls.shut()) {
      awaitOver(BackOff.never());
      return;
    }
    try {
      closeOnce(limit, threadsLimit);
    } finally {
      core.setCloseOver();
      AtExit.remove(atExit);
    }
  }

  private boolean awaitOver(long deadline) {
    return BackOff.await(this, deadline, core::isCloseOver);
  }

  private void closeOnce(Duration limit, Duration threadsLimit) {
    resources.close();
    long deadline = System.nanoTime() + limit.toNanos();
    HalException reason = new HalException(Status.CANCELLED, "device " + name + " was closed");
    boolean quiet = calls.awaitEmpty(deadline);
    DeviceCollectives groups = collectives.ifMade();
    if (groups != null) { // a group that is being made finds out by itself
      groups.close(deadline);
    }
    // Unissued operations of users fail now; issued ones continue. So do copies between devices,
    // enqueued here or there: the queues still accept their chunks.
    queues.forEach(queue -> queue.shutdown().cancelUsers(reason));
    core.leases().copies.shut();
    core.leases().uses.shut();
    if (!core.leases().copies.awaitEmpty(deadline) && groups != null) {
      groups.giveUp(limit); // past the deadline, their chunks are refused
    }
    for (DeferredWorkQueue<E> queue : queues) {
      queue.shutdown().awaitIdle(deadline); // asked again below
    }
    quiet &= core.leases().uses.awaitEmpty(deadline);
    for (DeferredWorkQueue<E> queue : queues) {
      quiet &= queue.shutdown().shut(deadline);
    }
    queues.forEach(queue -> queue.shutdown().cancelAll(reason));
    long now = System.nanoTime();
    long retired = now + Math.max(deadline - now, RETIRING.toNanos());
    for (DeferredWorkQueue<E> queue : queues) {
      quiet &= queue.shutdown().awaitRetired(deadline, retired);
    }
    if (!quiet) {
      String stuck = stuck();
      HalException late =
          new HalException(
              Status.DEADLINE_EXCEEDED,
              "device %s was closed, and this operation did not end within %s%s"
                  .formatted(name, DurationText.of(limit), stuck));
      int left = 0;
      for (DeferredWorkQueue<E> queue : queues) {
        left += queue.shutdown().abandonAll(late);
      }
      calls.quietly("abandoning its work", core.backend()::abandon);
      Failures.log(
          LOG,
          Level.WARNING,
          "closing "
              + name
              + ": "
              + left
              + (left == 1 ? " operation" : " operations")
              + " did not end within "
              + DurationText.of(limit)
              + (core.leases().uses.isEmpty()
                  ? ""
                  : ", and operations of other devices still use its memory")
              + stuck,
          null);
    }
    core.pools().all().forEach(HostCompletionPool::close);
    // If work is still running, threads may hang in native calls. Those are abandoned.
    finishApart(quiet ? threadsLimit : ABANDONED_THREADS, deadline);
  }

  /** The end of a message: a few of the issued operations that have not ended. */
  private String stuck() {
    StringBuilder text = new StringBuilder();
    AtomicInteger count = new AtomicInteger();
    core.reportOpen(
        operation -> {
          if (UNDER_WAY.contains(operation.state()) && count.incrementAndGet() <= MOST_NAMED) {
            text.append(count.get() == 1 ? "; not over: " : "; ")
                .append(operation.queue())
                .append(" operation ")
                .append(operation.number())
                .append(" (")
                .append(operation.kind())
                .append("), enqueued ")
                .append(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - operation.since()))
                .append(" s ago");
          }
        });
    int more = count.get() - MOST_NAMED;
    return text + (more > 0 ? "; and " + more + " more" : "");
  }

  /** Waits until nothing uses native resources. Returns false if the deadlines pass first. */
  private boolean awaitQuiet(long threadsEnd, long streamsEnd) {
    boolean quiet = calls.awaitEmpty(threadsEnd);
    for (DeferredWorkQueue<E> queue : queues) {
      quiet &= queue.shutdown().stop(threadsEnd);
    }
    for (HostCompletionPool pool : core.pools().all()) {
      quiet &= pool.awaitEnd(threadsEnd);
    }
    quiet &= calls.endFreeing(threadsEnd);
    for (DeferredWorkQueue<E> queue : queues) {
      quiet = quiet && queue.shutdown().awaitStreamIdle(streamsEnd);
    }
    if (quiet) {
      // Before the wait: another closing device may wait for this one in the same way.
      queues.forEach(queue -> queue.shutdown().retireKept());
    }
    return quiet && core.leases().uses.awaitEmpty(threadsEnd);
  }

  /**
   * Does the rest, mostly native calls, on the thread {@code NAME-close}, and waits for that thread
   * until the deadlines only. In some runtimes a call may wait for another device's work on the
   * same hardware, for example while host memory is unregistered. If no thread can be started, this
   * thread does it, and such a call holds it up.
   */
  private void finishApart(Duration threadsLimit, long deadline) {
    long now = System.nanoTime();
    long threads = threadsLimit.toNanos();
    long streams = Math.max(deadline - now, TimeUnit.SECONDS.toNanos(1));
    CompletableFuture<Boolean> isQuiet = new CompletableFuture<>();
    Thread finisher =
        new EngineThread(name + "-close", () -> finish(now + threads, now + streams, isQuiet));
    try {
      finisher.start();
    } catch (OutOfMemoryError e) {
      finishHere(now + threads, now + streams);
      return;
    }
    long quietEnd = now + Math.max(threads, streams) + GIVE_BACK.toNanos();
    if (!BackOff.await(this, quietEnd, isQuiet::isDone) || !isQuiet.join()) {
      logLeaked();
      return;
    }
    long then = System.nanoTime();
    long end = then + Math.max(deadline - then, GIVE_BACK.toNanos());
    if (!BackOff.await(this, end, () -> !finisher.isAlive())) {
      Failures.log(
          LOG,
          Level.WARNING,
          "closing " + name + ": its native resources are given back later, as a call hangs",
          null);
    }
  }

  private void logLeaked() {
    Failures.log(
        LOG,
        Level.WARNING,
        "closing " + name + ": its native resources are leaked until the work on it has ended",
        null);
  }

  /** As {@link #finish}; what has to wait for longer, {@code NAME-close} does when it can start. */
  private void finishHere(long threadsEnd, long streamsEnd) {
    if (awaitQuiet(threadsEnd, streamsEnd)) {
      giveBack();
      return;
    }
    logLeaked();
    Reclaimer.startThread(name + "-close", this::finishLate);
  }

  private void finishLate() {
    if (awaitQuiet(BackOff.never(), BackOff.never())) {
      giveBack();
    }
  }

  /**
   * Waits until the device is quiet, completes {@code isQuiet} with whether that was before the
   * deadlines, and frees everything. For {@code NAME-close}.
   */
  private void finish(long threadsEnd, long streamsEnd, CompletableFuture<Boolean> isQuiet) {
    boolean quiet = awaitQuiet(threadsEnd, streamsEnd);
    isQuiet.complete(quiet);
    if (quiet) {
      giveBack();
    } else {
      finishLate();
    }
  }

  /** Frees all native resources, which nothing uses. */
  private void giveBack() {
    Explanations.unregister(core);
    queues.forEach(queue -> calls.quietly("closing a stream", queue.shutdown()::closeStream));
    resources.endAll(calls);
    for (StagingPool pool : staging) {
      calls.quietly("freeing staging memory", pool::free);
    }
    calls.quietly("closing", core.backend()::close);
    calls.logFailedOnLost();
    Names.removeDevice(core.number());
    resources.over();
  }
}
