// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.AcquiredQueue;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.QueueRequest;
import org.jhal.QueueRequest.Priority;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On which of the simulated device's four compute units kernels run while a queue has a share (rule
 * Q12).
 */
@Timeout(60)
class HipShareTest {
  private static final int RUNS = 10;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  private final Map<String, Long> seen = new HashMap<>();

  /** The kernels that ran since the last call, by their compute units. */
  private Map<String, Long> ran() {
    Map<String, Long> news = new HashMap<>(sim.simulator().kernelsByUnits());
    seen.forEach((units, count) -> news.merge(units, -count, Long::sum));
    news.values().removeIf(count -> count == 0);
    seen.clear();
    seen.putAll(sim.simulator().kernelsByUnits());
    return news;
  }

  private static void run(DeviceQueue queue, Executable kernels, DeviceBuffer ids)
      throws Exception {
    try (CommandBuffer commands = queue.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE);
        Sequence sequence = queue.device().createSequence()) {
      commands.dispatch(kernels.kernel("write_group_ids"), Workgroups.of(4), Args.of(ids));
      commands.end();
      for (int i = 0; i < RUNS; i++) {
        sequence.on(queue).execute(commands);
      }
      sequence.await(Duration.ofSeconds(20));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void kernelsRunWithTheMaskOfTheirQueue(String graphs) throws Exception {
    Device device = sim.open("hip://0?queues=1&graph=" + graphs);
    Executable kernels = device.loadExecutable(CtsKernels.bundle());
    DeviceBuffer ids = device.allocate(64, BufferParams.DEVICE);
    QueueRequest high = QueueRequest.DEFAULT.withPriority(Priority.HIGH);
    AcquiredQueue urgent = device.acquireQueue(high);
    assertEquals(Priority.HIGH, urgent.granted().priority());
    for (int round = 0; round < 2; round++) {
      run(device.queue(0), kernels, ids);
      assertEquals(Map.of("0", (long) RUNS), ran(), "without a share");
      AcquiredQueue half = device.acquireQueue(high.withShare(0.5));
      assertEquals(2, half.granted().computeUnits());
      assertEquals(4, half.granted().deviceComputeUnits());
      assertFalse(half.granted().isExclusive());
      assertEquals(Priority.NORMAL, half.granted().priority());
      run(half, kernels, ids);
      assertEquals(Map.of("0x3", (long) RUNS), ran(), "on the share");
      run(device.queue(0), kernels, ids);
      assertEquals(Map.of("0xc", (long) RUNS), ran(), "beside the share");
      run(urgent, kernels, ids);
      assertEquals(Map.of("0", (long) RUNS), ran(), "with a priority");
      half.close();
    }
    urgent.close();
    ids.close();
    kernels.close();
    device.close();
    assertEquals(List.of(), sim.simulator().misuses());
    assertEquals(Map.of(), sim.simulator().live());
  }
}
