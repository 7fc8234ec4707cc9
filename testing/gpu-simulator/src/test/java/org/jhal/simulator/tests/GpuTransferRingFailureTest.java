// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.BIND;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_DEVICE;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_HOST;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.HOST_REGISTER;
import static org.jhal.simulator.fixture.NativeCall.STREAM_SYNCHRONIZE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.NativeCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transfers through the ring that fail, and the end of their device. */
class GpuTransferRingFailureTest extends SimulatedRing {
  /** The direction of transfers between the host's memory and a buffer. */
  enum Direction {
    UPLOAD,
    READBACK;

    NativeCall call() {
      return this == UPLOAD ? COPY_TO_DEVICE : COPY_TO_HOST;
    }

    void enqueue(
        DeviceQueue queue,
        Fence waits,
        Fence signals,
        HostMemory host,
        DeviceBuffer buffer,
        long offset) {
      if (this == UPLOAD) {
        queue.upload(waits, signals, host, buffer, offset);
      } else {
        queue.readback(waits, signals, buffer, offset, host);
      }
    }
  }

  /** An array of the host with a transfer's bytes, and a guard value on either side of them. */
  private static byte[] guarded(byte[] content) {
    return TestData.with(filled(content.length + 2, TestData.GUARD), 1, content);
  }

  private static HostMemory inside(byte[] guarded) {
    return HostMemory.of(ByteBuffer.wrap(guarded, 1, guarded.length - 2));
  }

  private static void assertGuarded(byte[] array, String what) {
    byte[] content = part(array, 1, array.length - 2);
    assertBytes(guarded(content), array, "around " + what);
  }

