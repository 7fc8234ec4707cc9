// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The life cycle of command buffers, and barriers in them: rule M3. */
@CtsSuite
class CommandBufferTest {
  private static CommandBuffer create(Cts cts, CommandBuffer.Mode mode) {
    return cts.closing(cts.device().createCommandBuffer(mode));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M3")
  void goesThroughItsStates(CommandBuffer.Mode mode, Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands = create(cts, mode);
    assertSame(cts.device(), commands.device());
    assertEquals(mode, commands.mode());
    assertEquals(CommandBuffer.State.RECORDING, commands.state());
    commands.end();
    assertEquals(CommandBuffer.State.ENDED, commands.state());
    cts.queue().execute(Fence.NONE, done.at(1), commands);
    assertEquals(CommandBuffer.State.SUBMITTED, commands.state());
    awaitReached(done, 1);
    commands.close();
    assertEquals(CommandBuffer.State.CLOSED, commands.state());
  }

  @Test
  @Rule("M3")
  void anEmptyRecordingIsLegal(Cts cts) {
    CommandBuffer commands = create(cts, CommandBuffer.Mode.ONE_SHOT);
    commands.end();
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M3")
  void anEmptyRecordingWaitsAndSignals(CommandBuffer.Mode mode, Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands = create(cts, mode);
    commands.end();
    cts.queue().execute(go.at(1), done.at(1), commands);
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"ENDED", "SUBMITTED", "CLOSED"})
  @Rule({"M3", "M5"})
  void nothingIsRecordedAfterTheEnd(CommandBuffer.State state, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(16));
    CommandBuffer commands = create(cts, CommandBuffer.Mode.REUSABLE);
    commands.fill(buffer, 0, 8, FillPattern.of8(1));
    TimelineSemaphore done = cts.semaphore();
    commands.end();
    if (state != CommandBuffer.State.ENDED) {
      cts.queue().execute(Fence.NONE, done.at(1), commands);
      awaitReached(done, 1);
    }
    if (state == CommandBuffer.State.CLOSED) {
      commands.close();
    }
    Map<String, Runnable> calls =
        Map.of(
            "fill", () -> commands.fill(buffer, 0, 16, FillPattern.ZERO),
            "update", () -> commands.update(ByteBuffer.allocate(4), buffer, 0),
            "copy", () -> commands.copy(buffer, 0, buffer, 8, 8),
            "dispatch",
                () -> commands.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(buffer, 1)),
            "barrier", commands::barrier,
            "end", commands::end);
    calls.forEach(
        (name, call) ->
            assertHal(Status.FAILED_PRECONDITION, call::run, "command buffer", state.toString()));
    if (state == CommandBuffer.State.ENDED) {
      cts.queue().execute(Fence.NONE, done.at(1), commands);
      awaitReached(done, 1);
    }
    byte[] expected = TestData.with(bytes(16), 0, filled(8, 1));
    assertBytes(expected, cts.read(buffer), "the results of the commands before the end");
  }

  @Test
  @Rule({"M3", "M5"})
  void executingAnOpenRecordingIsRejected(Cts cts) {
    DeviceBuffer buffer = cts.buffer(filled(16, 0));
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands = create(cts, CommandBuffer.Mode.ONE_SHOT);
    commands.fill(buffer, 0, 16, FillPattern.of8(1));
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> cts.queue().execute(Fence.NONE, done.at(1), commands),
        "command buffer",
        "RECORDING");
    assertPending(done, 1);
    assertEquals(CommandBuffer.State.RECORDING, commands.state());
    commands.end();
    cts.queue().execute(Fence.NONE, done.at(1), commands);
    awaitReached(done, 1);
    assertBytes(filled(16, 1), cts.read(buffer), "executed once it was ended");
  }

  @Test
  @Rule({"M3", "M5"})
  void executingAOneShotRecordingAgainIsRejected(Cts cts) {
    DeviceBuffer list = cts.buffer(new byte[16]);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands = create(cts, CommandBuffer.Mode.ONE_SHOT);
    commands.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(list, 7));
    commands.end();
    cts.queue().execute(go.at(1), done.at(1), commands);
    Runnable again = () -> cts.queue().execute(Fence.NONE, done.at(2), commands);
    assertHal(Status.FAILED_PRECONDITION, again::run, "one-shot");
    go.signal(1);
    awaitReached(done, 1);
    assertHal(Status.FAILED_PRECONDITION, again::run, "one-shot");
    assertPending(done, 2);
    assertBytes(TestData.ints(1, 7, 0, 0), cts.read(list), "the bytes that one execution appends");
  }

  @Test
  @Rule({"M3", "M5"})
  void aRejectedExecutionDoesNotUseUpAOneShotRecording(Cts cts) {
    DeviceBuffer small = cts.buffer(filled(8, 0));
    DeviceBuffer large = cts.buffer(filled(16, 0));
    TimelineSemaphore done = cts.semaphore();
    Commands commands = new Commands(cts, Commands.Form.BINDING_TABLE);
    commands.buffer().fill(commands.ref(large), 0, 16, FillPattern.of8(1));
    commands.buffer().end();
    assertHal(
        Status.OUT_OF_RANGE,
        () ->
            cts.queue().execute(Fence.NONE, done.at(1), commands.buffer(), BindingTable.of(small)));
    commands.submit(cts.queue(), Fence.NONE, done.at(1));
    awaitReached(done, 1);
    assertBytes(filled(16, 1), cts.read(large), "executed after a refused try");
  }

  @Test
  @Rule({"M3", "M5"})
  void executingAClosedRecordingIsRejected(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands = create(cts, CommandBuffer.Mode.REUSABLE);
    commands.end();
    commands.close();
    commands.close();
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> cts.queue().execute(Fence.NONE, done.at(1), commands),
        "command buffer",
        "closed");
    assertPending(done, 1);
  }

  @Test
  @Rule({"Q2", "Q3"})
  void aCommandBufferMayBeClosedInEachState(Cts cts) {
    DeviceStatistics before = cts.device().statistics();
    DeviceBuffer buffer = cts.buffer(filled(16, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer recording = create(cts, CommandBuffer.Mode.ONE_SHOT);
    recording.fill(buffer, 0, 16, FillPattern.of8(1));
    recording.close();
    CommandBuffer parked = create(cts, CommandBuffer.Mode.ONE_SHOT);
    parked.fill(buffer, 0, 16, FillPattern.of8(2));
    parked.end();
    cts.queue().execute(go.at(1), done.at(1), parked);
    parked.close();
    assertEquals(
        before.commandBuffers() + 1,
        cts.device().statistics().commandBuffers(),
        "command buffers that are still needed");
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(filled(16, 2), cts.read(buffer), "executed although it was closed");
    Waits.awaitTrue(
        "the command buffers to go",
        () -> cts.device().statistics().commandBuffers() == before.commandBuffers());
  }

  @Test
  @Rule({"Q2", "Q3"})
  void closingACommandBufferTwiceReleasesItOnce(Cts cts) {
    long before = cts.device().statistics().commandBuffers();
    DeviceBuffer buffer = cts.buffer(new byte[16]);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands = create(cts, CommandBuffer.Mode.REUSABLE);
    commands.fill(buffer, 0, 16, FillPattern.of8(3));
    commands.end();
    cts.queue().execute(go.at(1), done.at(1), commands);
    commands.close();
    commands.close();
    assertEquals(
        before + 1,
        cts.device().statistics().commandBuffers(),
        "command buffers while a parked operation needs the one that was closed twice");
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(filled(16, 3), cts.read(buffer), "executed although it was closed twice");
    commands.close();
    Waits.awaitTrue(
        "the command buffer to go", () -> cts.device().statistics().commandBuffers() == before);
  }

  @Test
  @Rule({"Q3", "M3"})
  void buffersAndExecutablesMayBeClosedBeforeExecution(Cts cts) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer result = cts.buffer(new byte[16]);
    CommandBuffer commands = create(cts, CommandBuffer.Mode.REUSABLE);
    try (DeviceBuffer source = cts.device().allocate(16, BufferParams.DEVICE);
        Executable kernels = cts.device().loadExecutable(cts.backend().kernels().get(0))) {
      cts.write(source, 0, TestData.ints(1, 2, 3, 4));
      commands.dispatch(kernels.kernel("negate"), Workgroups.of(4), Args.of(source, result));
    }
    commands.end();
    System.gc(); // the recording itself must keep what it needs
    for (int i = 1; i <= 2; i++) {
      queue.execute(Fence.NONE, done.at(i), commands);
      awaitReached(done, i);
      assertBytes(TestData.ints(-1, -2, -3, -4), cts.read(result), "execution " + i);
      cts.write(result, 0, new byte[16]);
    }
  }

  @Test
  @Rule("M5")
  @Needs(Need.SECOND_DEVICE)
  void aCommandBufferOfAnotherDeviceIsRejected(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer foreign =
        cts.closing(cts.second().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    foreign.end();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().execute(Fence.NONE, done.at(1), foreign),
        "command buffer was made for",
        "not ");
    assertPending(done, 1);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M3")
  void barriersMayBeAnywhereAndRepeated(Commands.Form form, Cts cts) {
    DeviceBuffer list = cts.buffer(new byte[16]);
    Commands commands = new Commands(cts, form);
    CommandBuffer buffer = commands.buffer();
    buffer.barrier();
    buffer.barrier();
    for (int i = 1; i <= 2; i++) {
      buffer.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(commands.ref(list), 10 * i));
      buffer.barrier();
      buffer.barrier();
      buffer.barrier();
    }
    commands.run(cts.queue());
    assertBytes(TestData.ints(2, 10, 20, 0), cts.read(list), "the bytes that were appended");
  }

  @Test
  @Rule("M3")
  void aRecordingOfBarriersOnlyIsLegal(Cts cts) {
    Commands commands = new Commands(cts, Commands.Form.DIRECT);
    commands.buffer().barrier();
    commands.buffer().barrier();
    commands.run(cts.queue());
  }
}
