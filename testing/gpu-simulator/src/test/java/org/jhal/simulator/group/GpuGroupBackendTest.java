// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.simulator.fixture.OpenGpu.bound;
import static org.jhal.simulator.fixture.OpenGpu.run;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.cts.support.Waits;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.NativeStream;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.OpenGpu;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups on the driver's side, whose calls come in orders that the engine seldom takes. */
@ParameterizedClass
@MethodSource("org.jhal.simulator.group.CollectiveVersions#all")
class GpuGroupBackendTest extends SimulatedGroups {
  private static final int BYTES = 4;
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

  GpuGroupBackendTest(int version) {
    super(version);
  }

  private GpuDevice openBackend(int index) {
    OpenGpu gpu = OpenGpu.open(sim.driver(), index);
    opened.add(gpu.device());
    return gpu.backend();
  }

  private static DeviceMemory allocate(GpuDevice device) {
    return bound(device, () -> device.allocate(BYTES, BufferParams.DEVICE));
  }

  /**
   * A group closes at once when its streams are past everything, even if an abort is under way on
   * another thread. If the launch was not completed by its thread, the communicators report no
   * failure, yet no other thread may finalize them.
   *
   * @param nth the query that fails during the launch
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCloseBehindALaunchThatWasNotCompletedAborts(int nth) {
    assumeNotBlocking();
    List<GpuDevice> devices = List.of(openBackend(0), openBackend(1));
    GpuDevice first = devices.get(0);
    List<DeviceMemory> memory = devices.stream().map(GpuGroupBackendTest::allocate).toList();
    CollectiveCall call =
        new CollectiveCall(
            Kind.ALL_REDUCE,
            0,
            0,
            Reduction.SUM,
            ElementType.I32,
            BYTES,
            memory.stream()
                .map(one -> new CollectiveCall.Range(one, 0))
                .map(range -> new CollectiveCall.Rank(range, range))
                .toList());
    run(
        first,
        () -> {
          NativeGroup<GpuEvent> group = first.createGroup(List.copyOf(devices), PATIENCE);
          NativeStream<GpuEvent> stream = first.createStream(0);
          sim.simulator().fail("ncclCommGetAsyncError", nth, GpuFault.PLAIN_CODE);
          assertHal(
              Status.ABORTED,
              present(group.issue(call, stream, false, PATIENCE, () -> {})),
              "returned " + GpuFault.PLAIN_CODE);
          Stream.of(0, 1)
              .forEach(
                  rank -> Waits.awaitTrue("the part of rank " + rank, () -> group.isPast(rank)));
          group.close();
          stream.close();
        });
    awaitNoCommunicators();
    assertEquals(2, aborts());
    assertEquals(0, collectives().calls().getOrDefault("ncclCommFinalize", 0L));
    for (int rank = 0; rank < devices.size(); rank++) {
      run(devices.get(rank), memory.get(rank)::free);
    }
  }
}
