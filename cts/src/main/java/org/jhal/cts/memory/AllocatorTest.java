// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffers that are allocated immediately, closing them, and slices of them. */
@CtsSuite
class AllocatorTest {
  private static BufferParams supported(Cts cts, MemoryType type) {
    BufferParams params = new BufferParams(type, Set.of());
    if (!cts.device().allocator().supports(params)) {
      throw Cts.unsupported("the device has no memory of type " + type);
    }
    return params;
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M5"})
  void eachMemoryTypeWorksWithTransfersAndKernels(MemoryType type, Cts cts) {
    BufferParams params = supported(cts, type);
    DeviceBuffer x = cts.buffer(cts.device(), 1024, params);
    DeviceBuffer y = cts.buffer(cts.device(), 1024, params);
    assertTrue(x.size() >= 1024, () -> "size " + x.size());
    cts.write(x, 0, ints(256, i -> i));
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(
            Fence.NONE,
            done.at(1),
            cts.kernel("scale_and_offset"),
            Workgroups.of(255),
            Args.of(x, y, 3, 1));
    cts.queue().copy(done.at(1), done.at(2), x, 0, y, 1020, 4);
    awaitReached(done, 2);
    assertBytes(ints(256, i -> i == 255 ? 0 : 3 * i + 1), cts.read(y), "the computed buffer");
  }

  @Test
  @Rule("M5")
  void everyDeviceSupportsDeviceAndHostMemory(Cts cts) {
    for (BufferParams params :
        List.of(BufferParams.DEVICE, BufferParams.HOST, BufferParams.HOST_UPLOAD)) {
      assertTrue(cts.device().allocator().supports(params), () -> params + " is not supported");
    }
    boolean offered = cts.device().capabilities().contains(Capability.SHARED_MEMORY);
    assertEquals(offered, cts.device().allocator().supports(BufferParams.SHARED), "SHARED");
    if (!offered) {
      long before = cts.device().statistics().bytes();
      TimelineSemaphore done = cts.semaphore();
      assertHal(
          Status.UNIMPLEMENTED, () -> cts.device().allocate(64, BufferParams.SHARED), "SHARED");
      assertHal(
          Status.UNIMPLEMENTED,
          () -> cts.queue().alloca(Fence.NONE, done.at(1), 64, BufferParams.SHARED),
          "SHARED");
      assertEquals(before, cts.device().statistics().bytes(), "bytes");
      assertEquals(0, done.value(), "the timeline of a refused operation");
    }
  }

  @Test
  @Rule("M5")
  void aBufferReportsItsSizeParamsAndDevice(Cts cts) {
    BufferParams params =
        BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_SOURCE, BufferUsage.TRANSFER_TARGET);
    DeviceBuffer buffer = cts.buffer(cts.device(), 100, params);
    assertEquals(100, buffer.size());
    assertEquals(params, buffer.params());
    assertSame(cts.device(), buffer.device());
    DeviceBuffer slice = buffer.slice(10, 20);
    assertEquals(20, slice.size());
    assertEquals(params, slice.params());
    assertSame(cts.device(), slice.device());
  }

