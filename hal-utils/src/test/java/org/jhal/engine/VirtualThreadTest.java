// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** No native call is made on a virtual thread, which may change its carrier thread. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final InstantBackend backend = new InstantBackend();
  private final List<EngineDevice<?>> devices = new ArrayList<>(); // which the test closes

  @AfterEach
  void closeDevices() {
    devices.forEach(EngineDevice::close);
  }

  @Test
  void operationsAreIssuedAndAwaitedWithoutBinding() throws Exception {
    try (EngineDevice<Object> device = backend.open(2);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      VirtualThreads.run(
          100,
          () -> {
            try (TimelineSemaphore semaphore = device.createSemaphore(0)) {
              DeviceQueue queue = device.queue((int) (semaphore.hashCode() & 1));
              for (int i = 1; i <= 100; i++) {
                queue.fill(
                    i % 10 == 0 ? semaphore.at(i - 1) : Fence.NONE,
                    semaphore.at(i),
                    buffer,
                    0,
                    64,
                    FillPattern.ZERO);
                if (i % 20 == 0) {
                  semaphore.await(i, DEADLINE);
                }
              }
            }
          });
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  @Test
  void parkedWorkIsIssuedWithoutBindingWhenAVirtualThreadSignals() throws Exception {
    try (EngineDevice<Object> device = backend.open(2);
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(gate.at(1), done.at(1));
      device.queue(1).barrier(gate.at(1), done.at(2));
      VirtualThreads.run(1, () -> gate.signal(1));
      done.await(2, DEADLINE);
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  @Test
  void memoryIsAllocatedAndFreedWithoutBinding() throws Exception {
    try (EngineDevice<Object> device = backend.open(1)) {
      VirtualThreads.run(
          50,
          () -> {
            try (DeviceBuffer buffer = device.allocate(64, BufferParams.HOST);
                DeviceBuffer imported =
                    device
                        .allocator()
                        .importHost(ByteBuffer.allocateDirect(64), BufferParams.HOST, () -> {})) {
              buffer.map(0, 64, DeviceBuffer.MapMode.READ_WRITE).close();
              assertEquals(64, imported.size());
            }
          });
      assertEquals(0, device.statistics().bytes());
    }
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  @Test
  void aDeviceIsOpenedAndClosedWithoutBinding() throws Exception {
    VirtualThreads.run(
        5,
        () -> {
          EngineDevice<Object> device = backend.open(1);
          DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
          device.close();
          buffer.close();
        });
    assertEquals(List.of(), List.copyOf(backend.misuses));
  }

  // Calls that wait.

  private EngineDevice<Object> open(InstantBackend slow) {
    EngineDevice<Object> device = slow.open(1, Duration.ofMinutes(5));
    devices.add(device);
    return device;
  }

  /** Each waits for a host call of the program. */
  @Test
  void closesOfDevicesDoNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    List<VirtualThreads.Step> closes = new ArrayList<>();
    for (int i = 0; i < VirtualThreads.TOO_MANY; i++) {
      EngineDevice<Object> device = open(new InstantBackend());
      device
          .queue(0)
          .hostCall(
              Fence.NONE,
              Fence.NONE,
              HostCall.Mode.BLOCKING,
              context -> {
                running.incrementAndGet();
                VirtualThreads.await(go, "a call beside the closes");
              });
      closes.add(device::close);
    }
    Threads.await("all host calls to run", () -> running.get() == VirtualThreads.TOO_MANY);
    VirtualThreads.assertOthersGoOn(
        closes,
        () ->
            Threads.await(
                "all closes to begin", () -> devices.stream().allMatch(EngineDevice::isClosed)),
        go);
  }

  @Test
  void aRefusalReachesTheVirtualThread() throws Exception {
    try (EngineDevice<Object> device = backend.open(1)) {
      VirtualThreads.run(
          1,
          () -> {
            Thread.currentThread().interrupt();
            try {
              device.allocate(-1, BufferParams.DEVICE);
            } catch (HalException e) {
              assertEquals(Status.OUT_OF_RANGE, e.status());
            }
            DeviceBuffer buffer = device.allocate(8, BufferParams.DEVICE);
            assertNotNull(buffer);
            assertTrue(Thread.interrupted(), "the interrupt is kept");
            buffer.close();
          });
    }
  }
}
