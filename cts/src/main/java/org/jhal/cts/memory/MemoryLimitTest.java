// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;

/** A device that runs out of memory reports that and loses nothing. */
@CtsSuite
class MemoryLimitTest {
  private static final long MIB = 1 << 20;

  /** A device with 4 MiB, opened for this test alone. */
  private static Device small(Cts cts) {
    return cts.open(
        cts.backend()
            .memoryLimit(4 * MIB)
            .orElseThrow(() -> Cts.unsupported("the memory of a device cannot be limited")));
  }

  /** Allocates pieces until there is no memory left, and returns how many fit. */
  private static int fillUp(Device device, long piece) {
    List<DeviceBuffer> buffers = new ArrayList<>();
    try {
      while (buffers.size() < 100) {
        buffers.add(device.allocate(piece, BufferParams.DEVICE));
      }
      return buffers.size();
    } catch (HalException e) {
      assertHal(Status.RESOURCE_EXHAUSTED, e, String.valueOf(piece));
      return buffers.size();
    } finally {
      buffers.forEach(DeviceBuffer::close);
    }
  }

  @Test
  @Rule({"M5", "M7"})
  void freedMemoryCanBeAllocatedAgain(Cts cts) {
    Device device = small(cts);
    for (int round = 0; round < 5; round++) {
      assertEquals(4, fillUp(device, MIB), "pieces of 1 MiB that fit, round " + round);
    }
    DeviceStatistics statistics = device.statistics();
    assertEquals(0, statistics.buffers(), statistics::toString);
    assertEquals(0, statistics.bytes(), statistics::toString);
    assertNull(device.lostCause());
  }

