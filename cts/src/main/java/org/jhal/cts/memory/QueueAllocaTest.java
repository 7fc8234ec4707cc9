// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that is allocated in the order of a timeline: rule M1. */
@CtsSuite
class QueueAllocaTest {
  private static DeviceBuffer alloca(Cts cts, Fence waits, Fence signals, long bytes) {
    return cts.closing(cts.queue().alloca(waits, signals, bytes, BufferParams.DEVICE));
  }

  @Test
  @Rule("M1")
  void theMemoryExistsOnceTheSignalIsReached(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = alloca(cts, Fence.NONE, timeline.at(1), 1024);
    assertEquals(1024, buffer.size());
    awaitReached(timeline, 1);
    cts.write(buffer, 0, bytes(1024));
    assertBytes(bytes(1024), cts.read(buffer), "the allocated buffer");
    cts.queue().dealloca(Fence.NONE, timeline.at(2), buffer);
    awaitReached(timeline, 2);
  }

  @Test
  @Rule({"M1", "Q1", "S5"})
  void anOpenWaitDelaysTheAllocationButNotTheCall(Cts cts) throws Exception {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    long used = device.statistics().bytes();
    DeviceBuffer buffer =
        Task.start("submitter", () -> alloca(cts, go.at(1), timeline.at(1), 1 << 20)).join();
    try (DeviceBuffer probe = device.allocate(4, BufferParams.DEVICE);
        TimelineSemaphore flushed = device.createSemaphore(0)) {
      cts.queue().fill(Fence.NONE, flushed.at(1), probe, 0, 4, FillPattern.ZERO);
      awaitReached(flushed, 1);
    }
    assertPending(timeline, 1);
    awaitTrue("the probe to go", () -> device.statistics().bytes() == used);
    go.signal(1);
    awaitReached(timeline, 1);
    assertEquals(used + (1 << 20), device.statistics().bytes(), "bytes in use");
    cts.write(buffer, 0, bytes(256));
    assertBytes(bytes(256), cts.read(buffer, 0, 256), "the allocated buffer");
  }

  @Test
  @Rule("M1")
  void sizeAndParamsAreKnownBeforeTheAllocaIsIssued(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    BufferParams params =
        BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_TARGET, BufferUsage.DISPATCH_READ);
    DeviceBuffer buffer = cts.closing(cts.queue().alloca(go.at(1), timeline.at(1), 300, params));
    assertEquals(300, buffer.size());
    assertEquals(params, buffer.params());
    assertSame(cts.device(), buffer.device());
    DeviceBuffer slice = buffer.slice(100, 50);
    assertEquals(50, slice.size());
    assertEquals(params, slice.params());
    go.signal(1);
    awaitReached(timeline, 1);
    assertEquals(300, buffer.size());
    assertEquals(params, buffer.params());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void eachMemoryTypeCanBeAllocated(MemoryType type, Cts cts) {
    BufferParams params = new BufferParams(type, Set.of());
    if (!cts.device().allocator().supports(params)) {
      throw Cts.unsupported("the device has no memory of type " + type);
    }
    TimelineSemaphore timeline = cts.semaphore();
    byte[] read = new byte[512];
    DeviceQueue queue = cts.queue();
    DeviceBuffer buffer = cts.closing(queue.alloca(Fence.NONE, timeline.at(1), 512, params));
    queue.update(timeline.at(1), timeline.at(2), ByteBuffer.wrap(bytes(512)), buffer, 0);
    queue.readback(timeline.at(2), timeline.at(3), buffer, 0, ByteBuffer.wrap(read));
    queue.dealloca(timeline.at(3), timeline.at(4), buffer);
    awaitReached(timeline, 4);
    assertBytes(bytes(512), read, "the bytes that went through the buffer");
  }

  @Test
  @Rule({"M1", "M2"})
  void anAllocaOfZeroBytesWorks(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = alloca(cts, Fence.NONE, timeline.at(1), 0);
    assertEquals(0, buffer.size());
    cts.queue().fill(timeline.at(1), timeline.at(2), buffer, 0, 0, FillPattern.ZERO);
    cts.queue().dealloca(timeline.at(2), timeline.at(3), buffer);
    awaitReached(timeline, 3);
  }

  @Test
  @Rule("M1")
  void useBeforeTheAllocaFails(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore early = cts.semaphore();
    TimelineSemaphore recorded = cts.semaphore();
    DeviceBuffer buffer = alloca(cts, go.at(1), timeline.at(1), 64);
    cts.queue().fill(Fence.NONE, early.at(1), buffer, 0, 64, FillPattern.ZERO);
    awaitFailure(early, 1, Status.FAILED_PRECONDITION);
    Commands commands = new Commands(cts, Commands.Form.DIRECT);
    commands.buffer().fill(buffer, 0, 64, FillPattern.ZERO);
    commands.submit(cts.queue(), Fence.NONE, recorded.at(1));
    awaitFailure(recorded, 1, Status.FAILED_PRECONDITION);
    go.signal(1);
    awaitReached(timeline, 1);
    cts.write(buffer, 0, bytes(64));
    assertBytes(bytes(64), cts.read(buffer), "the buffer, once it is there");
  }

  @Test
  @Rule("M1")
  void boundBuffersAreCheckedWhenTheyAreIssued(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = alloca(cts, go.at(1), timeline.at(1), 64);
    Commands commands = new Commands(cts, Commands.Form.BINDING_TABLE, CommandBuffer.Mode.REUSABLE);
    commands.buffer().fill(commands.ref(buffer), 0, 64, FillPattern.of8(3));
    TimelineSemaphore early = cts.semaphore();
    commands.submit(cts.queue(), Fence.NONE, early.at(1));
    awaitFailure(early, 1, Status.FAILED_PRECONDITION);
    commands.submit(cts.queue(), timeline.at(1), timeline.at(2));
    go.signal(1);
    awaitReached(timeline, 2);
    assertBytes(filled(64, 3), cts.read(buffer), "filled once it was there");
  }

