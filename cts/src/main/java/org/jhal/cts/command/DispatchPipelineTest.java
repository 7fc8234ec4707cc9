// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transfers and dispatches that use each other's results. */
@CtsSuite
class DispatchPipelineTest {
  @ParameterizedTest
  @EnumSource
  @Rule("M3")
  void anUpdateFeedsADispatch(Commands.Form form, Cts cts) {
    DeviceBuffer x = cts.buffer(16);
    DeviceBuffer y = cts.buffer(16);
    Commands commands = new Commands(cts, form);
    CommandBuffer buffer = commands.buffer();
    buffer.update(ByteBuffer.wrap(ints(1, 2, 3, 4)), commands.ref(x), 0);
    buffer.barrier();
    buffer.dispatch(
        cts.kernel("scale_and_offset"),
        Workgroups.of(4),
        Args.of(commands.ref(x), commands.ref(y), 2, 5));
    commands.run(cts.queue());
    assertBytes(ints(7, 9, 11, 13), cts.read(y), "2x + 5");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M3")
  void aDispatchFeedsADispatch(Commands.Form form, Cts cts) {
    DeviceBuffer x = cts.buffer(ints(1, 2, 3, 4));
    DeviceBuffer middle = cts.buffer(16);
    DeviceBuffer y = cts.buffer(16);
    Kernel kernel = cts.kernel("scale_and_offset");
    Commands commands = new Commands(cts, form);
    CommandBuffer buffer = commands.buffer();
    buffer.dispatch(kernel, Workgroups.of(4), Args.of(commands.ref(x), commands.ref(middle), 2, 1));
    buffer.barrier();
    buffer.dispatch(
        kernel, Workgroups.of(4), Args.of(commands.ref(middle), commands.ref(y), 10, 3));
    commands.run(cts.queue());
    assertBytes(ints(3, 5, 7, 9), cts.read(middle), "2x + 1");
    assertBytes(ints(33, 53, 73, 93), cts.read(y), "10 (2x + 1) + 3");
  }

  @Test
  @Rule({"M3", "M4"})
  void directAndBoundBuffersMixInOneRecording(Cts cts) {
    DeviceBuffer x = cts.buffer(16);
    DeviceBuffer middle = cts.buffer(16);
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    Kernel kernel = cts.kernel("scale_and_offset");
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    commands.fill(x, 0, 16, FillPattern.of32(5));
    commands.barrier();
    commands.dispatch(kernel, Workgroups.of(4), Args.of(x, Slot.of(1), 3, 1));
    commands.barrier();
    commands.dispatch(kernel, Workgroups.of(4), Args.of(Slot.of(1), Slot.of(0), 2, 0));
    commands.end();
    cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(y, middle));
    awaitReached(done, 1);
    assertBytes(ints(16, 16, 16, 16), cts.read(middle), "3 * 5 + 1");
    assertBytes(ints(32, 32, 32, 32), cts.read(y), "2 * 16");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M1", "Q5"})
  void allocaUploadDispatchAndDeallocaFollowOneTimeline(Commands.Form form, Cts cts) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer y = cts.buffer(16);
    DeviceBuffer x = cts.closing(queue.alloca(Fence.NONE, timeline.at(1), 16, BufferParams.DEVICE));
    queue.upload(timeline.at(1), timeline.at(2), TestData.direct(ints(5, 6, 7, 8)), x, 0);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("negate"), Workgroups.of(4), Args.of(commands.ref(x), commands.ref(y)));
    commands.submit(queue, timeline.at(2), timeline.at(3));
    queue.dealloca(timeline.at(3), timeline.at(4), x);
    awaitReached(timeline, 4);
    assertBytes(ints(-5, -6, -7, -8), cts.read(y), "negated");
  }

  @Test
  @Rule("M4")
  void aReusablePipelineUsesNewBindingsEachTime(Cts cts) {
    Kernel kernel = cts.kernel("scale_and_offset");
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(kernel, Workgroups.of(4), Args.of(Slot.of(0), Slot.of(1), 1, 100));
    commands.barrier();
    commands.dispatch(kernel, Workgroups.of(4), Args.of(Slot.of(1), Slot.of(2), 2, 0));
    commands.end();
    for (int run = 1; run <= 3; run++) {
      int base = 1000 * run;
      DeviceBuffer x = cts.buffer(ints(4, i -> base + i));
      DeviceBuffer y = cts.buffer(16);
      TimelineSemaphore done = cts.semaphore();
      cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(x, cts.buffer(16), y));
      awaitReached(done, 1);
      assertBytes(ints(4, i -> 2 * (base + i + 100)), cts.read(y), "run " + run);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M3", "Q5"})
  @Needs(Need.TWO_QUEUES)
  void stagesRunOnDifferentQueues(Commands.Form form, Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer[] stages = new DeviceBuffer[6];
    stages[0] = cts.buffer(ints(64, i -> i));
    for (int i = 1; i < stages.length; i++) {
      stages[i] = cts.buffer(256);
      Commands commands = new Commands(cts, form);
      commands
          .buffer()
          .dispatch(
              cts.kernel("scale_and_offset"),
              Workgroups.of(64),
              Args.of(commands.ref(stages[i - 1]), commands.ref(stages[i]), 2, i));
      commands.submit(cts.queue(i % 2), timeline.at(i - 1), timeline.at(i));
    }
    awaitReached(timeline, 5);
    // ((((2x + 1) 2 + 2) 2 + 3) 2 + 4) 2 + 5
    assertBytes(ints(64, x -> 32 * x + 57), cts.read(stages[5]), "five stages over two queues");
  }
}