  /**
   * Rule Q7a: other transfers are unaffected. A second chunk that fails belongs to another
   * transfer, as the first one's is over by then, and copies take so long that no other one is.
   */
  @ParameterizedTest
  @CsvSource({
    "UPLOAD, 1, 1", "UPLOAD, 2, 1", "UPLOAD, 7, 1", "UPLOAD, 40, 1", "UPLOAD, 2, 2",
    "READBACK, 1, 1", "READBACK, 2, 1", "READBACK, 7, 1", "READBACK, 40, 1", "READBACK, 2, 2"
  })
  void aFailedChunkFailsOnlyItsTransfer(Direction direction, int nth, int failures) {
    int count = 5;
    byte[] content = bytes(count * LARGE);
    try (Device device = open(2);
        DeviceBuffer buffer = device.allocate((long) count * LARGE, BufferParams.DEVICE);
        TimelineSemaphore go = device.createSemaphore(0)) {
      upload(device, direction == Direction.UPLOAD ? new byte[content.length] : content, buffer);
      sim.fail(direction.call(), nth, GpuFault.PLAIN_CODE);
      if (failures > 1) {
        sim.simulator().delay("@copy", Duration.ofMillis(100));
      }
      List<TimelineSemaphore> ends = new ArrayList<>();
      List<byte[]> arrays = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        TimelineSemaphore end = device.createSemaphore(0);
        ends.add(end);
        byte[] own = part(content, i * LARGE, LARGE);
        byte[] array = guarded(direction == Direction.UPLOAD ? own : new byte[LARGE]);
        arrays.add(array);
        long offset = (long) i * LARGE;
        direction.enqueue(device.queue(i % 2), go.at(1), end.at(1), inside(array), buffer, offset);
      }
      go.signal(1);
      if (failures > 1) {
        Waits.awaitTrue(
            "a transfer to fail",
            () -> ends.stream().anyMatch(GpuTransferRingFailureTest::hasFailed));
        sim.fail(direction.call(), 1, GpuFault.PLAIN_CODE);
        sim.simulator().delay("@copy", Duration.ZERO);
      }
      awaitOver(ends);
      List<TimelineSemaphore> failed =
          ends.stream().filter(GpuTransferRingFailureTest::hasFailed).toList();
      assertEquals(failures, failed.size(), "transfers that failed");
      assertNull(device.lostCause());
      byte[] after = read(device, buffer);
      for (int i = 0; i < count; i++) {
        byte[] expected = part(content, i * LARGE, LARGE);
        byte[] array = arrays.get(i);
        assertGuarded(array, "the array of transfer " + i);
        boolean isUpload = direction == Direction.UPLOAD;
        if (!failed.contains(ends.get(i))) {
          assertBytes(guarded(expected), array, "the array of transfer " + i);
        }
        if (!isUpload || !failed.contains(ends.get(i))) {
          assertBytes(expected, part(after, i * LARGE, LARGE), "the range of transfer " + i);
        }
        ends.get(i).close();
      }
      upload(device, content, buffer);
      assertBytes(content, read(device, buffer), "transfers afterwards");
      assertTrue(registrations() <= SLOTS, () -> registrations() + " registrations");
    }
  }

  private static boolean hasFailed(TimelineSemaphore end) {
    try {
      end.value();
      return false;
    } catch (HalException e) {
      return true;
    }
  }

  private static void awaitOver(List<TimelineSemaphore> ends) {
    for (TimelineSemaphore end : ends) {
      Waits.awaitTrue("a transfer to end", () -> hasFailed(end) || end.value() == 1);
    }
  }

  /**
   * Rule Q7a: the device may still copy to the slot of a chunk that failed, so the next transfer
   * gets the slot only afterwards. Here the event behind the copy cannot be recorded.
   */
  @Test
  void theSlotOfAFailedChunkIsReusedOnlyWhenTheDeviceIsDone() {
    byte[] content = bytes(LARGE);
    try (Device device = open(1);
        DeviceBuffer source = device.allocate(SLOT, BufferParams.DEVICE);
        DeviceBuffer target = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore failed = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      upload(device, new byte[SLOT], source);
      sim.fail(HOST_REGISTER, 1, GpuFault.PLAIN_CODE); // the stream has no memory
      assertBytes(new byte[SLOT], read(device, source), "through a slot that stays");
      long before = sim.calls(COPY_TO_HOST);
      long recorded = sim.calls(EVENT_RECORD);
      sim.simulator().delay("@copy", Duration.ofMillis(300));
      sim.fail(EVENT_RECORD, 2, GpuFault.PLAIN_CODE); // 1: the operation's own
      ByteBuffer lost = ByteBuffer.wrap(new byte[SLOT]);
      device.queue(0).readback(Fence.NONE, failed.at(1), source, 0, lost);
      sim.awaitCalls(COPY_TO_HOST, before + 1);
      sim.awaitCalls(EVENT_RECORD, recorded + 2);
      device.queue(1).upload(Fence.NONE, done.at(1), ByteBuffer.wrap(content), target, 0);
      assertHal(Status.UNKNOWN, awaitFailure(failed, 1, Status.UNKNOWN), "returned 999");
      sim.simulator().delay("@copy", Duration.ZERO);
      awaitReached(done, 1);
      assertBytes(content, read(device, target), "the bytes of the next transfer");
      assertNull(device.lostCause());
    }
  }

  /** Rule Q7: everything in the ring ends with the first cause, once. */
  @ParameterizedTest
  @CsvSource({"UPLOAD, 1", "UPLOAD, 5", "UPLOAD, 30", "READBACK, 1", "READBACK, 5", "READBACK, 30"})
  void aLossEndsAllTransfers(Direction direction, int nth) {
    int count = 6;
    try (Device device = open(2);
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore go = device.createSemaphore(0)) {
      sim.failForGood(direction.call(), nth, GpuFault.STICKY_CODE);
      List<TimelineSemaphore> ends = new ArrayList<>();
      List<byte[]> arrays = new ArrayList<>();
      List<HostMemory> memories = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        TimelineSemaphore end = device.createSemaphore(0);
        byte[] array = guarded(new byte[LARGE]);
        HostMemory memory = inside(array);
        ends.add(end);
        arrays.add(array);
        memories.add(memory);
        direction.enqueue(device.queue(i % 2), go.at(1), end.at(1), memory, buffer, 0);
      }
      go.signal(1);
      for (TimelineSemaphore end : ends) {
        assertHal(Status.UNAVAILABLE, awaitFailure(end, 1, Status.UNAVAILABLE), "719");
        end.close();
      }
      assertNotNull(device.lostCause());
      device.close();
      assertTrue(memories.stream().noneMatch(HostMemory::isBorrowed), "memory is still borrowed");
      arrays.forEach(array -> assertGuarded(array, "an array"));
    }
  }

  /** Rule Q7a: without that wait, JHAL cannot know when the device is done with a slot. */
  @Test
  void aFailedWaitForAStreamLosesTheDevice() {
    try (Device device = open(1);
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      sim.fail(COPY_TO_DEVICE, 2, GpuFault.PLAIN_CODE);
      sim.fail(STREAM_SYNCHRONIZE, 1, GpuFault.PLAIN_CODE);
      device.queue(0).upload(Fence.NONE, done.at(1), ByteBuffer.wrap(new byte[LARGE]), buffer, 0);
      assertHal(Status.UNAVAILABLE, awaitFailure(done, 1, Status.UNAVAILABLE), "returned 999");
      assertNotNull(device.lostCause());
    }
  }

  /** Rule Q7a: even if the failure comes between two chunks. */
  @ParameterizedTest
  @ValueSource(ints = {3, 6, 11})
  void aFailureToMakeTheDeviceCurrentLosesIt(int nth) {
    try (Device device = open(1, "&spin=0ns&queues=1");
        DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
        TimelineSemaphore bound = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(Fence.NONE, bound.at(1));
      awaitReached(bound, 1); // so the completion thread has bound it
      sim.fail(BIND, nth, GpuFault.PLAIN_CODE);
      device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.allocate(LARGE));
      HalException failure = awaitFailure(done, 1, Status.UNAVAILABLE);
      assertHal(Status.UNAVAILABLE, failure, "returned 999");
      assertNotNull(device.lostCause());
    }
  }

  /** Rule Q8: closing waits for transfers that have begun. */
  @Test
  void closingWaitsForTransfers() {
    Device device = open(1);
    DeviceBuffer buffer = device.allocate(LARGE, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    byte[] content = bytes(LARGE);
    byte[] back = new byte[LARGE];
    upload(device, content, buffer);
    long before = sim.calls(COPY_TO_HOST);
    sim.simulator().delay("@copy", LINGER);
    device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.wrap(back));
    sim.awaitCalls(COPY_TO_HOST, before + 1);
    device.close();
    assertEquals(1, done.value());
    assertBytes(content, back, "the bytes that were read");
    buffer.close();
    done.close();
  }

  /** Rule Q8: past the deadline, everything in use is kept until the work is over. */
  @Test
  void memoryOfATransferIsKeptPastTheClose() throws Exception {
    Device device = open(1, "&close-timeout=0s");
    DeviceBuffer buffer = device.allocate(8 * LARGE, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    HostMemory memory = HostMemory.of(new float[2 * LARGE]);
    long before = sim.calls(COPY_TO_HOST);
    sim.simulator().delay("@copy", Duration.ofMillis(100)); // much is left when all is paused
    device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, memory);
    sim.awaitCalls(COPY_TO_HOST, before + 1);
    sim.simulator().pause(0, 0);
    try {
      Task.run("closing", device::close).join();
      awaitFailure(done, 1);
    } finally {
      sim.simulator().delay("@copy", Duration.ZERO);
      sim.simulator().resume(0, 0);
    }
    memory.awaitFree(Duration.ofSeconds(30));
    Waits.awaitTrue("all native objects to be released", () -> sim.live().isEmpty());
    buffer.close();
    done.close();
  }
}
