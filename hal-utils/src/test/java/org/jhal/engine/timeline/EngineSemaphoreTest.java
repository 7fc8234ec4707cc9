// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.QueueHarness;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules S1 to S8 on the engine's semaphore, without any queue. */
class EngineSemaphoreTest {
  private static final HalException BROKEN =
      new HalException(Status.ABORTED, "broken", new IllegalStateException("why"));

  private final EngineSemaphore semaphore = QueueHarness.semaphore();
  private final List<String> log = new ArrayList<>();

  private Registration note(String what, long value) {
    return semaphore.onReach(value, failed -> log.add(what + (failed == null ? "" : " failed")));
  }

  private static void assertStatus(Status status, Threads.Body body) {
    assertEquals(status, assertThrows(HalException.class, body::run).status());
  }

  @Test
  void valuesGrowAndMayJump() {
    assertStatus(Status.OUT_OF_RANGE, () -> new EngineSemaphore(-1, () -> {}));
    EngineSemaphore jumps = new EngineSemaphore(7, () -> {});
    assertEquals(7, jumps.value());
    assertStatus(Status.OUT_OF_RANGE, () -> jumps.signal(7));
    assertStatus(Status.OUT_OF_RANGE, () -> jumps.signal(3));
    assertEquals(7, jumps.value(), "a refused signal changes nothing");
    jumps.signal(Long.MAX_VALUE);
    assertEquals(Long.MAX_VALUE, jumps.value());
    assertStatus(Status.OUT_OF_RANGE, () -> jumps.signal(Long.MAX_VALUE));
  }

  /** Otherwise a semaphore that the program closes may be reported as a leak. */
  @Test
  void aSemaphoreStaysReachableUntilItsCloseHasReturned() {
    for (int i = 0; i < 30_000; i++) {
      closeOne(reference -> {}); // until the compiler drops references that are not used again
    }
    for (int i = 0; i < 10; i++) {
      closeOne(
          reference -> {
            System.gc();
            assertTrue(reference.get() != null, "collected while it was being closed");
          });
    }
  }

  private static void closeOne(Consumer<Reference<?>> duringClose) {
    Reference<?>[] reference = new Reference<?>[1];
    EngineSemaphore closes = new EngineSemaphore(0, () -> duringClose.accept(reference[0]));
    reference[0] = new WeakReference<>(closes);
    closes.close();
  }

  @Test
  void anOperationsSignalMeansAtLeast() {
    semaphore.signalAtLeast(5);
    semaphore.signalAtLeast(3);
    assertEquals(5, semaphore.value());
    semaphore.fail(BROKEN);
    assertDoesNotThrow(() -> semaphore.signalAtLeast(9));
    assertEquals(5, semaphore.currentValue());
  }

  @Test
  void aSignalReleasesByValueThenByRegistrationAndNoOthers() {
    note("3 first", 3);
    note("1 first", 1);
    note("3 second", 3);
    note("2", 2);
    note("1 second", 1);
    note("4", 4);
    semaphore.signal(3);
    assertEquals(List.of("1 first", "1 second", "2", "3 first", "3 second"), log);
    semaphore.signal(4);
    assertEquals("4", log.get(5));
  }

  /** Waiters of devices and of the host are released in one common order. */
  @Test
  void theOrderSpansLanes() {
    for (int i = 0; i < 6; i++) {
      String name = "waiter " + i;
      WaitNode node =
          new WaitNode(null) {
            @Override
            public void released(Cascade cascade) {
              log.add(name);
            }
          };
      assertTrue(semaphore.register(node, 1 + i / 3, i % 2 == 0 ? null : "device " + i % 3));
    }
    semaphore.signal(2);
    assertEquals(
        List.of("waiter 0", "waiter 1", "waiter 2", "waiter 3", "waiter 4", "waiter 5"), log);
  }

  @Test
  void theFirstFailureStaysAndBeatsEverything() throws Exception {
    semaphore.signal(2);
    note("waiter", 5);
    semaphore.fail(BROKEN);
    semaphore.fail(new HalException(Status.DATA_LOSS, "late"));
    assertEquals(List.of("waiter failed"), log);
    assertSame(BROKEN, semaphore.failure());
    for (Threads.Body body :
        List.<Threads.Body>of(
            semaphore::value, () -> semaphore.signal(9), () -> semaphore.await(1))) {
      HalException thrown = assertThrows(HalException.class, body::run);
      assertEquals(Status.ABORTED, thrown.status());
      assertEquals("broken", thrown.getMessage());
      assertSame(BROKEN.getCause(), thrown.getCause());
      assertFalse(BROKEN == thrown, "each waiter gets an exception of its own");
    }
    note("later", 1);
    assertEquals("later failed", log.get(1));
  }