  @Test
  @Rule("M5")
  void noUsagesMeansAllUsagesTheTypeAllows(Cts cts) {
    Set<BufferUsage> all = EnumSet.allOf(BufferUsage.class);
    assertEquals(all, cts.buffer(cts.device(), 4, BufferParams.HOST).params().usage());
    all.removeAll(Set.of(BufferUsage.MAP_READ, BufferUsage.MAP_WRITE));
    assertEquals(all, cts.buffer(cts.device(), 4, BufferParams.DEVICE).params().usage());
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> BufferParams.DEVICE.withUsage(BufferUsage.MAP_READ),
        "usage",
        "MAP_READ",
        "DEVICE");
  }

  @Test
  @Rule("M2")
  void aBufferMayBeEmpty(Cts cts) {
    DeviceBuffer empty = cts.buffer(0);
    assertEquals(0, empty.size());
    assertEquals(0, empty.slice(0, 0).size());
    assertEquals(0, cts.read(empty).length);
    assertHal(Status.OUT_OF_RANGE, () -> empty.slice(0, 1), "slice", "1", "0");
  }

  @Test
  @Rule("M5")
  void aNegativeSizeIsRejected(Cts cts) {
    for (long size : new long[] {-1, Long.MIN_VALUE}) {
      assertHal(
          Status.OUT_OF_RANGE,
          () -> cts.device().allocate(size, BufferParams.DEVICE),
          "size",
          String.valueOf(size));
    }
  }

  @Test
  @Rule("M7")
  void statisticsCountBuffersAndBytes(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    List<DeviceBuffer> buffers = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      buffers.add(cts.buffer(1000));
      assertEquals(before.buffers() + i, device.statistics().buffers(), "buffers");
      assertEquals(before.bytes() + 1000L * i, device.statistics().bytes(), "bytes");
    }
    DeviceBuffer slice = buffers.get(0).slice(0, 500);
    assertEquals(before.buffers() + 10, device.statistics().buffers(), "a slice is no buffer");
    slice.close();
    assertEquals(before.buffers() + 10, device.statistics().buffers(), "after closing a slice");
    for (int i = 9; i >= 0; i--) {
      buffers.get(i).close();
      assertEquals(before.buffers() + i, device.statistics().buffers(), "buffers, one closed");
      assertEquals(before.bytes() + 1000L * i, device.statistics().bytes(), "bytes, one closed");
    }
  }

  @Test
  @Rule("M7")
  void closingTwiceIsHarmless(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    DeviceBuffer first = device.allocate(64, BufferParams.DEVICE);
    first.close();
    DeviceBuffer second = cts.buffer(bytes(64));
    first.close(); // must not free the second one's memory
    assertEquals(before.buffers() + 1, device.statistics().buffers());
    assertEquals(before.bytes() + 64, device.statistics().bytes());
    assertBytes(bytes(64), cts.read(second), "a buffer made after the first close");
  }

  @Test
  @Rule("M7")
  void aBufferMayBeClosedWhileItIsInFlight(Cts cts) {
    Device device = cts.device();
    Blocker blocker = new Blocker(cts, cts.queue());
    DeviceStatistics before = device.statistics();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = device.allocate(1024, BufferParams.DEVICE);
    cts.queue().fill(blocker.timepoint(), done.at(1), buffer, 0, 1024, FillPattern.of8(1));
    cts.queue()
        .fill(Fence.of(done.at(1), go.at(1)), done.at(2), buffer, 0, 1024, FillPattern.of8(2));
    buffer.close();
    buffer.close();
    assertEquals(before.buffers() + 1, device.statistics().buffers(), "buffers that work uses");
    blocker.release();
    awaitReached(done, 1);
    Waits.awaitTrue(
        "all but the last operation to retire", () -> device.statistics().openOperations() == 1);
    assertEquals(before.buffers() + 1, device.statistics().buffers(), "the last one's buffer");
    go.signal(1);
    awaitReached(done, 2);
    awaitStatistics("the buffer to go", device, now -> now.buffers() == before.buffers());
    assertEquals(before.bytes(), device.statistics().bytes());
  }

  @Test
  @Rule({"M5", "M7"})
  void closingABufferClosesItsSlices(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    DeviceBuffer slice = buffer.slice(16, 32);
    slice.close(); // does nothing
    assertBytes(Arrays.copyOfRange(bytes(64), 16, 48), cts.read(slice), "the slice");
    buffer.close();
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> cts.queue().fill(Fence.NONE, done.at(1), slice, 0, 4, FillPattern.ZERO),
        "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> slice.slice(0, 4), "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> buffer.slice(0, 4), "closed");
  }

  @Test
  @Rule("M5")
  void slicesOfSlicesAddOffsetsAndCheckBounds(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    DeviceBuffer inner = buffer.slice(16, 32).slice(8, 16);
    assertBytes(Arrays.copyOfRange(bytes(64), 24, 40), cts.read(inner), "the slice");
    long[][] wrong = {
      {-1, 1}, {0, 17}, {17, 0}, {16, 1}, {0, -1}, {8, Long.MAX_VALUE}, {Long.MAX_VALUE, 1}
    };
    for (long[] range : wrong) {
      assertHal(
          Status.OUT_OF_RANGE,
          () -> inner.slice(range[0], range[1]),
          "slice",
          "" + range[0],
          "" + range[1],
          "16");
    }
  }
}
