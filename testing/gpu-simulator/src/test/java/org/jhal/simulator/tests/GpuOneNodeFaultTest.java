// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_COPY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_CREATE;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_INSTANTIATE;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_COPY;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_UPLOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls on graphs of one node that fail. */
@Timeout(60)
class GpuOneNodeFaultTest {
  private static final int OUT_OF_MEMORY = 2;
  private static final int INVALID_VALUE = 1;
  private static final int LOST = 719;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  @BeforeEach
  void begin() {
    sim.assumeNodesAreSetInFlight();
  }

  /** A call on a graph. */
  enum Call {
    CREATE,
    ADD,
    INSTANTIATE,
    UPLOAD,
    SET,
    LAUNCH;

    NativeCall of() {
      return switch (this) {
        case CREATE -> GRAPH_CREATE;
        case ADD -> GRAPH_ADD_KERNEL;
        case INSTANTIATE -> GRAPH_INSTANTIATE;
        case UPLOAD -> INSTANCE_UPLOAD;
        case SET -> INSTANCE_SET_KERNEL;
        case LAUNCH -> INSTANCE_LAUNCH;
      };
    }

    /**
     * Uses of a kernel before the first one that makes the call: a graph has its first arguments.
     */
    int usesBefore() {
      return this == SET ? 2 : 1;
    }

    String shortName(SimulatedDevices sim) {
      return sim.shortName(of()).replace("WithFlags", "");
    }
  }