  @Test
  void closingCancelsWaitersAndRefusesUsers() throws Exception {
    AtomicInteger closed = new AtomicInteger();
    EngineSemaphore closes = new EngineSemaphore(0, closed::incrementAndGet);
    List<HalException> got = new ArrayList<>();
    closes.onReach(1, failed -> got.add(Objects.requireNonNull(failed)));
    Threads waiter =
        Threads.start("waiter", () -> assertStatus(Status.CANCELLED, () -> closes.await(1)));
    waiter.awaitBlocked();
    closes.close();
    closes.close();
    waiter.join();
    assertEquals(1, closed.get());
    assertEquals(Status.CANCELLED, got.get(0).status());
    for (Threads.Body body :
        List.<Threads.Body>of(
            closes::value,
            () -> closes.signal(1),
            () -> closes.await(0),
            () -> closes.await(1, Duration.ZERO),
            () -> closes.onReach(1, failed -> {}),
            () -> closes.whenReached(1),
            () -> closes.checkFutureSignal(1),
            closes::checkOpen)) {
      assertStatus(Status.FAILED_PRECONDITION, body);
    }
    assertNull(closes.failure());
    assertDoesNotThrow(() -> closes.signalAtLeast(1));
    assertDoesNotThrow(() -> closes.fail(BROKEN));
    assertNull(closes.failure(), "a failure after the end is dropped");
  }

  @Test
  void aFailureOutlivesClosing() {
    semaphore.fail(BROKEN);
    semaphore.close();
    assertSame(BROKEN, semaphore.failure());
    assertSame(BROKEN, semaphore.over());
  }

  // Waiting.

  @Test
  void aReachedValueNeverBlocks() throws Exception {
    semaphore.signal(3);
    semaphore.await(0);
    semaphore.await(3);
    semaphore.await(3, Duration.ofSeconds(-1));
    assertStatus(Status.OUT_OF_RANGE, () -> semaphore.await(-1));
  }

  @Test
  void aWaitMayComeFirstAndManyMayWait() {
    Threads[] waiters = new Threads[8];
    for (int i = 0; i < waiters.length; i++) {
      long value = 1L + i / 2;
      waiters[i] = Threads.start("waiter " + i, () -> semaphore.await(value));
    }
    for (Threads waiter : waiters) {
      waiter.awaitBlocked();
    }
    semaphore.signal(4);
    for (Threads waiter : waiters) {
      waiter.join();
    }
  }

  @Test
  void aDeadlineSaysWhatWasWaitedFor() {
    HalException thrown =
        assertThrows(HalException.class, () -> semaphore.await(4, Duration.ofMillis(1)));
    assertEquals(Status.DEADLINE_EXCEEDED, thrown.status());
    assertEquals(
        "waited 0.001 s for "
            + semaphore
            + " to reach 4; "
            + semaphore
            + " is at 0, and no open operation would raise it to 4",
        thrown.getMessage());
    HalException look = assertThrows(HalException.class, () -> semaphore.await(4, Duration.ZERO));
    assertEquals(Status.DEADLINE_EXCEEDED, look.status());
    assertEquals(semaphore + " has not reached 4", look.getMessage());
    assertStatus(
        Status.DEADLINE_EXCEEDED, () -> semaphore.await(4, Duration.ofSeconds(Long.MIN_VALUE)));
  }

  @Test
  void aDurationBeyondAllClocksIsForEver() {
    Threads waiter =
        Threads.start("waiter", () -> semaphore.await(1, Duration.ofSeconds(Long.MAX_VALUE)));
    waiter.awaitBlocked();
    semaphore.signal(1);
    waiter.join();
  }

  /** A node that stayed registered would keep the thread that waited reachable. */
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void aWaitThatGivesUpLeavesNothingRegistered(boolean interrupted, boolean several) {
    Fence one = semaphore.at(9);
    Fence fence = several ? one.and(QueueHarness.semaphore().at(1)) : one;
    WeakReference<Thread> waiter = interrupted ? interrupt(fence) : expire(fence);
    Threads.await(
        "the thread that gave up to be collected",
        () -> {
          System.gc();
          return waiter.refersTo(null);
        });
    semaphore.signal(9);
  }

  private static WeakReference<Thread> expire(Fence fence) {
    Threads waiter =
        Threads.start(
            "waiter",
            () ->
                assertStatus(Status.DEADLINE_EXCEEDED, () -> fence.awaitAll(Duration.ofMillis(2))));
    waiter.join();
    return new WeakReference<>(waiter.thread());
  }

  private static WeakReference<Thread> interrupt(Fence fence) {
    Threads waiter =
        Threads.start(
            "waiter",
            () -> {
              assertThrows(InterruptedException.class, fence::awaitAll);
              assertFalse(Thread.currentThread().isInterrupted());
            });
    waiter.awaitBlocked();
    waiter.interrupt();
    waiter.join();
    return new WeakReference<>(waiter.thread());
  }

  // Callbacks.

