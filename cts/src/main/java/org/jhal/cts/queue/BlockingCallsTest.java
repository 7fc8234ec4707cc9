// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.jhal.Args;
import org.jhal.BlockingCalls;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;

/** Calls that return when their operation has ended. */
@CtsSuite
class BlockingCallsTest {
  @Test
  @Rule("Q9")
  void eachCallReturnsWhenItsOperationHasEnded(Cts cts) throws Exception {
    BlockingCalls calls = cts.queue().blocking();
    DeviceBuffer input = cts.buffer(256);
    DeviceBuffer output = cts.buffer(256);
    HostMemory source = HostMemory.of(ints(64, i -> i));
    byte[] result = new byte[256];
    calls.write(source, input);
    source.awaitFree(Waits.LIMIT);
    calls.run(cts.kernel("twice"), Workgroups.of(64), Args.of(input, output));
    calls.read(output, HostMemory.of(result));
    assertBytes(ints(64, i -> 2 * i), result, "numbers that a kernel has doubled");
    calls.fill(output, FillPattern.of8(7));
    calls.read(output, HostMemory.of(result));
    assertBytes(filled(256, 7), result, "a buffer that was filled");
  }

  @Test
  @Rule("Q9")
  void runReturnsWhenTheCommandBufferHasEnded(Cts cts) throws Exception {
    BlockingCalls calls = cts.queue().blocking();
    DeviceBuffer buffer = cts.buffer(filled(64, 0));
    byte[] result = new byte[64];
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(buffer, 0, 64, FillPattern.of8(3));
      commands.end();
      calls.run(commands);
    }
    calls.read(buffer, HostMemory.of(result));
    assertBytes(filled(64, 3), result, "the bytes that a command buffer has filled");
  }

  /** If the host memory is smaller than the buffer, the transfer covers the start of the buffer. */
  @Test
  @Rule("M3")
  void aShorterTransferCoversTheStartOfTheBuffer(Cts cts) throws Exception {
    BlockingCalls calls = cts.queue().blocking();
    DeviceBuffer buffer = cts.buffer(filled(64, 1));
    byte[] result = new byte[24];
    calls.write(HostMemory.of(filled(16, 2)), buffer);
    calls.read(buffer, HostMemory.of(result));
    for (int i = 0; i < result.length; i++) {
      result[i] -= (byte) (i < 16 ? 1 : 0);
    }
    assertBytes(filled(24, 1), result, "16 bytes that were written, less 1, and 8 behind them");
  }

  @Test
  @Rule({"M1", "M5"})
  void aFailureIsThrown(Cts cts) throws Exception {
    BlockingCalls calls = cts.queue().blocking();
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer missing = cts.queue().alloca(go.at(1), go.at(2), 64, BufferParams.DEVICE);
    cts.closing(missing);
    assertHal(Status.FAILED_PRECONDITION, () -> calls.fill(missing, FillPattern.ZERO), "alloca");
    DeviceBuffer small = cts.buffer(8);
    assertHal(Status.OUT_OF_RANGE, () -> calls.write(HostMemory.of(new byte[16]), small));
    go.signal(1);
    Waits.awaitReached(go, 2);
    calls.fill(missing, FillPattern.ZERO);
  }

  /** A queue may run the read while other work blocks it; then the call need not wait. */
  @Test
  @Rule("S4")
  void anInterruptEndsTheWaitButNotTheOperation(Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(filled(1024, 5));
    byte[] result = new byte[1024];
    HostMemory target = HostMemory.of(result);
    Blocker blocker = new Blocker(cts, cts.queue());
    Task<?> reader =
        Task.run(
            "reader",
            () -> {
              Thread.currentThread().interrupt();
              cts.queue().blocking().read(buffer, target);
            });
    Throwable thrown = reader.joined();
    if (thrown != null) {
      assertInstanceOf(InterruptedException.class, thrown);
    }
    blocker.release();
    target.awaitFree(Waits.LIMIT);
    assertBytes(filled(1024, 5), result, "read by a call whose thread was interrupted");
  }
}
