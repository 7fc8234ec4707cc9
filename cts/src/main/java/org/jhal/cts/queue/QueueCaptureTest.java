// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;

/** What a call captures, and how long the captured objects live: rules Q2 and Q3. */
@CtsSuite
class QueueCaptureTest {
  @Test
  @Rule("Q2")
  void theBytesOfAnUpdateAreCapturedAtTheCall(Cts cts) {
    int length = 2 * 65_536 + 97;
    DeviceBuffer target = cts.buffer(length);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    for (ByteBuffer source :
        new ByteBuffer[] {ByteBuffer.allocate(length + 10), direct(length + 10)}) {
      source.position(7).put(bytes(length)).position(7).limit(7 + length);
      cts.queue().update(go.at(1 + done.value()), done.at(1 + done.value()), source, target, 0);
      assertEquals(7, source.position(), "position of the source");
      assertEquals(7 + length, source.limit(), "limit of the source");
      source.clear();
      while (source.hasRemaining()) {
        source.put((byte) 0xEE);
      }
      go.signal(1 + done.value());
      awaitReached(done, go.value());
      assertBytes(bytes(length), cts.read(target), "the bytes of an update");
      cts.write(target, 0, new byte[length]);
    }
  }

  private static ByteBuffer direct(int length) {
    return ByteBuffer.allocateDirect(length);
  }

  @Test
  @Rule("Q2")
  void theBytesOfARecordedUpdateAreCapturedAtTheCall(Cts cts) {
    DeviceBuffer target = cts.buffer(256);
    TimelineSemaphore done = cts.semaphore();
    byte[] source = bytes(256);
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    commands.update(ByteBuffer.wrap(source), target, 0);
    Arrays.fill(source, (byte) 0);
    commands.end();
    cts.queue().execute(Fence.NONE, done.at(1), commands);
    awaitReached(done, 1);
    assertBytes(bytes(256), cts.read(target), "the bytes of a recorded update");
  }

  @Test
  @Rule("Q2")
  void theRangeOfBorrowedMemoryIsFixedAtTheCall(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    ByteBuffer source = TestData.direct(bytes(256)).position(100).limit(164);
    ByteBuffer target = ByteBuffer.allocateDirect(256).order(ByteOrder.BIG_ENDIAN);
    target.position(30).limit(94);
    cts.queue().upload(go.at(1), done.at(1), source, buffer, 0);
    cts.queue().readback(done.at(1), done.at(2), buffer, 0, target);
    assertEquals(100, source.position(), "position of the source of an upload");
    assertEquals(30, target.position(), "position of the target of a readback");
    source.clear();
    target.position(3).limit(5);
    go.signal(1);
    awaitReached(done, 2);
    assertEquals(3, target.position(), "position of the target when the readback is done");
    assertEquals(5, target.limit(), "limit of the target when the readback is done");
    byte[] expected = TestData.with(new byte[256], 30, Arrays.copyOfRange(bytes(256), 100, 164));
    byte[] actual = new byte[256];
    target.clear().get(actual);
    assertBytes(expected, actual, "read back into the middle of a buffer");
  }

