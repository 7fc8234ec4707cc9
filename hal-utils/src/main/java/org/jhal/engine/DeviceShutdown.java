package org.jhal.engine;

import com.google.common.util.concurrent.Uninterruptibles;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.base.BackendCalls;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.DeviceResources;
import org.jhal.engine.base.HostCompletionPool;
import org.jhal.engine.file.FileStaging;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.engine.group.DeviceGroups;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.Failures;
import org.jhal.spi.Explanations;

/**
 * Closes a device (rule Q8). Users are refused, operations that are not issued are cancelled, those
 * that are issued are waited for, threads end, and native resources are freed, or leaked while
 * something may still use them.
 *
 * <p>Thread-safe.
 */
final class DeviceShutdown<E> {
  private static final System.Logger LOG = System.getLogger(DeviceShutdown.class.getName());

  /** How long threads that have nothing left to do may take to end. */
  private static final Duration THREADS = Duration.ofSeconds(10);

  /** How long threads that may hang in a native call may take to end. */
  private static final Duration ABANDONED_THREADS = Duration.ofSeconds(1);

  /** How many operations that do not end are named. */
  private static final int MOST_NAMED = 3;

  /** States of operations that have begun, such as a host call behind the signals. */
  private static final Set<String> UNDER_WAY = Set.of("ISSUED", "SETTLED");

  /** How often a second close looks whether the first is done, if nobody wakes it. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** How long a close waits at least for calls that give back what is native. */
  private static final Duration GIVE_BACK = Duration.ofSeconds(2);

  /** The limit for both when the JVM exits. */
  private static final Duration AT_EXIT = Duration.ofSeconds(2);

  private final DeviceCore<E> core;
  private final String name;
  private final BackendCalls calls;
  private final DeviceResources resources;
  private final List<DeferredWorkQueue<E>> queues; // only a hidden one may come later, in a call
  private final DeviceGroups<E> groups;
  private final List<FileStaging> fileStaging;
  private final CountDownLatch over = new CountDownLatch(1); // opened when close() is done

  DeviceShutdown(DeviceCore<E> core, DeviceGroups<E> groups, List<FileStaging> fileStaging) {
    this.core = core;
    this.name = core.name();
    this.calls = core.calls();
    this.resources = core.resources();
    this.queues = core.queues();
    this.groups = groups;
    this.fileStaging = fileStaging;
  }

  /** Closes what the device's constructor had created before it failed. */
  void closeHalfMade() {
    calls.shut();
    core.pools().all().forEach(HostCompletionPool::close);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    for (DeferredWorkQueue<E> queue : queues) {
      boolean ignored =
          queue.shutdown().shut(deadline)
              && queue.shutdown().stop(deadline); // ends the threads that did start
    }
    queues.forEach(queue -> calls.quietly("closing a stream", queue.shutdown()::closeStream));
    calls.quietly("closing", core.backend()::close);
    Names.removeDevice(core.number());
    core.isCloseOver = true;
    over.countDown();
  }

  /** The device is open: from now on it is closed when the JVM exits. */
  void open() {
    OpenDevices.add(this);
    try {
      Explanations.register(core);
      resources.open();
    } catch (Throwable t) { // no thread can be started
      OpenDevices.remove(this);
      Explanations.unregister(core);
      throw t;
    }
  }

  /** Closes the device. A second call only waits until the first is done. */
  void close() {
    close(core.closeTimeout(), THREADS);
  }

  /**
   * Closes the device because the JVM exits. The thread that called {@link System#exit} may be one
   * of the device's threads, which then never ends. So no wait is longer than {@link #AT_EXIT}.
   */
  void closeAtExit() {
    if (calls.isShut()) {
      boolean ignored =
          Uninterruptibles.awaitUninterruptibly(over, AT_EXIT.toNanos(), TimeUnit.NANOSECONDS);
    } else {
      Duration timeout = core.closeTimeout();
      close(timeout.compareTo(AT_EXIT) < 0 ? timeout : AT_EXIT, AT_EXIT);
    }
  }

  /**
   * Closes the device, waiting for work up to {@code limit} and then for threads up to {@code
   * threadsLimit}.
   */
  private void close(Duration limit, Duration threadsLimit) {
    if (!calls.shut()) {
      while (!core.isCloseOver) {
        boolean ignored =
            Uninterruptibles.awaitUninterruptibly(over, LOOK.toNanos(), TimeUnit.NANOSECONDS);
      }
      return;
    }
    try {
      closeOnce(limit, threadsLimit);
    } finally {
      core.isCloseOver = true;
      over.countDown();
      OpenDevices.remove(this);
    }
  }