  /** What a graph refuses is launched plainly, and after some uses it is tried again. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LAUNCH")
  void aRefusalIsLaunchedPlainly(Call call) {
    for (int code : new int[] {OUT_OF_MEMORY, INVALID_VALUE}) {
      try (SingleCommands f = new SingleCommands(sim, "&graph=on");
          DeviceBuffer list = f.list()) {
        f.append(list, 0, call.usesBefore());
        f.await();
        sim.fail(call.of(), 1, code);
        long before = sim.calls(INSTANCE_LAUNCH);
        f.append(list, call.usesBefore());
        f.await();
        assertEquals(before, sim.calls(INSTANCE_LAUNCH), "launches of a graph that was refused");
        f.append(list, call.usesBefore() + 1, 20);
        f.check(list, 20);
        assertTrue(sim.calls(INSTANCE_LAUNCH) > before, "a later try");
        assertEquals(1, f.graphs().instances());
        assertNull(f.device.lostCause());
      }
    }
  }

  @Test
  void aRefusalInTheBackgroundIsTriedAgain() {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer list = f.list()) {
      sim.fail(GRAPH_INSTANTIATE, 1, INVALID_VALUE);
      f.append(list, 0, 4);
      sim.awaitCalls(GRAPH_DESTROY, 1);
      Waits.awaitTrue("the refused graph to be gone", () -> f.graphs().bytes() == 0);
      f.append(list, 4, 200);
      Waits.awaitTrue("another try", () -> sim.calls(GRAPH_CREATE) == 2);
      f.awaitGraphs(1);
      f.check(list, 200);
    }
  }

  /** A failed launch is not repeated, since it may have reached the stream. */
  @Test
  void aFailedLaunchFailsItsOperation() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list();
        TimelineSemaphore failing = f.device.createSemaphore(0)) {
      f.append(list, 0, 5);
      f.await();
      sim.fail(INSTANCE_LAUNCH, 1, INVALID_VALUE);
      f.device
          .queue(0)
          .dispatch(
              Fence.NONE,
              failing.at(1),
              f.kernels.kernel("append"),
              Workgroups.of(1),
              Args.of(list, 99));
      assertHal(Status.INVALID_ARGUMENT, awaitFailure(failing, 1), sim.shortName(INSTANCE_LAUNCH));
      long before = sim.calls(INSTANCE_LAUNCH);
      f.append(list, 5);
      f.await();
      assertEquals(before, sim.calls(INSTANCE_LAUNCH), "the graph is out of use");
      f.append(list, 6, 30);
      f.check(list, 30);
      assertTrue(sim.calls(INSTANCE_LAUNCH) > before, "another graph");
      assertEquals(1, f.graphs().instances());
    }
  }

  /** The instance that refuses is destroyed only behind its launches. */
  @Test
  void aRefusalWithLaunchesInFlight() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 5);
      f.await();
      try (HeldStream held = new HeldStream(sim.simulator(), f.device)) {
        f.append(list, 5, 10);
        Waits.awaitTrue("5 launches in the stream", () -> f.device.statistics().issued() == 5);
        sim.fail(INSTANCE_SET_KERNEL, 1, INVALID_VALUE);
        f.append(list, 10, 30);
        Waits.awaitTrue("25 dispatches", () -> f.device.statistics().issued() == 25);
        assertEquals(0, sim.calls(INSTANCE_DESTROY));
        held.release();
      }
      f.check(list, 30);
      f.append(list, 30, 50);
      f.check(list, 50);
      sim.awaitCalls(INSTANCE_DESTROY, 1);
      f.awaitGraphs(1);
    }
  }

  @Test
  void aRefusedCopyIsIssuedPlainly() {
    for (NativeCall call : List.of(GRAPH_ADD_COPY, INSTANCE_SET_COPY)) {
      try (SingleCommands f = new SingleCommands(sim, "&graph=on");
          DeviceBuffer numbers = f.list()) {
        sim.fail(call, 1, INVALID_VALUE);
        f.append(numbers, 0, 20);
        for (int i = 0; i < 20; i++) {
          f.copy(numbers, 4L + 4 * i, numbers, 400L + 4 * i, 4);
        }
        byte[] read = f.read(numbers, 480);
        for (int i = 0; i < 20; i++) {
          assertEquals(i, read[400 + 4 * i]);
        }
      }
    }
  }

  @Test
  void aRefusedReadbackIsIssuedPlainly() {
    for (NativeCall call : List.of(GRAPH_ADD_COPY, GRAPH_INSTANTIATE, INSTANCE_SET_COPY)) {
      try (SingleCommands f = new SingleCommands(sim, "&graph=on");
          DeviceBuffer numbers = f.numbers()) {
        sim.fail(call, 1, INVALID_VALUE);
        long before = sim.calls(INSTANCE_LAUNCH);
        for (int i = 0; i < 20; i++) {
          byte[] read = new byte[8];
          f.readback(numbers, 4L * i, read);
          f.await();
          assertBytes(ints(i, i + 1), read, "readback " + i);
        }
        assertTrue(sim.calls(INSTANCE_LAUNCH) > before, "a later try");
        assertNull(f.device.lostCause());
      }
    }
  }

  /** The staging memory and the program's memory are given back, and nothing is written late. */
  @Test
  void aFailedReadbackFailsItsOperation() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer numbers = f.numbers();
        TimelineSemaphore failing = f.device.createSemaphore(0)) {
      for (int i = 0; i < 3; i++) {
        assertBytes(ints(0, 1), f.read(numbers, 8), "before");
      }
      sim.fail(INSTANCE_LAUNCH, 1, INVALID_VALUE);
      HostMemory memory = HostMemory.of(new byte[8]);
      f.device.queue(0).readback(Fence.NONE, failing.at(1), numbers, 0, memory);
      assertHal(Status.INVALID_ARGUMENT, awaitFailure(failing, 1), sim.shortName(INSTANCE_LAUNCH));
      Waits.awaitTrue("the memory to be free", () -> !memory.isBorrowed());
      for (int i = 0; i < 20; i++) {
        assertBytes(ints(0, 1), f.read(numbers, 8), "afterwards");
      }
      assertEquals(1, f.graphs().instances(), "another graph");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLossReportedByAnyCallLosesTheDevice(Call call) {
    SingleCommands f = new SingleCommands(sim, "&graph=on");
    DeviceBuffer list = f.list();
    f.append(list, 0, call.usesBefore());
    f.await();
    Waits.awaitRetired(f.device); // no event is left that could report the loss first
    sim.failForGood(call.of(), LOST);
    f.append(list, call.usesBefore());
    Waits.awaitTrue("the loss", () -> f.device.lostCause() != null);
    HalException lost = Objects.requireNonNull(f.device.lostCause(), "the cause");
    assertHal(Status.UNAVAILABLE, lost, call.shortName(sim), "719");
    list.close();
    f.close();
    awaitFreed();
  }

  @Test
  void aLossInTheBackgroundLosesTheDevice() {
    SingleCommands f = new SingleCommands(sim, "");
    DeviceBuffer list = f.list();
    f.append(list, 0, 3);
    f.await();
    sim.failForGood(GRAPH_INSTANTIATE, LOST);
    f.append(list, 3);
    Waits.awaitTrue("the loss", () -> f.device.lostCause() != null);
    list.close();
    f.close();
    awaitFreed();
  }

  /** Waits for the memory, which is freed when the stream of the lost device has ended. */
  private void awaitFreed() {
    Waits.awaitTrue("the memory to be freed", () -> !sim.live().containsKey("memory"));
  }
}
