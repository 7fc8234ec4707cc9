// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FreeThreadTest {
  private static final int DEADLINE_SECONDS = 30;

  private final List<String> events = Collections.synchronizedList(new ArrayList<>());
  private final Consumer<Runnable> bound =
      free -> {
        events.add("bind");
        free.run();
        events.add("unbind");
      };

  private Runnable event(String name) {
    return () -> events.add(name);
  }

  @Test
  void freesInOrderOnAThreadOfItsOwn() {
    FreeThread frees = new FreeThread("plain-0", bound, () -> true);
    frees.free(() -> events.add(Thread.currentThread().getName()), event("then"));
    frees.free(event("second"));
    frees.await();
    assertEquals(
        List.of("bind", "plain-0-free", "unbind", "then", "bind", "second", "unbind"), events);
    frees.close(event("last"));
    assertEquals("last", events.get(events.size() - 1));
  }

  @Test
  void freesContinueIfTheDeviceCannotBeBound() {
    FreeThread frees = new FreeThread("plain-0", free -> {}, () -> true);
    frees.free(event("free"), event("then"));
    frees.close(() -> {});
    assertEquals(List.of("then"), events);
  }

  /** Behind the last task the device is gone. */
  @Test
  void freesOfTheLastTaskRunWithinIt() {
    FreeThread frees = new FreeThread("plain-0", bound, () -> true);
    frees.close(
        () -> {
          frees.free(event("free"), event("then"));
          events.add("end of the device");
        });
    assertEquals(List.of("bind", "free", "unbind", "then", "end of the device"), events);
  }

  @Test
  void freesAfterTheCloseRunOnAnotherThread() throws InterruptedException {
    FreeThread frees = new FreeThread("plain-0", bound, () -> true);
    frees.close(event("last"));
    CountDownLatch freed = new CountDownLatch(1);
    frees.free(event("late"), freed::countDown);
    assertTrue(freed.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the late free");
    assertEquals(List.of("last", "bind", "late", "unbind"), events);
  }

  /** As a callback does that frees something and uses its address again. */
  @Test
  void awaitOnTheThreadItselfDoesNotWait() throws InterruptedException {
    FreeThread frees = new FreeThread("plain-0", bound, () -> true);
    CountDownLatch over = new CountDownLatch(1);
    frees.free(
        () -> {},
        () -> {
          frees.free(event("later"));
          frees.await();
          events.add("awaited");
          over.countDown();
        });
    assertTrue(over.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the callback");
    frees.close(event("last"));
    assertEquals(List.of("bind", "unbind", "awaited", "bind", "later", "unbind", "last"), events);
  }

  /** The device ends behind the last task. */
  @Test
  void freesOfACallbackDuringTheCloseRunBeforeTheLastTask() {
    FreeThread frees = new FreeThread("plain-0", Runnable::run, () -> true);
    Thread closer = Thread.currentThread();
    frees.free(
        () -> {},
        () -> {
          long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
          while (closer.getState() != Thread.State.TIMED_WAITING) { // in close()
            assertTrue(System.nanoTime() < deadline, "this thread waits for the close");
            Thread.onSpinWait();
          }
          frees.free(event("free"), event("then"));
        });
    frees.close(event("last"));
    assertEquals(List.of("free", "then", "last"), events);
  }

  /** Then the calling thread frees, as nothing else would. */
  @Test
  void withoutThreadsTheCallerFrees() {
    FreeThread frees = new FreeThread("plain-0", bound, () -> true);
    try (NoThreads none = new NoThreads()) {
      frees.free(event("free"), event("then"));
      assertEquals(List.of("bind", "free", "unbind", "then"), events);
      frees.await();
      events.clear();
      frees.close(
          () -> {
            frees.free(event("late"), event("then"));
            frees.await();
            events.add("end of the device");
          });
      frees.free(event("of a view"), event("later"));
    }
    assertEquals(
        List.of(
            "bind",
            "late",
            "unbind",
            "then",
            "end of the device",
            "bind",
            "of a view",
            "unbind",
            "later"),
        events);
  }

  // Releases that wait for an idle device.

  private final AtomicBoolean isIdle = new AtomicBoolean();
  private final CountDownLatch looks = new CountDownLatch(3); // at the device, by the thread

  private FreeThread beside() {
    return new FreeThread(
        "plain-0",
        Runnable::run,
        () -> {
          looks.countDown();
          return isIdle.get();
        });
  }

  private void awaitLooks() throws InterruptedException {
    assertTrue(looks.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "looks at the device");
  }

  @Test
  void aReleaseWaitsForAnIdleDevice() throws InterruptedException {
    FreeThread frees = beside();
    CountDownLatch freed = new CountDownLatch(1);
    frees.free(event("free"), freed::countDown);
    awaitLooks();
    events.add("idle");
    isIdle.set(true);
    assertTrue(freed.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the release");
    assertEquals(List.of("idle", "free"), events);
    frees.close(() -> {});
  }

  /** A device may never be idle. */
  @Test
  void aReleaseWaitsForASecondAtMost() throws InterruptedException {
    FreeThread frees = beside();
    CountDownLatch freed = new CountDownLatch(2);
    frees.free(event("first"), freed::countDown);
    frees.free(event("second"), freed::countDown);
    assertTrue(freed.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the releases");
    assertEquals(List.of("first", "second"), events);
    frees.close(() -> {});
  }

  private void isHurriedBy(Consumer<FreeThread> waiter) throws InterruptedException {
    FreeThread frees = beside();
    frees.free(event("free"));
    awaitLooks();
    waiter.accept(frees);
    assertEquals(List.of("free"), events);
  }

  @Test
  void anAwaitHurriesReleases() throws InterruptedException {
    isHurriedBy(FreeThread::await);
  }

  @Test
  void aCloseHurriesReleases() throws InterruptedException {
    isHurriedBy(frees -> frees.close(() -> {}));
  }

  @Test
  void aReleaseThatSomebodyWaitsForHurriesThoseBefore() throws InterruptedException {
    CountDownLatch freed = new CountDownLatch(1);
    isHurriedBy(
        frees -> {
          frees.freeSoon(() -> {}, freed::countDown);
          frees.await();
        });
    assertEquals(0, freed.getCount());
  }

  /** They hold memory. */
  @Test
  void onlySomeReleasesWait() throws InterruptedException {
    FreeThread frees = beside();
    CountDownLatch first = new CountDownLatch(1);
    frees.free(event("first"), first::countDown);
    awaitLooks();
    for (int i = 0; i < 16; i++) {
      frees.free(() -> {});
    }
    assertTrue(first.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the first release");
    frees.close(() -> {});
  }

  @Test
  void anAllocationThatFailsIsMadeAgainBehindTheReleases() throws InterruptedException {
    FreeThread frees = beside();
    frees.free(event("free"));
    awaitLooks();
    Supplier<String> allocation =
        () -> {
          events.add("allocate");
          if (!events.contains("free")) {
            throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory");
          }
          return "memory";
        };
    assertEquals("memory", frees.allocate(allocation));
    assertEquals(List.of("allocate", "free", "allocate"), events);
    events.clear();
    assertEquals(Status.RESOURCE_EXHAUSTED, failure(frees, allocation));
    assertEquals(List.of("allocate", "allocate"), events);
    Supplier<String> other =
        () -> {
          events.add("other");
          throw new HalException(Status.UNAVAILABLE, "lost");
        };
    assertEquals(Status.UNAVAILABLE, failure(frees, other));
    assertEquals(List.of("allocate", "allocate", "other"), events);
    frees.close(() -> {});
  }

  private static Status failure(FreeThread frees, Supplier<String> allocation) {
    return assertThrows(HalException.class, () -> frees.allocate(allocation)).status();
  }
}
