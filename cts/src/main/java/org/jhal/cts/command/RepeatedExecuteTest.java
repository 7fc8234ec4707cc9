// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.with;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * Reusable command buffers that are submitted so often that a driver may run them in another form
 * (rule K6). Only the speed may change.
 */
@CtsSuite
class RepeatedExecuteTest {
  /** Enough for a driver to change the form, and to use it several times. */
  private static final int USES = 8;

  private static CommandBuffer reusable(Cts cts) {
    return cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
  }

  /** Fails if graph=on was requested but no graph was launched. */
  @Test
  @Rule("K6")
  void graphOnLaunchesGraphsFromTheSecondUse(Cts cts) {
    boolean isAskedFor =
        cts.device().settings().stream()
            .anyMatch(setting -> setting.name().equals("graph") && setting.value().equals("on"));
    String there = cts.device().info().properties().getOrDefault("graphs", "not available");
    if (!isAskedFor || !there.equals("available")) {
      throw Cts.unsupported("graph=on is not set, or graphs are " + there);
    }
    long before = cts.device().statistics().graphs().launches();
    CommandBuffer commands = reusable(cts);
    commands.fill(cts.buffer(16), 0, 16, FillPattern.ZERO);
    commands.end();
    TimelineSemaphore timeline = cts.semaphore();
    for (int use = 0; use < 3; use++) {
      cts.queue().execute(timeline.at(use), timeline.at(use + 1), commands);
    }
    awaitReached(timeline, 3);
    assertEquals(before + 2, cts.device().statistics().graphs().launches());
  }

  @RepeatedTest(20)
  @Rule({"K6", "M3", "M4"})
  void randomRecordingsGiveTheSameResultsInEachUse(Cts cts) {
    RandomRecording recording = new RandomRecording(cts, 1 + cts.random().nextInt(60));
    TimelineSemaphore timeline = cts.semaphore();
    for (int use = 0; use < USES; use++) {
      recording.execute(timeline, use);
    }
    awaitReached(timeline, USES);
    recording.check();
  }

  @Test
  @Rule({"K6", "M3"})
  void aLargeRecordingGivesTheSameResultsInEachUse(Cts cts) {
    RandomRecording recording = new RandomRecording(cts, 700);
    TimelineSemaphore timeline = cts.semaphore();
    for (int use = 0; use < USES; use++) {
      recording.execute(timeline, use);
      if (use == USES / 2) {
        awaitReached(timeline, use + 1); // a form that is created in the background may be ready
      }
    }
    awaitReached(timeline, USES);
    recording.check();
  }