  @Test
  @Rule("Q2")
  void aReadbackIntoReadOnlyMemoryIsRejected(Cts cts) {
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    ByteBuffer target = ByteBuffer.allocate(16).asReadOnlyBuffer();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().readback(Fence.NONE, done.at(1), buffer, 0, target),
        "target");
    assertPending(done, 1);
  }

  @Test
  @Rule("Q2")
  void arraysAreTransferredInNativeOrder(Cts cts) {
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    DeviceQueue queue = cts.queue();
    int[] values = {1, -2, 0x01020304, Integer.MIN_VALUE};
    long[] pairs = new long[2];
    queue.upload(Fence.NONE, done.at(1), HostMemory.of(values), buffer, 0);
    queue.readback(done.at(1), done.at(2), buffer, 0, HostMemory.of(pairs));
    awaitReached(done, 2);
    assertBytes(ints(values), cts.read(buffer), "an uploaded int array");
    long[] expected = new long[2];
    ByteBuffer.wrap(ints(values)).order(ByteOrder.nativeOrder()).asLongBuffer().get(expected);
    assertArrayEquals(expected, pairs);
  }

  @Test
  @Rule({"Q2", "Q3"})
  void everythingMayBeClosedRightAfterTheCall(Cts cts) {
    Device device = cts.device();
    int count = 64;
    int[] result = new int[count];
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceStatistics before = device.statistics();
    enqueueAndClose(cts, count, go, timeline, result);
    System.gc(); // resources in use must not depend on the user's references
    DeviceStatistics parked = device.statistics();
    assertEquals(before.buffers() + 2, parked.buffers(), "buffers that parked work needs");
    assertEquals(before.commandBuffers() + 1, parked.commandBuffers(), "command buffers");
    assertEquals(before.executables() + 1, parked.executables(), "executables");
    go.signal(1);
    awaitReached(timeline, 3);
    assertArrayEquals(expected(count), result);
    cts.awaitIdle();
    awaitStatistics(
        "closed resources to go with their last operation",
        device,
        now -> now.liveResources() == before.liveResources());
    assertEquals(before.bytes(), device.statistics().bytes());
  }

  private static int[] expected(int count) {
    int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = 3 * i + 10;
    }
    return values;
  }

  private static void enqueueAndClose(
      Cts cts, int count, TimelineSemaphore go, TimelineSemaphore timeline, int[] result) {
    Device device = cts.device();
    DeviceQueue queue = cts.queue();
    try (DeviceBuffer x = device.allocate(4L * count, BufferParams.DEVICE);
        DeviceBuffer y = device.allocate(4L * count, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT);
        Executable kernels = device.loadExecutable(cts.backend().kernels().get(0))) {
      commands.dispatch(
          kernels.kernel("scale_and_offset"), Workgroups.of(count), Args.of(Slot.of(0), y, 3, 10));
      commands.end();
      queue.update(go.at(1), timeline.at(1), ByteBuffer.wrap(ints(count, i -> i)), x, 0);
      queue.execute(timeline.at(1), timeline.at(2), commands, BindingTable.of(x));
      queue.readback(timeline.at(2), timeline.at(3), y, 0, HostMemory.of(result));
    }
  }

  @Test
  @Rule("Q3")
  void aClosedBufferLivesWhileIssuedWorkUsesIt(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore timeline = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    byte[] read = new byte[1024];
    DeviceStatistics before = device.statistics();
    try (DeviceBuffer buffer = device.allocate(1024, BufferParams.DEVICE)) {
      cts.queue()
          .update(blocker.timepoint(), timeline.at(1), ByteBuffer.wrap(bytes(1024)), buffer, 0);
      cts.queue().readback(timeline.at(1), timeline.at(2), buffer, 0, ByteBuffer.wrap(read));
    }
    assertEquals(before.buffers() + 1, device.statistics().buffers());
    // New memory must not overlap that of the closed buffer.
    DeviceBuffer other = cts.buffer(1024);
    cts.queue().fill(Fence.NONE, Fence.NONE, other, 0, 1024, FillPattern.of8(0xEE));
    blocker.release();
    awaitReached(timeline, 2);
    assertBytes(bytes(1024), read, "through a buffer that was closed while work used it");
    awaitTrue(
        "the closed buffer to go", () -> device.statistics().buffers() == before.buffers() + 1);
  }

  @Test
  @Rule({"Q3", "Q6"})
  void failedWorkReleasesItsBuffer(Cts cts) {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    DeviceStatistics before = device.statistics();
    try (DeviceBuffer buffer = device.allocate(1024, BufferParams.DEVICE)) {
      cts.queue().update(go.at(1), Fence.NONE, ByteBuffer.wrap(filled(1024, 1)), buffer, 0);
    }
    go.fail(new HalException(Status.ABORTED, "not needed"));
    awaitTrue(
        "the buffer of failed work to go", () -> device.statistics().buffers() == before.buffers());
    assertEquals(before.bytes(), device.statistics().bytes());
  }

  @Test
  @Rule({"Q2", "M4"})
  void eachExecuteCapturesItsOwnBindingTable(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.fill(Slot.of(0), 0, 16, FillPattern.of8(9));
    commands.end();
    DeviceBuffer first = cts.buffer(filled(16, 0));
    DeviceBuffer second = cts.buffer(filled(16, 0));
    DeviceBuffer third = cts.buffer(filled(16, 0));
    BindingTable table = new BindingTable(1);
    cts.queue().execute(go.at(1), done.at(1), commands, table.set(0, first));
    cts.queue().execute(Fence.of(go.at(1), done.at(1)), done.at(2), commands, table.set(0, second));
    table.set(0, third);
    go.signal(1);
    awaitReached(done, 2);
    assertBytes(filled(16, 9), cts.read(first), "bound at the first submission");
    assertBytes(filled(16, 9), cts.read(second), "bound at the second submission");
    assertBytes(filled(16, 0), cts.read(third), "never bound");
  }
}