  /** Maps a buffer, and keeps neither the mapping nor its view. */
  private static WeakReference<ByteBuffer> mapAndForget(DeviceBuffer buffer) {
    try (DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE)) {
      return new WeakReference<>(mapping.bytes());
    }
  }

  /** A driver may count memory until the program has no view of it, but not any less before. */
  @Test
  @Rule({"M5", "M7"})
  void aForgottenViewOfAnOpenBufferGivesNothingBack(Cts cts) {
    Device device = small(cts);
    if (!device.allocator().supports(BufferParams.SHARED)) {
      throw Cts.unsupported("the device has no memory of type SHARED");
    }
    DeviceBuffer buffer = cts.closing(device.allocate(2 * MIB, BufferParams.SHARED));
    int left = fillUp(device, MIB / 2);
    for (int i = 0; i < 4; i++) {
      WeakReference<ByteBuffer> view = mapAndForget(buffer);
      awaitTrue(
          "the view to be collected",
          () -> {
            System.gc();
            return view.get() == null;
          });
      assertEquals(left, fillUp(device, MIB / 2), "pieces that fit beside the buffer, time " + i);
    }
  }

  @Test
  @Rule("M5")
  void moreMemoryThanTheDeviceHasIsRejected(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    for (long size : new long[] {device.info().memoryBytes() + 1, 1L << 60, Long.MAX_VALUE}) {
      assertHal(
          Status.RESOURCE_EXHAUSTED,
          () -> device.allocate(size, BufferParams.DEVICE),
          String.valueOf(size));
    }
    assertEquals(before.buffers(), device.statistics().buffers(), "buffers");
    assertEquals(before.bytes(), device.statistics().bytes(), "bytes");
    DeviceBuffer buffer = cts.buffer(bytes(64));
    assertBytes(bytes(64), cts.read(buffer), "a buffer of a size that fits");
  }

  @Test
  @Rule("M5")
  void maxAllocationBytesFitsIntoTheMemory(Cts cts) {
    DeviceInfo info = cts.device().info();
    assertTrue(
        info.maxAllocationBytes() > 0 && info.maxAllocationBytes() <= info.memoryBytes(),
        () -> "a buffer of " + info.maxAllocationBytes() + " bytes of " + info.memoryBytes());
  }

  @Test
  @Rule("M5")
  void aBufferAboveMaxAllocationBytesIsRejected(Cts cts) {
    Device device = cts.device();
    long most = device.info().maxAllocationBytes();
    DeviceStatistics before = device.statistics();
    for (BufferParams params : List.of(BufferParams.DEVICE, BufferParams.SHARED)) {
      if (device.allocator().supports(params)) {
        assertHal(
            Status.RESOURCE_EXHAUSTED,
            () -> device.allocate(most + 1, params),
            String.valueOf(most + 1),
            params.type().name(),
            String.valueOf(most));
      }
    }
    TimelineSemaphore failed = cts.semaphore();
    cts.queue().alloca(Fence.NONE, failed.at(1), most + 1, BufferParams.DEVICE).close();
    assertHal(
        Status.RESOURCE_EXHAUSTED,
        awaitFailure(failed, 1),
        String.valueOf(most + 1),
        String.valueOf(most));
    cts.awaitIdle();
    assertEquals(before.buffers(), device.statistics().buffers(), "buffers");
    assertEquals(before.bytes(), device.statistics().bytes(), "bytes");
    assertNull(device.lostCause());
  }

  @Test
  @Rule({"M1", "M5"})
  void anAllocaOfMoreThanADeviceHasFailsItsSignals(Cts cts) {
    Device device = cts.device();
    DeviceQueue queue = cts.queue();
    DeviceStatistics before = device.statistics();
    for (long size : new long[] {device.info().memoryBytes() + 1, Long.MAX_VALUE}) {
      TimelineSemaphore timeline = cts.semaphore();
      TimelineSemaphore used = cts.semaphore();
      try (DeviceBuffer buffer =
          queue.alloca(Fence.NONE, timeline.at(1), size, BufferParams.DEVICE)) {
        assertEquals(size, buffer.size());
        queue.fill(timeline.at(1), used.at(1), buffer, size - 4, 4, FillPattern.ZERO);
        queue.dealloca(used.at(1), used.at(2), buffer);
        assertHal(Status.RESOURCE_EXHAUSTED, awaitFailure(timeline, 1), String.valueOf(size));
        awaitFailure(used, 2, Status.RESOURCE_EXHAUSTED);
      }
    }
    cts.awaitIdle();
    assertEquals(before.buffers(), device.statistics().buffers(), "buffers");
    assertEquals(before.bytes(), device.statistics().bytes(), "bytes");
    assertNull(device.lostCause());
  }

  @Test
  @Rule("M1")
  void afterAFailedAllocaTheQueueGoesOn(Cts cts) {
    Device device = small(cts);
    DeviceQueue queue = device.queue(0);
    TimelineSemaphore first = cts.semaphore(device, 0);
    TimelineSemaphore second = cts.semaphore(device, 0);
    TimelineSemaphore third = cts.semaphore(device, 0);
    DeviceBuffer held =
        cts.closing(queue.alloca(Fence.NONE, first.at(1), 3 * MIB, BufferParams.DEVICE));
    DeviceBuffer refused =
        cts.closing(queue.alloca(first.at(1), second.at(1), 2 * MIB, BufferParams.DEVICE));
    awaitReached(first, 1);
    awaitFailure(second, 1, Status.RESOURCE_EXHAUSTED);
    assertEquals(3 * MIB, device.statistics().bytes());
    assertHal(
        Status.RESOURCE_EXHAUSTED, () -> device.allocate(2 * MIB, BufferParams.DEVICE), "2097152");
    queue.dealloca(Fence.NONE, first.at(2), held);
    DeviceBuffer fits =
        cts.closing(queue.alloca(first.at(2), third.at(1), 4 * MIB, BufferParams.DEVICE));
    queue.fill(third.at(1), third.at(2), fits, 4 * MIB - 64, 64, FillPattern.of8(9));
    awaitReached(third, 2);
    assertBytes(
        TestData.filled(64, 9),
        cts.read(fits, 4 * MIB - 64, 64),
        "the end of the buffer that fits now");
    refused.close();
    assertEquals(4 * MIB, device.statistics().bytes(), "a buffer that never was has no bytes");
  }

  @Test
  @Rule({"M1", "Q1"})
  void anAllocaChainReusesFreedMemory(Cts cts) {
    Device device = small(cts);
    TimelineSemaphore timeline = cts.semaphore(device, 0);
    int rounds = 50;
    for (int i = 0; i < rounds; i++) {
      long at = 3L * i;
      DeviceQueue queue = device.queue(i % device.queueCount());
      DeviceBuffer buffer =
          queue.alloca(timeline.at(at), timeline.at(at + 1), 3 * MIB, BufferParams.DEVICE);
      queue.fill(timeline.at(at + 1), timeline.at(at + 2), buffer, 0, 64, FillPattern.ZERO);
      queue.dealloca(timeline.at(at + 2), timeline.at(at + 3), buffer);
      buffer.close();
    }
    awaitReached(timeline, 3L * rounds);
    assertEquals(0, device.statistics().bytes());
  }
}
