// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;

/** A thread that works in steps loses no wake-up and ends when it is stopped. */
class WorkerThreadTest {
  /** The spin time, so that the thread is found spinning as well as parked. */
  private static final long SPIN_NANOS = 50_000;

  private static long soon() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
  }

  @Test
  void theThreadIsADaemonNamedAfterDeviceAndRole() {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    WorkerThread role =
        role(
            "fake-0-q1-issue",
            () -> seen.add("bound"),
            () -> {
              seen.add(
                  Thread.currentThread().getName()
                      + " "
                      + Thread.currentThread().isDaemon()
                      + " "
                      + (Thread.currentThread() instanceof EngineThread));
              return false;
            });
    role.start();
    assertTrue(role.stop(soon()));
    assertEquals("bound", seen.get(0));
    assertEquals("fake-0-q1-issue true true", seen.get(1));
  }

  @Test
  void stopLetsTheThreadFinishItsWork() {
    AtomicInteger work = new AtomicInteger(1000);
    AtomicInteger done = new AtomicInteger();
    WorkerThread role =
        role(
            "worker",
            () -> {},
            () -> work.get() > 0 && work.decrementAndGet() >= 0 && done.incrementAndGet() > 0);
    role.start();
    assertTrue(role.stop(soon()));
    assertEquals(1000, done.get(), "all work from before the stop");
  }

  /** Work is added while the thread is about to park. Each wake() must have an effect. */
  @Test
  void noWakeUpIsLost() {
    AtomicInteger added = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    WorkerThread role =
        role(
            "worker",
            () -> {},
            () -> {
              if (done.get() < added.get()) {
                done.incrementAndGet();
                return true;
              }
              return false;
            });
    role.start();
    for (int i = 1; i <= 20_000; i++) {
      added.incrementAndGet();
      role.wake();
      if (i % 3 != 0) { // often the thread has just parked, often it is still working
        int wanted = i;
        Threads.await("piece " + i, () -> done.get() >= wanted);
      }
    }
    assertTrue(role.stop(soon()));
    assertEquals(20_000, done.get());
  }

  @Test
  void stopReportsAHangingThread() {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch hangs = new CountDownLatch(1);
    WorkerThread role =
        role(
            "worker",
            () -> {},
            () -> {
              hangs.countDown();
              try {
                release.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              return false;
            });
    role.start();
    Threads.await("the thread to hang", () -> hangs.getCount() == 0);
    assertFalse(role.stop(System.nanoTime()));
    release.countDown();
    assertTrue(role.stop(soon()));
  }

  @Test
  void stopSucceedsForAnUnstartedThread() {
    WorkerThread role = role("worker", () -> {}, () -> false);
    role.wake();
    assertTrue(role.stop(System.nanoTime()));
  }

  private static WorkerThread role(String name, Runnable atStart, BooleanSupplier step) {
    return new WorkerThread(
        name,
        nanos -> nanos < SPIN_NANOS,
        Long.MAX_VALUE,
        atStart,
        step,
        thrown -> {
          throw new AssertionError("a step threw", thrown);
        });
  }

  @Test
  void continuesAfterAThrowingStep() throws InterruptedException {
    AtomicInteger steps = new AtomicInteger();
    List<String> reported = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    WorkerThread role =
        new WorkerThread(
            "throwing",
            nanos -> nanos < SPIN_NANOS,
            Long.MAX_VALUE,
            () -> {},
            () -> {
              if (steps.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
              }
              second.countDown();
              return false;
            },
            thrown -> {
              reported.add(String.valueOf(thrown.getMessage()));
              Thread.currentThread().interrupt(); // like a callback that leaves the status set
              first.countDown();
            });
    role.start();
    assertTrue(first.await(30, TimeUnit.SECONDS), "the thread did not report its crash");
    role.wake();
    assertTrue(
        second.await(30, TimeUnit.SECONDS), "the thread did not run the step after the crash");
    assertEquals(List.of("on purpose"), reported);
    assertTrue(role.stop(soon()));
  }

  /** As when memory is short. */
  @Test
  void continuesAfterACrashThatCannotBeReported() {
    AtomicInteger steps = new AtomicInteger();
    AtomicInteger reports = new AtomicInteger();
    WorkerThread role =
        new WorkerThread(
            "worker",
            nanos -> false,
            Long.MAX_VALUE,
            () -> {},
            () -> {
              if (steps.incrementAndGet() == 1) {
                throw new OutOfMemoryError("made up");
              }
              return false;
            },
            thrown -> {
              reports.incrementAndGet();
              throw new OutOfMemoryError("no memory to report it");
            });
    role.wake();
    role.start();
    Threads.await("the step after the crash", () -> steps.get() > 1);
    assertEquals(1, reports.get());
    assertTrue(role.stop(soon()));
  }
}
