// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a close logs: stuck operations by name, and repeated failures once. */
@Timeout(60)
class CloseReportTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "the cable");

  private final InstantBackend backend = new InstantBackend();
  private final Quiet log = new Quiet();

  @AfterEach
  void stopListening() {
    log.close();
  }

  /** All releases fail on a lost device. One line for each kind reports that. */
  @Test
  void failedReleasesOnALostDeviceAreCounted() throws Exception {
    AtomicBoolean isHeld = new AtomicBoolean(true);
    AtomicBoolean isGone = new AtomicBoolean();
    List<DeviceBuffer> buffers = new ArrayList<>();
    EngineDevice<Object> device = backend.open(1);
    for (int i = 0; i < 10; i++) {
      buffers.add(device.allocate(16, BufferParams.DEVICE));
    }
    backend.atCall =
        call -> {
          if (call.equals("queryEvent") || call.equals("synchronizeEvent")) {
            Threads.await("the events to be released", () -> !isHeld.get());
          } else if (isGone.get() && (call.equals("destroyEvent") || call.equals("free"))) {
            throw GONE;
          }
        };
    TimelineSemaphore done = device.createSemaphore();
    for (int i = 1; i <= 100; i++) { // each needs an event of its own
      device.queue(0).barrier(Fence.NONE, done.at(i));
    }
    isHeld.set(false);
    Threads.await("all to retire", () -> device.queue(0).openOperations() == 0);
    isGone.set(true);
    device.lose(GONE);
    device.close();
    assertEquals(1, log.count("cannot destroy"), () -> "" + log.lines());
    assertEquals(1, log.count("cannot destroy 100 native events of instant-0-q0"));
    assertEquals(1, log.count("ending a buffer of"));
    assertEquals(1, log.count("9 more releases have failed because the device is lost"));
    buffers.forEach(DeviceBuffer::close);
    done.close();
  }

  /** Begins a host call that raises {@code called} to 1 and runs until {@code end}. */
  private static void beginHostCall(
      EngineDevice<Object> device, TimelineSemaphore called, HostCall.Mode mode, CountDownLatch end)
      throws InterruptedException {
    CountDownLatch runs = new CountDownLatch(1);
    device
        .queue(0)
        .hostCall(
            Fence.NONE,
            called.at(1),
            mode,
            context -> {
              runs.countDown();
              end.await();
            });
    assertTrue(runs.await(30, TimeUnit.SECONDS), "the host call begins");
  }

  @ParameterizedTest
  @EnumSource
  void aStuckHostCallIsNamed(HostCall.Mode mode) throws Exception {
    EngineDevice<Object> device = backend.open(1, Duration.ofMillis(1));
    TimelineSemaphore called = device.createSemaphore();
    TimelineSemaphore next = device.createSemaphore();
    CountDownLatch end = new CountDownLatch(1);
    beginHostCall(device, called, mode, end);
    device.queue(0).barrier(called.at(1), next.at(1));
    if (mode == HostCall.Mode.NON_BLOCKING) {
      Threads.await("the barrier to retire", () -> device.queue(0).openOperations() == 1);
    }
    try {
      device.close();
      String named = "instant-0-q0 operation 1 (host call that runs on thread instant-0-call-0)";
      if (mode == HostCall.Mode.BLOCKING) {
        HalException late = assertThrows(HalException.class, () -> called.await(1, LIMIT));
        assertEquals(Status.DEADLINE_EXCEEDED, late.status());
        String message = String.valueOf(late.getMessage());
        assertTrue(message.contains("; not over: " + named + ", enqueued "), message);
      } else {
        next.await(1, LIMIT);
      }
      assertEquals(1, log.count("1 operation did not end within 0.001 s; not over: " + named));
    } finally {
      end.countDown();
    }
  }

  @Test
  void operationsThatOnlyHaveToRetireAreNotCountedAsStuck() throws Exception {
    EngineDevice<Object> device = backend.open(1, Duration.ofMillis(1));
    TimelineSemaphore called = device.createSemaphore();
    CountDownLatch end = new CountDownLatch(1);
    beginHostCall(device, called, HostCall.Mode.BLOCKING, end);
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    device.queue(0).fill(called.at(1), Fence.NONE, buffer, 0, 16, FillPattern.ZERO);
    buffer.close(); // so it is freed when the operation retires
    backend.atCall =
        call -> {
          if (call.equals("free")) {
            Threads.await("the close to report", () -> log.count("did not end within") > 0);
          }
        };
    try {
      device.close();
      assertEquals(1, log.count("1 operation did not end within"), () -> "" + log.lines());
    } finally {
      end.countDown();
    }
  }

  /**
   * Unissued operations fail when the close begins and only have to retire. They do not count as
   * stuck, however short the {@code close-timeout} is.
   */
  @Test
  void retiringMayTakeLongerThanTheCloseTimeout() throws Exception {
    EngineDevice<Object> device = backend.open(1, Duration.ZERO);
    TimelineSemaphore gate = device.createSemaphore();
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    device.queue(0).fill(gate.at(1), Fence.NONE, buffer, 0, 16, FillPattern.ZERO);
    buffer.close(); // so it is freed when the operation retires
    Thread closer = new Thread(device::close, "closer");
    backend.atCall =
        call -> {
          if (call.equals("free")) {
            Threads.await(
                "the close to wait for it", () -> closer.getState() == Thread.State.TIMED_WAITING);
          }
        };
    closer.start();
    closer.join(LIMIT.toMillis());
    assertEquals(Thread.State.TERMINATED, closer.getState(), "the close");
    assertEquals(List.of(), log.lines());
    gate.close();
  }

  /** As in runtimes where it waits for another device's work on the same hardware. */
  @ParameterizedTest
  @ValueSource(strings = {"close of a stream", "free"})
  void aHangingReleaseDoesNotDelayTheClose(String hanging) throws Exception {
    CountDownLatch isIn = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    EngineDevice<Object> device = backend.open(2, Duration.ofMillis(1));
    DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore();
    device.queue(0).barrier(Fence.NONE, done.at(1));
    done.await(1, LIMIT);
    Threads.await("it to retire", () -> device.queue(0).openOperations() == 0);
    backend.atCall =
        call -> {
          if (call.equals(hanging)) {
            isIn.countDown();
            Uninterruptibles.awaitUninterruptibly(end);
          }
        };
    try {
      device.close();
      assertTrue(isIn.await(30, TimeUnit.SECONDS), hanging + " is called");
      assertEquals(1, log.count("its native resources are given back later, as a call hangs"));
    } finally {
      end.countDown();
    }
    Threads.await("the memory to be freed", () -> device.statistics().bytes() == 0);
    buffer.close();
    done.close();
  }
}