  @Test
  @Rule({"K6", "Q2", "M4"})
  void theTableOfEachUseIsCapturedAtTheCall(Cts cts) {
    CommandBuffer commands = reusable(cts);
    for (int i = 0; i < 4; i++) {
      commands.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(Slot.of(0), i));
      commands.barrier();
    }
    commands.end();
    TimelineSemaphore go = cts.semaphore();
    List<Timepoint> ends = new ArrayList<>();
    DeviceBuffer decoy = cts.buffer(new byte[4 * 5 * USES]);
    BindingTable table = new BindingTable(1);
    List<DeviceBuffer> lists = new ArrayList<>();
    for (int use = 0; use < USES; use++) {
      DeviceBuffer list = cts.buffer(new byte[4 * 5]);
      lists.add(list);
      // Half of the uses are issued immediately, the others after all tables have changed.
      Fence waits = use < USES / 2 ? Fence.NONE : go.at(1);
      TimelineSemaphore done = cts.semaphore();
      ends.add(done.at(1));
      cts.queue().execute(waits, done.at(1), commands, table.set(0, list));
      table.set(0, decoy);
    }
    go.signal(1);
    awaitReached(Fence.of(ends));
    for (int use = 0; use < USES; use++) {
      assertBytes(ints(4, 0, 1, 2, 3), cts.read(lists.get(use)), "the list of use " + use);
    }
    assertBytes(new byte[4 * 5 * USES], cts.read(decoy), "the buffer that was bound too late");
  }

  @Test
  @Rule({"K6", "M2", "M4"})
  void aSlotMayHaveAnotherRangeInEachUse(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(0), 0, 4, FillPattern.of8(9));
    commands.fill(Slot.of(0), 4, 4, FillPattern.of16(0x0A0A));
    commands.dispatch(
        cts.kernel("scale_and_offset"), Workgroups.of(2), Args.of(Slot.of(1), Slot.of(2), 2, 1));
    commands.end();
    DeviceBuffer filled = cts.buffer(filled(64, 1));
    DeviceBuffer numbers = cts.buffer(ints(2 * USES, i -> i));
    DeviceBuffer results = cts.buffer(new byte[4 * 2 * USES]);
    TimelineSemaphore timeline = cts.semaphore();
    byte[] expected = filled(64, 1);
    for (int use = 0; use < USES; use++) {
      int offset = 2 * use;
      cts.queue()
          .execute(
              timeline.at(use),
              timeline.at(use + 1),
              commands,
              BindingTable.of(
                  filled.slice(offset, 8 + use),
                  numbers.slice(4L * offset, 8),
                  results.slice(4L * offset, 4L * (2 * USES - offset))));
      expected = with(with(expected, offset, filled(4, 9)), offset + 4, filled(4, 10));
    }
    awaitReached(timeline, USES);
    assertBytes(
        expected, cts.read(filled), "the bytes that were filled at another place in each use");
    assertBytes(ints(2 * USES, i -> 2 * i + 1), cts.read(results), "the bytes that were computed");
  }

  @Test
  @Rule({"K6", "M4"})
  void anyOfManySlotsMayChange(Cts cts) {
    int slots = 80;
    CommandBuffer commands = reusable(cts);
    for (int slot = 0; slot < slots; slot++) {
      commands.fill(Slot.of(slot), 0, 4, FillPattern.of32(slot));
    }
    commands.end();
    DeviceBuffer usual = cts.buffer(new byte[4 * slots]);
    DeviceBuffer changed = cts.buffer(new byte[4 * slots]);
    TimelineSemaphore timeline = cts.semaphore();
    BindingTable table = new BindingTable(slots);
    for (int slot = 0; slot < slots; slot++) {
      table.set(slot, usual.slice(4L * slot, 4));
    }
    cts.queue().execute(timeline.at(0), timeline.at(1), commands, table);
    for (int slot = 0; slot < slots; slot++) { // each use changes one slot, and restores one
      table.set(slot, changed.slice(4L * slot, 4));
      if (slot > 0) {
        table.set(slot - 1, usual.slice(4L * (slot - 1), 4));
      }
      cts.queue().execute(timeline.at(slot + 1), timeline.at(slot + 2), commands, table);
    }
    awaitReached(timeline, slots + 1);
    assertBytes(
        ints(slots, slot -> slot), cts.read(usual), "the bytes that all uses but one have filled");
    assertBytes(ints(slots, slot -> slot), cts.read(changed), "the bytes that one use has filled");
  }

  @Test
  @Rule({"K6", "M4"})
  void aSlotMayHaveAnotherMemoryTypeInEachUse(Cts cts) {
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(1), 0, 64, FillPattern.of8(1));
    commands.barrier();
    commands.copy(Slot.of(0), 0, Slot.of(1), 8, 32);
    commands.barrier();
    commands.update(ByteBuffer.wrap(bytes(4)), Slot.of(1), 0);
    commands.dispatch(
        cts.kernel("write_parameters"), Workgroups.of(1), Args.of(Slot.of(2), 1, 2, 3));
    commands.end();
    TimelineSemaphore timeline = cts.semaphore();
    List<DeviceBuffer> targets = new ArrayList<>();
    for (int use = 0; use < USES; use++) {
      DeviceBuffer source = of(cts, use % 3 == 1, filled(32, 40 + use));
      DeviceBuffer target = of(cts, use % 4 >= 2, new byte[64]);
      DeviceBuffer parameters = of(cts, use % 2 == 1, new byte[12]);
      targets.add(target);
      targets.add(parameters);
      cts.queue()
          .execute(
              timeline.at(use),
              timeline.at(use + 1),
              commands,
              BindingTable.of(source, target, parameters));
    }
    awaitReached(timeline, USES);
    for (int use = 0; use < USES; use++) {
      byte[] expected = with(with(filled(64, 1), 8, filled(32, 40 + use)), 0, bytes(4));
      assertBytes(expected, cts.read(targets.get(2 * use)), "the target of use " + use);
      assertBytes(ints(1, 2, 3), cts.read(targets.get(2 * use + 1)), "the output of use " + use);
    }
  }

  private static DeviceBuffer of(Cts cts, boolean isOnHost, byte[] content) {
    DeviceBuffer buffer =
        cts.buffer(
            cts.device(), content.length, isOnHost ? BufferParams.HOST : BufferParams.DEVICE);
    cts.write(buffer, 0, content);
    return buffer;
  }

  @Test
  @Rule({"K6", "M1"})
  void aRecordingMayNameTheBufferOfAnAlloca(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer list =
        cts.closing(
            cts.queue().alloca(Fence.NONE, timeline.at(1), 4 * (1 + USES), BufferParams.DEVICE));
    CommandBuffer commands = reusable(cts);
    commands.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(list, 5));
    commands.end();
    cts.queue().fill(timeline.at(1), timeline.at(2), list, 0, 4 * (1 + USES), FillPattern.ZERO);
    for (int use = 0; use < USES; use++) {
      cts.queue().execute(timeline.at(2 + use), timeline.at(3 + use), commands);
    }
    awaitReached(timeline, 2 + USES);
    assertBytes(ints(1 + USES, i -> i == 0 ? USES : 5), cts.read(list), "the list");
    cts.queue().dealloca(Fence.NONE, timeline.at(3 + USES), list);
    awaitReached(timeline, 3 + USES);
    TimelineSemaphore late = cts.semaphore();
    cts.queue().execute(Fence.NONE, late.at(1), commands);
    assertHal(Status.FAILED_PRECONDITION, awaitFailure(late, 1), "dealloca");
  }

  @Test
  @Rule({"K6", "Q6", "M4"})
  void aUseWithAFailedWaitDoesNotAffectOthers(Cts cts) {
    CommandBuffer commands = reusable(cts);
    for (int i = 0; i < 3; i++) {
      commands.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(Slot.of(0), i));
      commands.barrier();
    }
    commands.end();
    DeviceBuffer list = cts.buffer(new byte[4 * (1 + 3 * USES)]);
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore bad = cts.semaphore();
    bad.fail(new HalException(Status.ABORTED, "on purpose"));
    for (int use = 0; use < USES; use++) {
      TimelineSemaphore failing = cts.semaphore();
      cts.queue().execute(bad.at(1), failing.at(1), commands, BindingTable.of(list));
      assertHal(Status.ABORTED, awaitFailure(failing, 1), "on purpose");
      cts.queue().execute(timeline.at(use), timeline.at(use + 1), commands, BindingTable.of(list));
    }
    awaitReached(timeline, USES);
    byte[] expected = ints(1 + 3 * USES, i -> i == 0 ? 3 * USES : (i - 1) % 3);
    assertBytes(expected, cts.read(list), "the bytes that the uses appended");
  }

  @Test
  @Rule({"K6", "Q7", "Q7a"})
  @FreshDevice
  @GivesUp
  @Needs(Need.KERNEL_FAILURES)
  void aKernelThatGivesUpFailsItsUse(Cts cts) {
    cts.allowWarnings();
    CommandBuffer commands = reusable(cts);
    DeviceBuffer list = cts.buffer(new byte[64]);
    commands.dispatch(cts.kernel("append"), Workgroups.of(1), Args.of(list, 5));
    commands.barrier();
    commands.dispatch(cts.kernel("trap"), Workgroups.of(1), Args.of(7));
    commands.end();
    // The first uses are never issued, but still count as uses.
    TimelineSemaphore bad = cts.semaphore();
    bad.fail(new HalException(Status.ABORTED, "on purpose"));
    for (int use = 0; use < 3; use++) {
      TimelineSemaphore failing = cts.semaphore();
      cts.queue().execute(bad.at(1), failing.at(1), commands);
      assertHal(Status.ABORTED, awaitFailure(failing, 1), "on purpose");
    }
    TimelineSemaphore done = cts.semaphore();
    cts.queue().execute(Fence.NONE, done.at(1), commands);
    awaitFailure(done, 1);
  }

  @Test
  @Rule({"K6", "Q7"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void usesInFlightFailWithTheDevice(Cts cts) {
    cts.allowWarnings();
    CommandBuffer commands = reusable(cts);
    commands.fill(Slot.of(0), 0, 16, FillPattern.of8(3));
    commands.barrier();
    commands.fill(Slot.of(0), 0, 16, FillPattern.of8(4));
    commands.end();
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore timeline = cts.semaphore();
    for (int use = 0; use < USES; use++) {
      cts.queue()
          .execute(timeline.at(use), timeline.at(use + 1), commands, BindingTable.of(buffer));
    }
    awaitReached(timeline, USES);
    cts.controls().pause(cts.queue());
    for (int use = USES; use < 2 * USES; use++) {
      cts.queue()
          .execute(
              timeline.at(use),
              timeline.at(use + 1),
              commands,
              BindingTable.of(use % 2 == 0 ? buffer : cts.buffer(16)));
    }
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
    assertHal(Status.UNAVAILABLE, awaitFailure(timeline, 2 * USES), "the cable was pulled");
    commands.close();
  }
}
