// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.AcquiredQueue;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueRequest;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On which multiprocessors kernels run while queues have shares (rule Q12): of the simulated
 * device's 18, in four groups of four and a remainder of two.
 */
@Timeout(60)
class CudaShareTest {
  private static final QueueRequest QUARTER = QueueRequest.DEFAULT.withShare(0.25);
  private static final String ALL = "0";
  private static final String FIRST = "0xf";
  private static final String NOT_FIRST = "0x3fff0";
  private static final String SECOND = "0xf0";
  private static final String NEITHER = "0x3ff00";
  private static final String NOT_SECOND = "0x3ff0f";
  private static final int RUNS = 20;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  /** The kernels that ran since the last call, by their multiprocessors. */
  private final Map<String, Long> seen = new HashMap<>();

  private Map<String, Long> ran() {
    Map<String, Long> now = sim.simulator().kernelsByUnits();
    Map<String, Long> news = new HashMap<>();
    now.forEach(
        (units, count) -> {
          if (count > seen.getOrDefault(units, 0L)) {
            news.put(units, count - seen.getOrDefault(units, 0L));
          }
        });
    seen.putAll(now);
    return news;
  }

  /** Runs single dispatches, which become a graph of one node, and a recording with two kernels. */
  private static void run(DeviceQueue queue, Executable kernels, DeviceBuffer ids)
      throws Exception {
    try (CommandBuffer commands = queue.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.dispatch(kernels.kernel("write_group_ids"), Workgroups.of(4), Args.of(ids));
      commands.barrier();
      commands.dispatch(kernels.kernel("write_group_ids"), Workgroups.of(4), Args.of(ids));
      commands.end();
      try (Sequence sequence = queue.device().createSequence()) {
        for (int i = 0; i < RUNS; i++) {
          sequence
              .on(queue)
              .dispatch(kernels.kernel("write_group_ids"), Workgroups.of(2), Args.of(ids));
        }
        for (int i = 0; i < RUNS; i++) {
          sequence.on(queue).execute(commands);
        }
        sequence.await(Duration.ofSeconds(20));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off", "auto"})
  void everyKernelRunsInThePlaceOfItsQueue(String graphs) throws Exception {
    long all = 3L * RUNS;
    Device device = sim.open("cuda://0?queues=2&graph=" + graphs);
    assertTrue(device.capabilities().contains(Capability.QUEUE_SHARE));
    Executable kernels = device.loadExecutable(CtsKernels.bundle());
    DeviceBuffer ids = device.allocate(64, BufferParams.DEVICE);
    Map<String, Long> unused = ran();
    for (int round = 0; round < 2; round++) {
      run(device.queue(0), kernels, ids);
      assertEquals(Map.of(ALL, all), ran(), "without shares");
      AcquiredQueue first = device.acquireQueue(QUARTER);
      assertEquals(4, first.granted().computeUnits());
      assertEquals(18, first.granted().deviceComputeUnits());
      assertTrue(first.granted().isExclusive());
      run(first, kernels, ids);
      assertEquals(Map.of(FIRST, all), ran(), "on the first share");
      run(device.queue(0), kernels, ids);
      run(device.queue(1), kernels, ids);
      assertEquals(Map.of(NOT_FIRST, 2 * all), ran(), "beside the first share");
      AcquiredQueue second = device.acquireQueue(QUARTER.withPriority(QueueRequest.Priority.HIGH));
      run(second, kernels, ids);
      assertEquals(Map.of(SECOND, all), ran(), "on the second share");
      run(first, kernels, ids);
      assertEquals(Map.of(FIRST, all), ran(), "on the first share, beside the second");
      run(device.queue(0), kernels, ids);
      assertEquals(Map.of(NEITHER, all), ran(), "beside both");
      AcquiredQueue urgent =
          device.acquireQueue(QueueRequest.DEFAULT.withPriority(QueueRequest.Priority.HIGH));
      run(urgent, kernels, ids);
      assertEquals(Map.of(NEITHER, all), ran(), "on a queue with a priority, beside both");
      first.close();
      run(urgent, kernels, ids);
      run(device.queue(0), kernels, ids);
      assertEquals(Map.of(NOT_SECOND, 2 * all), ran(), "beside the second share");
      second.close();
      urgent.close();
    }
    run(device.queue(1), kernels, ids);
    assertEquals(Map.of(ALL, all), ran(), "without shares again");
    ids.close();
    kernels.close();
    device.close();
    assertEquals(List.of(), sim.simulator().misuses());
    assertEquals(Map.of(), sim.simulator().live());
  }

  /** A graph of one node that is being made in the background stays until it is made. */
  @Test
  void aGraphIsMadeWhileItsStreamMoves() throws Exception {
    Device device = sim.open("cuda://0?queues=1&graph=auto");
    Executable kernels = device.loadExecutable(CtsKernels.bundle());
    DeviceBuffer ids = device.allocate(64, BufferParams.DEVICE);
    String make = "cuGraphInstantiateWithFlags";
    for (int round = 0; round < 5; round++) {
      sim.simulator().delay(make, Duration.ofMillis(100));
      long made = sim.calls(make);
      while (sim.calls(make) == made) {
        run(device.queue(0), kernels, ids);
      }
      try (AcquiredQueue queue = device.acquireQueue(QUARTER)) {
        run(device.queue(0), kernels, ids);
        run(queue, kernels, ids);
      }
      sim.simulator().delay(make, Duration.ZERO);
      run(device.queue(0), kernels, ids);
    }
    ids.close();
    kernels.close();
    device.close();
    assertEquals(List.of(), sim.simulator().misuses());
    assertEquals(Map.of(), sim.simulator().live());
  }

  /** The grids of cooperative kernels fit on the multiprocessors of the queue (rule M6b). */
  @Test
  void cooperativeGridsFitIntoTheShare() throws Exception {
    ExecutableSource meeting =
        ExecutableSource.builder("meeting")
            .kernel("meet", 32, Parameter.inout("out", ElementType.I32))
            .cooperative("meet")
            .cpp(
                """
                #include <cooperative_groups.h>
                extern "C" __global__ void meet(int* out) {
                  cooperative_groups::this_grid().sync();
                  if (threadIdx.x == 0) atomicAdd(out, 1);
                }
                """)
            .build();
    Device device = sim.open("cuda://0");
    Executable executable = device.loadExecutable(meeting);
    Kernel kernel = executable.kernel("meet");
    DeviceBuffer out = device.allocate(4, BufferParams.DEVICE);
    int each = (int) (kernel.residentWorkgroups().orElseThrow() / 18);
    AcquiredQueue quarter = device.acquireQueue(QUARTER);
    assertMeet(quarter, kernel, out, 4 * each);
    assertMeet(device.queue(0), kernel, out, 14 * each);
    quarter.close();
    quarter = device.acquireQueue(QUARTER.withShare(0.5));
    assertMeet(quarter, kernel, out, 8 * each);
    assertMeet(device.queue(0), kernel, out, 10 * each);
    quarter.close();
    device.queue(0).blocking().run(kernel, Workgroups.of(18 * each), Args.of(out));
    out.close();
    executable.close();
    device.close();
    assertEquals(Map.of(), sim.simulator().live());
  }

  /** So many workgroups meet, and one more fails and runs none. */
  private static void assertMeet(DeviceQueue queue, Kernel kernel, DeviceBuffer out, int most)
      throws Exception {
    queue.blocking().fill(out, FillPattern.ZERO);
    queue.blocking().run(kernel, Workgroups.of(most), Args.of(out));
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.blocking().run(kernel, Workgroups.of(most + 1), Args.of(out)),
        "grid " + (most + 1),
        "at most " + most);
    int[] met = new int[1];
    queue.blocking().read(out, HostMemory.of(met));
    assertEquals(most, met[0]);
  }

  @Test
  void allButOneGroupCanBeShared() {
    Device device = sim.open("cuda://0");
    try (AcquiredQueue most = device.acquireQueue(QueueRequest.DEFAULT.withShare(1))) {
      assertEquals(12, most.granted().computeUnits());
      assertHal(
          Status.RESOURCE_EXHAUSTED, () -> device.acquireQueue(QUARTER), "0.25", "18", "0 of");
    }
    device.close();
  }

  /** What the runtime refuses is reported, and nothing is taken. */
  @ParameterizedTest
  @ValueSource(strings = {"cuGreenCtxCreate", "cuGreenCtxStreamCreate", "cuCtxFromGreenCtx"})
  void aRefusedShareTakesNothing(String function) throws Exception {
    Device device = sim.open("cuda://0");
    Executable kernels = device.loadExecutable(CtsKernels.bundle());
    DeviceBuffer ids = device.allocate(64, BufferParams.DEVICE);
    for (int nth = 1; nth <= (function.equals("cuGreenCtxStreamCreate") ? 1 : 2); nth++) {
      sim.simulator().fail(function, nth, 2); // out of memory
      assertHal(Status.RESOURCE_EXHAUSTED, () -> device.acquireQueue(QUARTER), function);
      Map<String, Long> unused = ran();
      run(device.queue(0), kernels, ids);
      assertEquals(Map.of(ALL, 3L * RUNS), ran());
    }
    try (AcquiredQueue queue = device.acquireQueue(QUARTER)) {
      run(queue, kernels, ids);
      assertEquals(Map.of(FIRST, 3L * RUNS), ran());
    }
    ids.close();
    kernels.close();
    device.close();
    assertEquals(Map.of(), sim.simulator().live());
  }
}
