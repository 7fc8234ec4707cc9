// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.engine.EngineDevice;
import org.jhal.testkit.ControlledBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that cannot go on, and streams that wait for it. */
@Timeout(60)
@NeedsCompiler
class StreamLossTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static void fill(Device device, int queue, DeviceBuffer buffer, Fence wait, Fence done) {
    device.queue(queue).fill(wait, done, buffer, 0, 4, FillPattern.of8(1));
  }

  private static void assertLost(TimelineSemaphore semaphore, Throwable error) {
    HalException failure = assertThrows(HalException.class, () -> semaphore.await(1, LIMIT));
    assertEquals(Status.UNAVAILABLE, failure.status(), failure::getMessage);
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    assertSame(error, root);
  }

  /** One queue's stream waits for the other's, which ends; both streams drop what they hold. */
  @Test
  void anErrorInAStepLosesTheDevice() throws Exception {
    OutOfMemoryError error = new OutOfMemoryError("thrown by the test");
    AtomicInteger dropped = new AtomicInteger();
    CpuDevice real;
    try (Device device = CpuControls.open("cpu://?queues=2");
        TimelineSemaphore go = device.createSemaphore();
        TimelineSemaphore first = device.createSemaphore();
        TimelineSemaphore second = device.createSemaphore();
        DeviceBuffer buffer = device.allocate(4, BufferParams.DEVICE)) {
      var backend =
          assertInstanceOf(
              ControlledBackend.class, assertInstanceOf(EngineDevice.class, device).backend());
      real = assertInstanceOf(CpuDevice.class, backend.real());
      CpuStream stream = assertInstanceOf(CpuStream.class, backend.stream(0));
      CountDownLatch begin = new CountDownLatch(1);
      CpuTask fails =
          () -> {
            await(begin);
            throw error;
          };
      CpuTask counts =
          new CpuTask() {
            @Override
            public void run() {}

            @Override
            public void drop() {
              dropped.incrementAndGet();
            }
          };
      stream.add(new ArrayDeque<>(List.of(fails, counts)));
      stream.add(new ArrayDeque<>(List.of(counts)));
      fill(device, 0, buffer, Fence.NONE, first.at(1));
      fill(device, 1, buffer, first.at(1), second.at(1));
      begin.countDown();
      assertLost(first, error);
      assertLost(second, error);
      assertThrows(HalException.class, () -> fill(device, 0, buffer, Fence.NONE, go.at(1)));
    }
    assertEquals(2, dropped.get(), "steps behind the error that were dropped");
    assertEquals(0, real.budget().used(), "bytes in use after the close");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS), "the test has not gone on");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The kernel outlives the close of its device; a queue of another device waits for it. */
  @Test
  void aStreamGetsPastWorkOfAClosedDevice() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    ExecutableSource source =
        ExecutableSource.builder("long")
            .kernel("long", Workgroups.of(1), 0)
            .java("long", group -> await(end))
            .build();
    try (Device other = Hal.openDevice("cpu://1?devices=2&close-timeout=10s");
        TimelineSemaphore done = other.createSemaphore();
        TimelineSemaphore next = other.createSemaphore();
        DeviceBuffer buffer = other.allocate(4, BufferParams.DEVICE)) {
      Device device = Hal.openDevice("cpu://0?devices=2&close-timeout=100ms");
      Executable kernels = device.loadExecutable(source);
      TimelineSemaphore ran = device.createSemaphore();
      device
          .queue(0)
          .dispatch(Fence.NONE, ran.at(1), kernels.kernel("long"), Workgroups.of(1), Args.of());
      fill(other, 0, buffer, ran.at(1), done.at(1));
      device.close();
      try {
        HalException failure = assertThrows(HalException.class, () -> done.await(1, LIMIT));
        assertEquals(Status.DEADLINE_EXCEEDED, failure.status(), failure::getMessage);
        assertTrue(failure.getMessage().contains("cpu-0"), failure::getMessage);
        fill(other, 0, buffer, Fence.NONE, next.at(1));
        next.await(1, LIMIT);
        assertNull(other.lostCause());
      } finally {
        end.countDown();
      }
    }
  }
}
