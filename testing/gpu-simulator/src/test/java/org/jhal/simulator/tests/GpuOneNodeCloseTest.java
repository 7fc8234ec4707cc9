// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.simulator.fixture.NativeCall.ALLOCATE;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_CREATE;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Workgroups;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The end of graphs of one node. The simulator reports a module that is unloaded before the nodes
 * that have its kernels.
 */
@Timeout(60)
class GpuOneNodeCloseTest {
  private static final int OUT_OF_MEMORY = 2;

  /** Enough for the graph of one kernel, not for two. */
  private static final String ROOM_FOR_ONE = "&graph-memory=4k";

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  @BeforeEach
  void begin() {
    sim.assumeNodesAreSetInFlight();
  }

  @Test
  void closingAnExecutableEndsItsGraphsInAllQueues() {
    try (SingleCommands f = new SingleCommands(sim, 3, "&graph=on");
        DeviceBuffer list = f.list()) {
      for (int i = 0; i < 30; i++) {
        f.useQueue(i % 3);
        f.append(list, i);
      }
      f.check(list, 30);
      assertEquals(3, f.graphs().instances());
      f.kernels.close();
      f.awaitGraphs(0);
      Waits.awaitTrue("no memory of graphs", () -> f.graphs().bytes() == 0);
      Waits.awaitTrue(
          "the native graphs to be destroyed", () -> !sim.live().containsKey("graph exec"));
    }
  }

  @Test
  void anExecutableIsClosedWithLaunchesInFlight() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 5);
      f.await();
      try (HeldStream held = new HeldStream(sim.simulator(), f.device)) {
        f.append(list, 5, 50);
        Waits.awaitTrue("45 dispatches in the stream", () -> f.device.statistics().issued() == 45);
        f.kernels.close();
        assertEquals(1, f.graphs().instances(), "a launch of it is in the stream");
        held.release();
      }
      f.check(list, 50);
      f.awaitGraphs(0);
    }
  }

  /** While its graph is made in the background, too. */
  @Test
  void anExecutableIsClosedAfterAnyNumberOfUses() {
    for (int uses = 1; uses <= 8; uses++) {
      try (SingleCommands f = new SingleCommands(sim, "");
          DeviceBuffer list = f.list()) {
        f.append(list, 0, uses);
        f.kernels.close();
        f.check(list, uses);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&graph=on"})
  void aDeviceIsClosedAfterAnyNumberOfUses(String options) {
    for (int uses = 1; uses <= 8; uses++) {
      SingleCommands f = new SingleCommands(sim, options);
      DeviceBuffer list = f.list();
      for (int i = 0; i < uses; i++) {
        f.append(list, i);
        f.copy(list, 0, list, 1024, 4);
        f.readback(list, 0, new byte[4]);
      }
      f.await();
      f.device.close();
      list.close();
      f.close();
    }
  }

  /** Memory that a command used may be freed while the graph is made from the command. */
  @Test
  void buffersAreClosedWhileAGraphIsMade() {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 1);
      for (int i = 0; i < 20; i++) {
        DeviceBuffer own = f.zeros(8);
        f.copy(list, 4, own, 4, 4);
        own.close();
      }
      f.await();
      f.check(list, 1);
    }
  }

  @Test
  void aFailedAllocationEvictsAnIdleGraphAndLaterUsesMakeItAgain() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 5);
      f.await();
      sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
      f.device.allocate(1 << 20, BufferParams.DEVICE).close();
      assertEquals(0, f.graphs().instances());
      f.append(list, 5, 20);
      f.check(list, 20);
      assertEquals(1, f.graphs().instances());
      assertEquals(2, sim.calls(GRAPH_CREATE));
    }
  }

  /** One that was launched often is made again sooner. */
  @ParameterizedTest
  @CsvSource({"5,1", "1010,2"})
  void anEvictedGraphIsMadeAgainSoonIfItWasWorthwhile(int dispatches, int made) {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer numbers = f.zeros(64)) {
      writeConstants(f, numbers, dispatches);
      sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
      f.device.allocate(1 << 20, BufferParams.DEVICE).close();
      writeConstants(f, numbers, 2);
      assertEquals(made, sim.calls(GRAPH_CREATE));
    }
  }

  private static void writeConstants(SingleCommands f, DeviceBuffer numbers, int times) {
    for (int i = 0; i < times; i++) {
      f.dispatch("write_constants", Workgroups.of(1), Args.of(numbers, i, i, i, i));
    }
    f.await();
  }

  @Test
  void aLaunchInFlightKeepsItsGraph() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 5);
      f.await();
      try (HeldStream held = new HeldStream(sim.simulator(), f.device)) {
        f.append(list, 5);
        Waits.awaitTrue("the launch", () -> f.device.statistics().issued() == 1);
        sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
        f.device.allocate(1 << 20, BufferParams.DEVICE).close();
        assertEquals(1, f.graphs().instances());
        held.release();
      }
      f.check(list, 6);
    }
  }

  /** Two kernels in turn that have room for one graph evict each other less and less often. */
  @Test
  void graphMemoryLimitsTheGraphsOfKernels() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on" + ROOM_FOR_ONE);
        DeviceBuffer list = f.list();
        DeviceBuffer numbers = f.zeros(64)) {
      for (int i = 0; i < 200; i++) {
        f.append(list, i);
        f.await(); // a graph in flight is not evicted
        f.dispatch("write_constants", Workgroups.of(1), Args.of(numbers, i, i, i, i));
        assertTrue(f.graphs().bytes() <= 4096, () -> f.graphs().toString());
        f.await();
      }
      f.check(list, 200);
      assertEquals(1, f.graphs().instances());
      long made = sim.calls(GRAPH_CREATE);
      assertTrue(made > 1 && made < 20, () -> made + " graphs for 400 dispatches");
    }
  }

  @Test
  void theLeastRecentlyUsedGraphMakesRoom() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on" + ROOM_FOR_ONE);
        DeviceBuffer list = f.list();
        DeviceBuffer numbers = f.zeros(64)) {
      f.append(list, 0, 10);
      f.await();
      for (int i = 0; i < 10; i++) {
        f.dispatch("write_constants", Workgroups.of(1), Args.of(numbers, i, i, i, i));
        f.await();
      }
      long launches = sim.calls(INSTANCE_LAUNCH);
      f.dispatch("write_constants", Workgroups.of(1), Args.of(numbers, 1, 2, 3, 4));
      f.await();
      assertEquals(launches + 1, sim.calls(INSTANCE_LAUNCH), "the newer kernel has the graph");
      f.append(list, 10);
      f.check(list, 11);
      assertEquals(launches + 1, sim.calls(INSTANCE_LAUNCH), "the older one has none");
      assertEquals(1, f.graphs().instances());
    }
  }
}