  @Test
  @Rule({"M1", "Q6"})
  void anAllocaWithAFailedWaitAllocatesNothing(Cts cts) {
    DeviceStatistics before = cts.device().statistics();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore used = cts.semaphore();
    TimelineSemaphore later = cts.semaphore();
    DeviceBuffer buffer = alloca(cts, go.at(1), timeline.at(1), 4096);
    cts.queue().fill(timeline.at(1), used.at(1), buffer, 0, 64, FillPattern.ZERO);
    go.fail(new HalException(Status.DATA_LOSS, "the plan was lost"));
    assertHal(Status.DATA_LOSS, awaitFailure(timeline, 1), "the plan was lost");
    awaitFailure(used, 1, Status.DATA_LOSS);
    cts.queue().fill(Fence.NONE, later.at(1), buffer, 0, 64, FillPattern.ZERO);
    awaitFailure(later, 1, Status.FAILED_PRECONDITION);
    assertEquals(before.bytes(), cts.device().statistics().bytes(), "bytes in use");
    buffer.close();
    cts.awaitIdle();
    assertEquals(before.buffers(), cts.device().statistics().buffers(), "buffers");
  }

  @Test
  @Rule({"M1", "M7"})
  void closingAnAllocaBufferFreesItAfterItsLastOperation(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    DeviceQueue queue = cts.queue();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    byte[] read = new byte[4096];
    DeviceBuffer buffer = queue.alloca(Fence.NONE, timeline.at(1), 4096, BufferParams.DEVICE);
    queue.update(timeline.at(1), timeline.at(2), ByteBuffer.wrap(bytes(4096)), buffer, 0);
    queue.readback(
        Fence.of(timeline.at(2), go.at(1)), timeline.at(3), buffer, 0, ByteBuffer.wrap(read));
    buffer.close();
    awaitReached(timeline, 2);
    assertEquals(before.bytes() + 4096, device.statistics().bytes(), "bytes that work needs");
    go.signal(1);
    awaitReached(timeline, 3);
    assertBytes(bytes(4096), read, "the bytes that were read after the buffer was closed");
    awaitStatistics(
        "the memory of the closed buffer to be freed",
        device,
        now -> now.bytes() == before.bytes() && now.buffers() == before.buffers());
  }

  @Test
  @Rule({"M1", "M7"})
  void closingAnAllocaBufferBeforeItsAllocaLeavesNoMemory(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = cts.queue().alloca(go.at(1), timeline.at(1), 4096, BufferParams.DEVICE);
    buffer.close();
    buffer.close();
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> cts.queue().fill(Fence.NONE, timeline.at(2), buffer, 0, 4, FillPattern.ZERO),
        "closed");
    go.signal(1);
    awaitReached(timeline, 1);
    awaitStatistics(
        "the memory of the closed buffer to be freed",
        device,
        now -> now.bytes() == before.bytes() && now.buffers() == before.buffers());
  }

  @Test
  @Rule({"M1", "Q5"})
  void manyAreAllocatedAndFreedInOneChain(Cts cts) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore timeline = cts.semaphore();
    int rounds = 32;
    byte[][] read = new byte[rounds][256];
    for (int i = 0; i < rounds; i++) {
      long at = 4L * i;
      Fence start = i == 0 ? Fence.NONE : timeline.at(at);
      DeviceBuffer buffer = queue.alloca(start, timeline.at(at + 1), 256, BufferParams.DEVICE);
      queue.fill(timeline.at(at + 1), timeline.at(at + 2), buffer, 0, 256, FillPattern.of8(1 + i));
      queue.readback(timeline.at(at + 2), timeline.at(at + 3), buffer, 0, ByteBuffer.wrap(read[i]));
      queue.dealloca(timeline.at(at + 3), timeline.at(at + 4), buffer);
      buffer.close();
    }
    awaitReached(timeline, 4L * rounds);
    for (int i = 0; i < rounds; i++) {
      assertBytes(filled(256, 1 + i), read[i], "round " + i);
    }
  }

  @Test
  @Rule("M1")
  void manyAllocaBuffersDoNotOverlap(Cts cts) {
    DeviceQueue queue = cts.queue();
    int count = 64;
    DeviceBuffer[] buffers = new DeviceBuffer[count];
    TimelineSemaphore[] timelines = new TimelineSemaphore[count];
    for (int i = 0; i < count; i++) {
      timelines[i] = cts.semaphore();
      buffers[i] = alloca(cts, Fence.NONE, timelines[i].at(1), 1000 + i);
      queue.fill(
          timelines[i].at(1), timelines[i].at(2), buffers[i], 0, 1000 + i, FillPattern.of8(i));
    }
    for (int i = 0; i < count; i++) {
      awaitReached(timelines[i], 2);
    }
    for (int i = 0; i < count; i++) {
      assertBytes(filled(1000 + i, i), cts.read(buffers[i]), "buffer " + i);
    }
  }

  @Test
  @Rule("M5")
  void aNegativeSizeIsRejected(Cts cts) {
    DeviceStatistics before = cts.device().statistics();
    TimelineSemaphore timeline = cts.semaphore();
    assertHal(Status.OUT_OF_RANGE, () -> alloca(cts, Fence.NONE, timeline.at(1), -1), "size", "-1");
    assertPending(timeline, 1);
    DeviceStatistics after = cts.device().statistics();
    assertEquals(before.enqueued(), after.enqueued(), "operations enqueued");
    assertEquals(before.buffers(), after.buffers(), "buffers");
  }
}