  private void closeOnce(Duration limit, Duration threadsLimit) {
    resources.close();
    long deadline = System.nanoTime() + limit.toNanos();
    HalException reason = new HalException(Status.CANCELLED, "device " + name + " was closed");
    boolean quiet = calls.awaitEmpty(deadline);
    groups.close();
    // Users' operations that are not issued fail now. Those that are issued go on. So do copies
    // between devices, enqueued here or on the other device, whose chunks the queues still accept.
    queues.forEach(queue -> queue.shutdown().cancelUsers(reason));
    core.leases().copies.shut();
    core.leases().uses.shut();
    if (!core.leases().copies.awaitEmpty(deadline)) { // past the deadline, their chunks are refused
      groups.giveUp(limit);
    }
    queues.forEach(queue -> queue.shutdown().awaitIdle(deadline));
    quiet &= core.leases().uses.awaitEmpty(deadline);
    for (DeferredWorkQueue<E> queue : queues) {
      quiet &= queue.shutdown().shut(deadline);
    }
    queues.forEach(queue -> queue.shutdown().cancelAll(reason));
    for (DeferredWorkQueue<E> queue : queues) {
      quiet &= queue.shutdown().awaitIdle(deadline);
    }
    if (!quiet) {
      String stuck = stuck();
      HalException late =
          new HalException(
              Status.DEADLINE_EXCEEDED,
              "device "
                  + name
                  + " was closed, and this operation did not end within "
                  + limit
                  + stuck);
      int left = 0;
      for (DeferredWorkQueue<E> queue : queues) {
        left += queue.shutdown().abandonAll(late);
      }
      Failures.log(
          LOG,
          Level.WARNING,
          "closing "
              + name
              + ": "
              + left
              + (left == 1 ? " operation" : " operations")
              + " did not end within "
              + limit
              + (core.leases().uses.isEmpty()
                  ? ""
                  : ", and operations of other devices still use its memory")
              + stuck,
          null);
    }
    core.pools().all().forEach(HostCompletionPool::close);
    // If work is still running, threads may hang in native calls; they are left behind.
    finishApart(quiet ? threadsLimit : ABANDONED_THREADS, deadline);
  }

  /** What has been issued and is not over, as the end of a message; a few of them by name. */
  private String stuck() {
    StringBuilder text = new StringBuilder();
    AtomicInteger count = new AtomicInteger();
    core.tellOpen(
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

  /**
   * Waits until no thread and no stream uses anything native any more. Returns false if that is not
   * so at the deadlines.
   */
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
      // Before the wait: another device that is being closed may wait for this in the same way.
      queues.forEach(queue -> queue.shutdown().retireKept());
    }
    return quiet && core.leases().uses.awaitEmpty(threadsEnd);
  }

  /**
   * Does what is left, which is mostly native calls, on the thread {@code NAME-close}, and waits
   * until the deadlines only. A native runtime may let any call wait for another device's work on
   * the same hardware, as some do while host memory is unregistered.
   */
  private void finishApart(Duration threadsLimit, long deadline) {
    long now = System.nanoTime();
    long threads = threadsLimit.toNanos();
    long streams = Math.max(deadline - now, TimeUnit.SECONDS.toNanos(1));
    CompletableFuture<Boolean> isQuiet = new CompletableFuture<>();
    Thread finisher =
        new EngineThread(name + "-close", () -> finish(now + threads, now + streams, isQuiet));
    finisher.start();
    long quietEnd = now + Math.max(threads, streams) + GIVE_BACK.toNanos();
    if (!BackOff.await(this, quietEnd, isQuiet::isDone) || !isQuiet.join()) {
      Failures.log(
          LOG,
          Level.WARNING,
          "closing " + name + ": its native resources are leaked until the work on it has ended",
          null);
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

  /**
   * Waits until nothing is used any more, tells whether that was so before the deadlines, and gives
   * everything back. For {@code NAME-close}.
   */
  private void finish(long threadsEnd, long streamsEnd, CompletableFuture<Boolean> isQuiet) {
    boolean quiet = awaitQuiet(threadsEnd, streamsEnd);
    isQuiet.complete(quiet);
    if (quiet || awaitQuiet(BackOff.never(), BackOff.never())) {
      giveBack();
    }
  }

  /** Frees everything native. Nothing uses it any more. */
  private void giveBack() {
    Explanations.unregister(core);
    queues.forEach(queue -> calls.quietly("closing a stream", queue.shutdown()::closeStream));
    resources.endAll(calls);
    for (FileStaging staging : fileStaging) {
      calls.quietly("freeing the memory for files", staging::free);
    }
    calls.quietly("closing", core.backend()::close);
    calls.tellFailedOnLost();
    Names.removeDevice(core.number());
    resources.copyBuffers.clear();
  }
}
