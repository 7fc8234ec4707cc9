// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.support.NoThreads;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process that cannot start any more threads: groups and collectives fail with RESOURCE_EXHAUSTED
 * and leave nothing (rules Q8 and M5).
 */
@Timeout(120)
class GroupNoThreadsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final InstantBackend backend = new InstantBackend(7);
  private final AtomicInteger closes = new AtomicInteger(); // of the backend
  private final CountDownLatch end = new CountDownLatch(1);
  private final Quiet log = new Quiet();

  GroupNoThreadsTest() {
    backend.atCall =
        call -> {
          if (call.equals("close")) {
            closes.incrementAndGet();
          }
        };
  }

  @AfterEach
  void end() {
    end.countDown();
    log.close();
  }

  private static boolean isAnyThreadLeft() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("instant-7-"));
  }

  /** Nothing of the device is left. */
  private void awaitGivenBack() {
    Threads.await("the backend to be closed", () -> closes.get() == 1);
    Threads.await("the end of the device's threads", () -> !isAnyThreadLeft());
    Threads.await(
        "the device's state to go",
        () -> Hal.deviceStates().stream().noneMatch(state -> state.name().equals("instant-7")));
    assertTrue(backend.misuses.isEmpty(), () -> "" + backend.misuses);
  }

  private static void assertExhausted(@Nullable Throwable failure) {
    HalException thrown = assertInstanceOf(HalException.class, failure);
    assertEquals(Status.RESOURCE_EXHAUSTED, thrown.status(), thrown.getMessage());
    assertTrue(thrown.getMessage().contains("no thread can be started"), thrown.getMessage());
  }

  @Test
  void makingAGroupFailsAndLeavesNothing() {
    EngineDevice<Object> device = backend.open(1);
    EngineDevice<Object> other = new InstantBackend(8).open(1);
    try (NoThreads none = new NoThreads()) {
      assertExhausted(assertThrows(HalException.class, () -> CollectiveGroup.of(device, other)));
    }
    CollectiveGroup.of(device, other).close();
    device.close();
    other.close();
    awaitGivenBack();
  }

  private static boolean isAlive(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(name));
  }

  /** It has a deadline, for which a thread is started, and threads that compute. */
  @ParameterizedTest
  @ValueSource(strings = {"jhal-deadline", "instant-7-copy-0"})
  void aCollectiveFailsAlone(String missing) throws Exception {
    Threads.await("the end of the timer", () -> !isAlive("jhal-deadline"));
    EngineDevice<Object> device = backend.open(1);
    EngineDevice<Object> other = new InstantBackend(8).open(1);
    TimelineSemaphore done = device.createSemaphore();
    try (DeviceBuffer here = device.allocate(16, BufferParams.DEVICE);
        DeviceBuffer there = other.allocate(16, BufferParams.DEVICE);
        CollectiveGroup group = CollectiveGroup.of(device, other)) {
      List<Rank> ranks =
          List.of(
              new Rank(Fence.NONE, done.at(1), here, here),
              new Rank(Fence.NONE, done.at(1), there, there));
      try (NoThreads none = new NoThreads(name -> name.equals(missing))) {
        group.allReduce(Reduction.SUM, ElementType.I32, ranks);
        assertExhausted(assertThrows(HalException.class, () -> done.await(1, LIMIT)));
      }
    }
    assertNull(device.lostCause());
    assertNull(other.lostCause());
    device.close();
    other.close();
    done.close();
    awaitGivenBack();
  }

  /** The first group of a device needs a queue of its own, with two threads. */
  @ParameterizedTest
  @ValueSource(strings = {"issue", "completion"})
  void aHiddenQueueThatCannotStartLeavesNothing(String missing) {
    FakeBackend own = new FakeBackend(7);
    String prefix = "fake-7-group-";
    try (EngineDevice<FakeStream.Event> device = own.open(1, LIMIT)) {
      try (NoThreads none = new NoThreads(name -> name.equals(prefix + missing))) {
        assertExhausted(assertThrows(HalException.class, () -> CollectiveGroup.of(device)));
      }
      assertEquals(2, own.streams.size());
      assertTrue(own.streams.get(1).isClosed(), "the queue's stream is closed");
      Threads.await(
          "the queue's threads to end",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().startsWith(prefix)));
      assertNull(device.lostCause());
    }
    assertEquals(List.of(), own.device.violations());
    assertEquals(List.of(), log.lines());
  }

  /** The thread that reclaims forgotten resources frees it when it can. */
  @Test
  void theDriversPartOfAGroupIsFreedLater() {
    FakeGroup natives = new FakeGroup(rank -> true);
    backend.natives = natives;
    EngineDevice<Object> device = backend.open(1, Duration.ofMillis(1));
    CollectiveGroup group = CollectiveGroup.of(device);
    try (NoThreads none = new NoThreads()) {
      group.close();
      assertFalse(natives.isClosed, "no thread could free it");
    }
    Threads.await("the group to be freed", () -> natives.isClosed);
    device.close();
  }
}