  @Test
  void aThrowingCallbackAffectsNoOtherWaiter() {
    semaphore.onReach(
        1,
        failed -> {
          throw new AssertionError("thrown on purpose");
        });
    note("next", 1);
    try (Quiet quiet = new Quiet()) {
      semaphore.signal(1);
      assertEquals(1, quiet.count("a callback on " + semaphore + " threw"));
    }
    assertEquals(List.of("next"), log);
  }

  @Test
  void callbacksOfANestedSignalRunAfterThoseOfTheOuterOne() {
    EngineSemaphore other = QueueHarness.semaphore();
    other.onReach(1, failed -> log.add("other"));
    semaphore.onReach(
        1,
        failed -> {
          log.add("first");
          other.signal(1);
          semaphore.signal(2);
          semaphore.onReach(1, again -> log.add("registered late"));
          log.add("first ends");
        });
    note("second", 1);
    note("third", 2);
    semaphore.signal(1);
    assertEquals(
        List.of("first", "first ends", "second", "other", "third", "registered late"), log);
  }

  @Test
  void aCallbackMayCancelAnotherOfTheSameSignal() {
    Registration[] last = new Registration[1];
    semaphore.onReach(1, failed -> assertTrue(last[0].cancel()));
    note("between", 1);
    last[0] = note("cancelled", 1);
    semaphore.signal(1);
    assertEquals(List.of("between"), log);
    assertFalse(last[0].cancel());
  }

  @Test
  void cancellingAffectsOneCallback() {
    Registration first = note("first", 1);
    note("second", 1);
    assertTrue(first.cancel());
    assertFalse(first.cancel());
    semaphore.signal(1);
    assertEquals(List.of("second"), log);
  }

  @Test
  void aCallbackRunsOrIsCancelledNeverBoth() {
    for (int round = 0; round < 500; round++) {
      EngineSemaphore raced = QueueHarness.semaphore();
      AtomicInteger runs = new AtomicInteger();
      Registration registration = raced.onReach(1, failed -> runs.incrementAndGet());
      boolean[] cancelled = new boolean[1];
      Threads.together(() -> raced.signal(1), () -> cancelled[0] = registration.cancel());
      assertEquals(cancelled[0] ? 0 : 1, runs.get());
    }
  }

  /** Rule S4: a wait that only checks the value does not block, so a callback may do it. */
  @Test
  void aCallbackMayLookAtAFence() {
    EngineSemaphore other = QueueHarness.semaphore();
    other.signal(1);
    semaphore.onReach(
        1,
        failed -> {
          try {
            Fence.of(semaphore.at(1), other.at(1)).awaitAll(Duration.ZERO);
            log.add("reached");
          } catch (Exception e) {
            log.add(e.toString());
          }
        });
    semaphore.signal(1);
    assertEquals(List.of("reached"), log);
  }

  @Test
  void aFutureBelongsToItsCaller() throws Exception {
    var cancelled = semaphore.whenReached(2);
    cancelled.thenRun(() -> log.add("cancelled"));
    semaphore.whenReached(2).thenRun(() -> log.add("future"));
    note("callback", 2);
    cancelled.cancel(true);
    semaphore.signal(2);
    assertEquals(List.of("future", "callback"), log);

    var failing = semaphore.whenReached(3);
    semaphore.fail(BROKEN);
    CompletionException thrown = assertThrows(CompletionException.class, failing::join);
    assertEquals(BROKEN.toString(), String.valueOf(thrown.getCause()));
  }

  @Test
  void manyCallbacksThatSignalEachOtherNeedNoStack() {
    int count = 100_000;
    Threads.onSmallStack(
        () -> {
          EngineSemaphore chain = QueueHarness.semaphore();
          for (int i = 1; i < count; i++) {
            long next = i + 1L;
            chain.onReach(i, failed -> chain.signal(next));
          }
          chain.signal(1);
          assertEquals(count, chain.value());
        });
  }

  @Test
  void rejectsSemaphoresOfOtherClasses() {
    TimelineSemaphore foreign =
        (TimelineSemaphore)
            java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TimelineSemaphore.class},
                (proxy, method, args) -> null);
    assertStatus(Status.INVALID_ARGUMENT, () -> EngineSemaphore.of(foreign));
    assertSame(semaphore, EngineSemaphore.of(semaphore));
  }

  // Lanes.

  @Test
  void aClosedDeviceLeavesNothing() {
    WeakReference<Object> gone = waitFor(new Object());
    waitFor("another device");
    Threads.await(
        "the device's token to be collected",
        () -> {
          System.gc();
          return gone.refersTo(null);
        });
    semaphore.signal(1);
  }

  private WeakReference<Object> waitFor(Object device) {
    WaitNode node =
        new WaitNode(null) {
          @Override
          public void released(Cascade cascade) {}
        };
    assertTrue(semaphore.register(node, 1, device));
    assertTrue(semaphore.deregister(node));
    assertFalse(semaphore.deregister(node));
    return new WeakReference<>(device);
  }
}
