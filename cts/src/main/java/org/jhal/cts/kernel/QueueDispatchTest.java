// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dispatches of a queue. */
@CtsSuite
class QueueDispatchTest {
  @Test
  @Rule("M8")
  void runsWithConstantsAndBuffers(Cts cts) {
    DeviceBuffer x = cts.buffer(ints(0, 1, 2, 3));
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    Kernel kernel = cts.kernel("scale_and_offset");
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(4), Args.of(x, y, 3, 10));
    awaitReached(done, 1);
    assertBytes(ints(10, 13, 16, 19), cts.read(y), "3x + 10");
  }

  @Test
  @Rule({"Q2", "Q3"})
  void resourcesOfADispatchMayBeClosedRightAfterTheCall(Cts cts) {
    Device device = cts.device();
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    long executables = device.statistics().executables();
    try (DeviceBuffer x = device.allocate(16, BufferParams.DEVICE);
        Executable kernels = device.loadExecutable(cts.backend().kernels().get(0))) {
      cts.write(x, 0, ints(1, 2, 3, 4));
      cts.queue()
          .dispatch(
              go.at(1), done.at(1), kernels.kernel("negate"), Workgroups.of(4), Args.of(x, y));
    }
    System.gc();
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(ints(-1, -2, -3, -4), cts.read(y), "negated");
    Waits.awaitTrue("the executable to go", () -> device.statistics().executables() == executables);
  }

  @ParameterizedTest
  @CsvSource({"0,0,0", "0,1,1", "1,0,1", "5,5,0"})
  @Rule("M6")
  void anEmptyGridWaitsAndSignalsWithoutRunning(int x, int y, int z, Cts cts) {
    DeviceBuffer ids = cts.buffer(filled(64, 0xCD));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .dispatch(
            go.at(1),
            done.at(1),
            cts.kernel("write_group_ids"),
            new Workgroups(x, y, z),
            Args.of(ids));
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(filled(64, 0xCD), cts.read(ids), "the bytes that no workgroup wrote");
  }

  @Test
  @Rule("S5")
  void aWaitMayComeBeforeItsSignal(Cts cts) {
    DeviceBuffer x = cts.buffer(ints(0, 0, 0, 0));
    DeviceBuffer y = cts.buffer(filled(16, 0));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    Kernel kernel = cts.kernel("scale_and_offset");
    cts.queue().dispatch(go.at(1), done.at(1), kernel, Workgroups.of(4), Args.of(x, y, 2, 5));
    cts.flush(cts.queue());
    assertPending(done, 1);
    assertBytes(filled(16, 0), cts.read(y), "the target before the wait is met");
    cts.write(x, 0, ints(1, 2, 3, 4));
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(ints(7, 9, 11, 13), cts.read(y), "2x + 5");
  }

  @Test
  @Rule({"M3", "Q5"})
  void aChainOverAllQueuesKeepsItsOrder(Cts cts) {
    int count = 200;
    DeviceBuffer list = cts.buffer(new byte[4 * (1 + count)]);
    TimelineSemaphore timeline = cts.semaphore();
    Kernel append = cts.kernel("append");
    for (int i = 0; i < count; i++) {
      cts.queue(i % cts.device().queueCount())
          .dispatch(
              timeline.at(i), timeline.at(1 + i), append, Workgroups.of(1), Args.of(list, 3 * i));
    }
    awaitReached(timeline, count);
    byte[] expected = ints(1 + count, i -> i == 0 ? count : 3 * (i - 1));
    assertBytes(expected, cts.read(list), "the appended bytes, in order");
  }

  @Test
  @Rule("M3")
  void independentDispatchesRunInAnyOrder(Cts cts) {
    int count = 64;
    DeviceBuffer x = cts.buffer(ints(16, i -> i));
    Kernel kernel = cts.kernel("scale_and_offset");
    List<DeviceBuffer> results = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      results.add(cts.buffer(64));
      ends.add(cts.semaphore());
      cts.queue(i % cts.device().queueCount())
          .dispatch(
              Fence.NONE,
              ends.get(i).at(1),
              kernel,
              Workgroups.of(16),
              Args.of(x, results.get(i), i, -i));
    }
    for (int i = 0; i < count; i++) {
      int factor = i;
      awaitReached(ends.get(i), 1);
      assertBytes(ints(16, n -> factor * n - factor), cts.read(results.get(i)), "dispatch " + i);
    }
  }

  @Test
  @Rule("M5")
  void aSlotAsAnArgumentIsRejected(Cts cts) {
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.INVALID_ARGUMENT,
        () ->
            cts.queue()
                .dispatch(
                    Fence.NONE,
                    done.at(1),
                    cts.kernel("negate"),
                    Workgroups.of(4),
                    Args.of(Slot.of(3), y)),
        "argument 0",
        "index=3");
    assertPending(done, 1);
  }

  /** Grids that are larger along one axis than the device accepts. */
  private static List<Workgroups> tooLarge(Workgroups most) {
    List<Workgroups> grids = new ArrayList<>();
    if (most.x() < Integer.MAX_VALUE) {
      grids.add(new Workgroups(most.x() + 1, 1, 1));
    }
    if (most.y() < Integer.MAX_VALUE) {
      grids.add(new Workgroups(1, most.y() + 1, 1));
    }
    if (most.z() < Integer.MAX_VALUE) {
      grids.add(new Workgroups(1, 1, most.z() + 1));
      grids.add(new Workgroups(0, 1, Integer.MAX_VALUE));
    }
    return grids;
  }

  @Test
  @Rule("M5")
  void aGridThatIsTooLargeIsRejected(Cts cts) {
    DeviceBuffer ids = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    Workgroups most = cts.device().info().maxWorkgroupCount();
    List<Workgroups> grids = tooLarge(most);
    if (grids.isEmpty()) {
      throw Cts.unsupported("the device accepts every grid");
    }
    Kernel kernel = cts.kernel("write_group_ids");
    String limit = most.x() + "," + most.y() + "," + most.z();
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    long enqueued = cts.device().statistics().enqueued();
    for (Workgroups grid : grids) {
      String value = grid.x() + "," + grid.y() + "," + grid.z();
      assertHal(
          Status.OUT_OF_RANGE,
          () -> cts.queue().dispatch(Fence.NONE, done.at(1), kernel, grid, Args.of(ids)),
          "grid",
          value,
          limit);
      assertHal(
          Status.OUT_OF_RANGE, () -> commands.dispatch(kernel, grid, Args.of(ids)), value, limit);
    }
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    assertPending(done, 1);
  }

  @Test
  @Rule("M5")
  @Needs(Need.SECOND_DEVICE)
  void aKernelOfAnotherDeviceIsRejected(Cts cts) {
    Device second = cts.second();
    DeviceBuffer list = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    assertHal(
        Status.INVALID_ARGUMENT,
        () ->
            cts.queue()
                .dispatch(
                    Fence.NONE,
                    done.at(1),
                    cts.kernel(second, "append"),
                    Workgroups.of(1),
                    Args.of(list, 1)),
        "kernel",
        "append",
        "was loaded for",
        "not ");
    assertPending(done, 1);
  }

  @Test
  @Rule("M5")
  void aKernelOfAClosedExecutableIsRejected(Cts cts) {
    DeviceBuffer list = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    Executable kernels = cts.device().loadExecutable(cts.backend().kernels().get(0));
    Kernel append = kernels.kernel("append");
    kernels.close();
    assertHal(
        Status.FAILED_PRECONDITION,
        () ->
            cts.queue()
                .dispatch(Fence.NONE, done.at(1), append, Workgroups.of(1), Args.of(list, 1)),
        "executable",
        "closed");
    assertPending(done, 1);
  }
}
