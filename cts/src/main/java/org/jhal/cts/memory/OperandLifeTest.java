// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
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
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operands of every kind of operation, closed while the operation is parked: rule Q3. */
@CtsSuite
class OperandLifeTest {
  /**
   * Closes {@code buffers}, which the operation that waits for {@code go} needs. Checks that they
   * stay alive until it has run, and are released then.
   */
  private static void assertLive(
      Device device, TimelineSemaphore go, Fence done, DeviceBuffer... buffers) {
    long open = device.statistics().buffers();
    for (DeviceBuffer buffer : buffers) {
      buffer.close();
    }
    assertEquals(
        open, device.statistics().buffers(), "buffers that were closed and parked work needs");
    go.signal(1);
    awaitReached(done);
    awaitStatistics(
        "closed buffers to go with the operation that used them",
        device,
        now -> now.buffers() == open - buffers.length);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q2", "Q3"})
  void aClosedBufferLivesUntilItsOperationHasRun(BufferUse use, Cts cts) {
    DeviceBuffer buffer = cts.buffer(new byte[64]);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    use.enqueue(cts, go.at(1), done.at(1), buffer, 0, 16);
    assertLive(cts.device(), go, done.at(1), buffer);
  }

  @Test
  @Rule({"Q2", "Q3"})
  void closedBuffersOfABindingTableLiveUntilTheyWereUsed(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer[] bound = new DeviceBuffer[4];
    for (int i = 0; i < bound.length; i++) {
      bound[i] = cts.buffer(new byte[64]);
    }
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      commands.dispatch(cts.kernel("negate"), Workgroups.of(16), Args.of(Slot.of(0), Slot.of(1)));
      commands.barrier();
      commands.copy(Slot.of(1), 0, Slot.of(2), 0, 64);
      commands.fill(Slot.of(3), 0, 64, FillPattern.ZERO);
      commands.end();
      cts.queue().execute(go.at(1), done.at(1), commands, BindingTable.of(bound));
    }
    assertLive(cts.device(), go, done.at(1), bound);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"Q2", "Q3"})
  void aClosedExecutableLivesUntilItsOperationHasRun(boolean isRecorded, Cts cts) {
    Device device = cts.device();
    DeviceBuffer x = cts.buffer(ints(1, -2, 3, -4));
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    long executables = device.statistics().executables();
    try (Executable own = device.loadExecutable(cts.backend().kernels().get(0));
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      Kernel negate = own.kernel("negate");
      if (isRecorded) {
        commands.dispatch(negate, Workgroups.of(4), Args.of(x, y));
        commands.end();
        cts.queue().execute(go.at(1), done.at(1), commands);
      } else {
        cts.queue().dispatch(go.at(1), done.at(1), negate, Workgroups.of(4), Args.of(x, y));
      }
    }
    assertEquals(
        executables + 1,
        device.statistics().executables(),
        "executables, of which parked work needs one that was closed");
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(ints(-1, 2, -3, 4), cts.read(y), "written by a kernel of a closed executable");
    awaitStatistics(
        "a closed executable to go with the operation that used it",
        device,
        now -> now.executables() == executables);
  }

  @Test
  @Rule({"M1", "Q3"})
  void aClosedBufferLivesUntilItsAllocaHasRun(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer scratch = cts.queue().alloca(go.at(1), done.at(1), 64, BufferParams.DEVICE);
    assertLive(cts.device(), go, done.at(1), scratch);
  }

  @Test
  @Rule({"M1", "Q3"})
  void aClosedBufferLivesUntilItsDeallocaHasRun(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer scratch = cts.queue().alloca(Fence.NONE, timeline.at(1), 64, BufferParams.DEVICE);
    awaitReached(timeline, 1);
    cts.queue().dealloca(go.at(1), timeline.at(2), scratch);
    assertLive(cts.device(), go, timeline.at(2), scratch);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"Q3", "S9"})
  @Needs(Need.SECOND_DEVICE)
  void closedBuffersOfACopyBetweenDevicesLiveUntilItHasRun(boolean isToSecond, Cts cts) {
    for (boolean closesSource : new boolean[] {true, false}) {
      DeviceBuffer own = cts.buffer(64);
      DeviceBuffer foreign = cts.buffer(cts.second(), 64, BufferParams.DEVICE);
      DeviceBuffer source = isToSecond ? own : foreign;
      DeviceBuffer target = isToSecond ? foreign : own;
      DeviceBuffer closed = closesSource ? source : target;
      TimelineSemaphore go = cts.semaphore();
      TimelineSemaphore done = cts.semaphore();
      cts.queue().copy(go.at(1), done.at(1), source, 0, target, 0, 64);
      assertLive(closed.device(), go, done.at(1), closed);
    }
  }
}
