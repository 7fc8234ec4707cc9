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

import java.nio.ByteBuffer;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory that is freed in the order of a timeline: rule M1. */
@CtsSuite
class QueueDeallocaTest {
  /** A buffer whose alloca has completed. */
  private static DeviceBuffer allocated(Cts cts, long bytes) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer =
        cts.closing(cts.queue().alloca(Fence.NONE, timeline.at(1), bytes, BufferParams.DEVICE));
    awaitReached(timeline, 1);
    return buffer;
  }

  /** A use of a buffer by an operation. */
  enum Use {
    FILL {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().fill(waits, signals, buffer, 0, 16, FillPattern.ZERO);
      }
    },
    UPDATE {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().update(waits, signals, ByteBuffer.allocate(16), buffer, 0);
      }
    },
    UPLOAD {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().upload(waits, signals, ByteBuffer.allocate(16), buffer, 0);
      }
    },
    READBACK {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().readback(waits, signals, buffer, 0, ByteBuffer.allocate(16));
      }
    },
    COPY_FROM {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().copy(waits, signals, buffer, 0, cts.buffer(16), 0, 16);
      }
    },
    COPY_TO {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().copy(waits, signals, cts.buffer(16), 0, buffer, 0, 16);
      }
    },
    SLICE {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().fill(waits, signals, buffer.slice(8, 8), 0, 8, FillPattern.ZERO);
      }
    },
    DISPATCH {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue()
            .dispatch(waits, signals, cts.kernel("append"), Workgroups.of(1), Args.of(buffer, 1));
      }
    },
    DIRECT_COMMAND {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        recorded(cts, Commands.Form.DIRECT, waits, signals, buffer);
      }
    },
    BOUND_COMMAND {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        recorded(cts, Commands.Form.BINDING_TABLE, waits, signals, buffer);
      }
    },
    DEALLOCA {
      @Override
      void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer) {
        cts.queue().dealloca(waits, signals, buffer);
      }
    };

    abstract void enqueue(Cts cts, Fence waits, Fence signals, DeviceBuffer buffer);

    private static void recorded(
        Cts cts, Commands.Form form, Fence waits, Fence signals, DeviceBuffer buffer) {
      Commands commands = new Commands(cts, form);
      commands.buffer().fill(commands.ref(buffer), 0, 16, FillPattern.ZERO);
      commands.submit(cts.queue(), waits, signals);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void useAfterTheDeallocaFailsThroughItsSignals(Use use, Cts cts) {
    DeviceBuffer buffer = allocated(cts, 64);
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore late = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    use.enqueue(cts, timeline.at(1), parked.at(1), buffer); // issued after the dealloca
    cts.queue().dealloca(Fence.NONE, timeline.at(1), buffer);
    awaitReached(timeline, 1);
    awaitFailure(parked, 1, Status.FAILED_PRECONDITION);
    use.enqueue(cts, Fence.NONE, late.at(1), buffer);
    awaitFailure(late, 1, Status.FAILED_PRECONDITION);
    cts.queue().barrier(Fence.NONE, after.at(1));
    awaitReached(after, 1); // the queue goes on
  }

  @Test
  @Rule("M1")
  void aDeallocaFreesTheMemory(Cts cts) {
    Device device = cts.device();
    long before = device.statistics().bytes();
    DeviceBuffer buffer = allocated(cts, 1 << 20);
    assertEquals(before + (1 << 20), device.statistics().bytes());
    TimelineSemaphore timeline = cts.semaphore();
    cts.queue().dealloca(Fence.NONE, timeline.at(1), buffer);
    awaitReached(timeline, 1);
    assertEquals(before, device.statistics().bytes(), "bytes in use after the dealloca");
    buffer.close();
    assertEquals(before, device.statistics().bytes(), "bytes in use after the close");
  }

  @Test
  @Rule("M1")
  void aFailedWaitFreesNothing(Cts cts) {
    Device device = cts.device();
    DeviceBuffer buffer = allocated(cts, 64);
    long used = device.statistics().bytes();
    cts.write(buffer, 0, bytes(64));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dealloca(go.at(1), done.at(1), buffer);
    go.fail(new HalException(Status.CANCELLED, "keep it"));
    assertHal(Status.CANCELLED, awaitFailure(done, 1), "keep it");
    TimelineSemaphore again = cts.semaphore();
    cts.queue().dealloca(go.at(1), again.at(1), buffer); // has failed before the call
    awaitFailure(again, 1, Status.CANCELLED);
    assertEquals(used, device.statistics().bytes(), "bytes in use");
    assertBytes(bytes(64), cts.read(buffer), "the buffer that was not freed");
    TimelineSemaphore freed = cts.semaphore();
    cts.queue().dealloca(Fence.NONE, freed.at(1), buffer);
    awaitReached(freed, 1);
    assertEquals(used - 64, device.statistics().bytes(), "bytes in use when it is freed");
  }

  @Test
  @Rule("M1")
  void workOrderedBeforeTheDeallocaSeesTheMemory(Cts cts) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore timeline = cts.semaphore();
    Blocker blocker = new Blocker(cts, queue);
    byte[] read = new byte[4096];
    DeviceBuffer buffer =
        cts.closing(queue.alloca(blocker.timepoint(), timeline.at(1), 4096, BufferParams.DEVICE));
    queue.fill(timeline.at(1), timeline.at(2), buffer, 0, 4096, FillPattern.of8(0x51));
    queue.readback(timeline.at(2), timeline.at(3), buffer, 0, ByteBuffer.wrap(read));
    queue.dealloca(timeline.at(3), timeline.at(4), buffer);
    // The next buffer may get the same memory, but not too early.
    DeviceBuffer next =
        cts.closing(queue.alloca(timeline.at(4), timeline.at(5), 4096, BufferParams.DEVICE));
    queue.fill(timeline.at(5), timeline.at(6), next, 0, 4096, FillPattern.of8(0xEE));
    blocker.release();
    awaitReached(timeline, 6);
    assertBytes(filled(4096, 0x51), read, "the bytes that were read before the dealloca");
    assertBytes(filled(4096, 0xEE), cts.read(next), "the next buffer");
  }

  @Test
  @Rule("M1")
  void anyQueueOfTheDeviceMayUseAndFreeTheBuffer(Cts cts) {
    int queues = cts.device().queueCount();
    long before = cts.device().statistics().bytes();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer result = cts.buffer(64);
    for (int i = 0; i < 2 * queues; i++) {
      long at = 4L * i;
      DeviceQueue first = cts.queue(i % queues);
      DeviceQueue second = cts.queue((i + 1) % queues);
      DeviceBuffer buffer =
          cts.closing(first.alloca(timeline.at(at), timeline.at(at + 1), 64, BufferParams.DEVICE));
      second.fill(timeline.at(at + 1), timeline.at(at + 2), buffer, 0, 64, FillPattern.of8(i));
      first.copy(timeline.at(at + 2), timeline.at(at + 3), buffer, 0, result, 0, 64);
      second.dealloca(timeline.at(at + 3), timeline.at(at + 4), buffer);
      awaitReached(timeline, at + 4);
      assertBytes(filled(64, i), cts.read(result), "round " + i);
    }
    assertEquals(before + 64, cts.device().statistics().bytes(), "bytes in use");
  }

  @Test
  @Rule({"M1", "Q2"})
  void theBufferMayBeClosedRightAfterTheDeallocaCall(Cts cts) {
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer buffer = cts.queue().alloca(go.at(1), timeline.at(1), 256, BufferParams.DEVICE);
    cts.queue().dealloca(timeline.at(1), timeline.at(2), buffer);
    buffer.close();
    go.signal(1);
    awaitReached(timeline, 2);
    assertEquals(before.bytes(), device.statistics().bytes(), "bytes in use");
    awaitTrue("the buffer to go", () -> device.statistics().buffers() == before.buffers());
  }

  @Test
  @Rule({"M1", "Q9"})
  @Needs({Need.CONTROLS, Need.KERNEL_FAILURES})
  @FreshDevice
  @GivesUp
  void aProducerFailureAfterIssueDoesNotLeakTheBuffer(Cts cts) {
    cts.allowWarnings(); // if this loses the device
    Device device = cts.device();
    DeviceStatistics before = device.statistics();
    DeviceBuffer buffer = allocated(cts, 512);
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    Kernel trap = cts.kernel("trap"); // a later load may wait for the held stream
    cts.controls().pause(cts.queue());
    long issued = device.statistics().issued();
    cts.queue().dispatch(Fence.NONE, produced.at(1), trap, Workgroups.of(1), Args.of(1));
    cts.queue().dealloca(produced.at(1), done.at(1), buffer);
    awaitTrue("both to be issued", () -> device.statistics().issued() == issued + 2);
    cts.controls().resume(cts.queue());
    // Some devices are lost by a trap (rule Q7); others fail only this operation.
    HalException failure = awaitFailure(produced, 1);
    Status expected = device.lostCause() == null ? Status.ABORTED : Status.UNAVAILABLE;
    assertHal(expected, failure);
    awaitFailure(done, 1, expected);
    buffer.close();
    if (expected == Status.UNAVAILABLE) {
      return; // a lost device may keep the memory of its work until it is closed
    }
    awaitStatistics("the memory to be freed once", device, now -> now.bytes() == before.bytes());
    cts.awaitIdle();
    assertEquals(before.buffers(), device.statistics().buffers(), "buffers");
  }

  @Test
  @Rule({"M1", "M4"})
  void aReusableRecordingFailsAfterItsBufferWasDeallocated(Cts cts) {
    DeviceBuffer buffer = allocated(cts, 64);
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.fill(buffer, 0, 64, FillPattern.of8(1));
    commands.end();
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    cts.queue().execute(Fence.NONE, timeline.at(1), commands);
    cts.queue().dealloca(timeline.at(1), timeline.at(2), buffer);
    awaitReached(timeline, 2);
    cts.queue().execute(Fence.NONE, failed.at(1), commands);
    awaitFailure(failed, 1, Status.FAILED_PRECONDITION);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M1")
  void aRecordingWithADeallocatedBufferRunsNothing(Commands.Form form, Cts cts) {
    DeviceBuffer gone = allocated(cts, 64);
    TimelineSemaphore timeline = cts.semaphore();
    cts.queue().dealloca(Fence.NONE, timeline.at(1), gone);
    awaitReached(timeline, 1);
    DeviceBuffer there = cts.buffer(bytes(64));
    Commands commands = new Commands(cts, form);
    commands.buffer().fill(commands.ref(there), 0, 64, FillPattern.of8(1));
    commands.buffer().barrier();
    commands.buffer().fill(commands.ref(gone), 0, 64, FillPattern.of8(1));
    TimelineSemaphore failed = cts.semaphore();
    commands.submit(cts.queue(), Fence.NONE, failed.at(1));
    awaitFailure(failed, 1, Status.FAILED_PRECONDITION);
    cts.awaitIdle();
    assertBytes(bytes(64), cts.read(there), "the buffer of the first command");
  }

  @Test
  @Rule("M5")
  void onlyAWholeAllocaBufferCanBeDeallocated(Cts cts) {
    DeviceBuffer transientBuffer = allocated(cts, 64);
    DeviceBuffer plain = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().dealloca(Fence.NONE, done.at(1), plain),
        "buffer",
        "64",
        "alloca");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().dealloca(Fence.NONE, done.at(1), transientBuffer.slice(0, 64)),
        "slice");
    transientBuffer.close();
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> cts.queue().dealloca(Fence.NONE, done.at(1), transientBuffer),
        "buffer",
        "closed");
    assertPending(done, 1);
  }
}
