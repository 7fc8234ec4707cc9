// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.support.NoThreads;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process that cannot start any more threads (rules Q8 and M5): what is over is given back all
 * the same, and everything else fails with RESOURCE_EXHAUSTED and leaves nothing.
 */
@Timeout(120)
class NoThreadsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final InstantBackend backend = new InstantBackend(7);
  private final AtomicInteger closes = new AtomicInteger(); // of the backend
  private final CountDownLatch end = new CountDownLatch(1);
  private final Quiet log = new Quiet();

  NoThreadsTest() {
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
  void aDeviceCanBeClosed() {
    EngineDevice<Object> device = backend.open(2);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    try (NoThreads none = new NoThreads()) {
      device.close();
      assertTrue(device.isClosed());
      assertEquals(1, closes.get(), "closes of the backend");
      awaitGivenBack();
    }
    assertEquals(List.of(), log.lines());
    buffer.close();
  }

  @Test
  void aDeviceCanBeClosedAtTheExit() {
    EngineDevice<Object> device = backend.open(1);
    try (NoThreads none = new NoThreads()) {
      device.shutdown.closeAtExit();
      awaitGivenBack();
    }
  }

  /** The close gives up, and what hangs is given back when it ends and there are threads again. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDeviceWhoseWorkHangsIsGivenBackLater(boolean endsFirst) {
    EngineDevice<Object> device = backend.open(1, Duration.ofMillis(1));
    CountDownLatch isIn = new CountDownLatch(1);
    TimelineSemaphore done = device.createSemaphore();
    device
        .queue(0)
        .hostCall(
            Fence.NONE,
            done.at(1),
            HostCall.Mode.BLOCKING,
            context -> {
              isIn.countDown();
              end.await();
            });
    assertTrue(Uninterruptibles.awaitUninterruptibly(isIn, LIMIT), "the host call begins");
    NoThreads none = new NoThreads();
    try {
      device.close();
      assertEquals(0, closes.get(), "closes of the backend while its work runs");
      if (endsFirst) {
        end.countDown();
      }
    } finally {
      none.close();
    }
    end.countDown();
    awaitGivenBack();
    done.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-q0-issue", "-q0-completion", "-q1-completion"})
  void anOpenFailsAndLeavesNothing(String missing) {
    try (NoThreads none = new NoThreads(name -> name.endsWith(missing))) {
      assertExhausted(assertThrows(HalException.class, () -> backend.open(2)));
    }
    awaitGivenBack();
    backend.open(2).close();
  }

  @Test
  void aHostCallFails() throws Exception {
    EngineDevice<Object> device = backend.open(1);
    TimelineSemaphore done = device.createSemaphore();
    try (NoThreads none = new NoThreads()) {
      device.queue(0).hostCall(Fence.NONE, done.at(1), HostCall.Mode.BLOCKING, context -> {});
      assertExhausted(assertThrows(HalException.class, () -> done.await(1, LIMIT)));
      Threads.await("it to retire", () -> device.queue(0).openOperations() == 0);
    }
    TimelineSemaphore next = device.createSemaphore();
    device.queue(0).hostCall(Fence.NONE, next.at(1), HostCall.Mode.BLOCKING, context -> {});
    next.await(1, LIMIT);
    device.close();
    done.close();
    next.close();
  }

  private static @Nullable Throwable onVirtualThread(Threads.Body body) throws Exception {
    ThreadFactory threads = Threads.virtual();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread thread =
        threads.newThread(
            () -> {
              try {
                body.run();
              } catch (Throwable t) {
                thrown.set(t);
              }
            });
    thread.start();
    Threads.await("the end of the virtual thread", () -> !thread.isAlive());
    return thrown.get();
  }

  /** They need a platform thread for each call that needs the device bound. */
  @Test
  void aVirtualThreadIsRefusedOrFreesLater() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with Java 21");
    EngineDevice<Object> device = backend.open(1);
    List<DeviceBuffer> buffers = new ArrayList<>();
    try (NoThreads none = new NoThreads()) {
      buffers.add(device.allocate(16, BufferParams.DEVICE));
      Throwable refused =
          onVirtualThread(() -> buffers.add(device.allocate(16, BufferParams.DEVICE)));
      assertExhausted(refused);
      refused = onVirtualThread(device::close);
      assertExhausted(refused);
      assertFalse(device.isClosed());
      assertEquals(null, onVirtualThread(buffers.get(0)::close));
      Threads.await("the memory to be freed", () -> device.statistics().bytes() == 0);
    }
    assertEquals(1, buffers.size());
    device.close();
    awaitGivenBack();
  }
}
