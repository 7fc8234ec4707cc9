// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.simulator.fixture.NativeCall.CAPTURE_BEGIN;
import static org.jhal.simulator.fixture.NativeCall.CAPTURE_END;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_INSTANTIATE;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Task;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.spi.DurationText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives that are repeated, which become graphs: their launches, failures and ends. */
class GpuGroupGraphTest extends SimulatedGroups {
  /** A call is captured at its second launch. */
  private static final int REPEATED = 2;

  /** How often the library is called for a call: two launches, and the capture. */
  private static final int CALLS = REPEATED + 1;

  /** How many different calls a group remembers. */
  private static final int MOST = 128;

  /** A code of the runtime that loses nothing. */
  private static final int OUT_OF_MEMORY = 2;

  private long sums() {
    return collectives().calls().getOrDefault("ncclAllReduce", 0L);
  }

  private long graphs() {
    return collectives().captured();
  }

  private void repeat(SummingGroup group) {
    for (int i = 0; i < REPEATED; i++) {
      group.check();
    }
    assertEquals(2, graphs());
  }

  // Launches.

  @Test
  void aRepeatedCallNeedsNoCallOfTheLibrary() {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      group.check();
      assertEquals(0, graphs());
      for (int i = 0; i < 10; i++) {
        group.check();
      }
      assertEquals(2 * CALLS, sums());
      assertEquals(2, graphs());
      assertEquals(11, launches());
    }
  }

  /** On a GPU it may have the address of memory that was freed, as the suite tests there. */
  @Test
  void newMemoryIsUsed() {
    try (Device here = open(0);
        Device there = open(1);
        CollectiveGroup group = CollectiveGroup.of(here, there)) {
      for (int round = 0; round < 8; round++) {
        try (DeviceBuffer one = SummingGroup.buffer(here, ints(round));
            DeviceBuffer two = SummingGroup.buffer(there, ints(100))) {
          sum(group, one, two, 0, 4);
          assertBytes(ints(round + 100), SummingGroup.content(here, one), "rank 0");
          assertBytes(ints(round + 100), SummingGroup.content(there, two), "rank 1");
        }
      }
    }
  }

  @Test
  void aGroupOfOneRepeats() {
    try (Device here = open(0);
        SummingGroup group = new SummingGroup(here)) {
      for (int i = 0; i < 6; i++) {
        group.check();
      }
      assertEquals(CALLS, sums());
    }
  }

  @Test
  void aRankWithoutAPartHasNoGraph() {
    assumeTrue(sim.four() == 4, "this driver counted its devices while there were two");
    try (Device one = open(0);
        Device two = open(1);
        Device three = open(2);
        CollectiveGroup group = CollectiveGroup.of(one, two, three);
        DeviceBuffer source = SummingGroup.buffer(two, ints(7));
        DeviceBuffer target = SummingGroup.buffer(three, ints(0));
        TimelineSemaphore done = one.createSemaphore(0)) {
      for (int i = 1; i <= 5; i++) {
        group.sendReceive(
            1,
            2,
            List.of(
                new Rank(Fence.NONE, done.at(i), null, null),
                new Rank(Fence.NONE, Fence.NONE, source, null),
                new Rank(Fence.NONE, Fence.NONE, null, target)));
        awaitReached(done, i);
        assertBytes(ints(7), SummingGroup.content(three, target), "rank 2");
      }
      assertEquals(2, graphs());
      assertEquals(CALLS, collectives().calls().get("ncclSend"));
    }
  }

  @Test
  void theOldestGraphsAreDestroyed() {
    int calls = MOST + 2;
    try (Device here = open(0);
        Device there = open(1);
        CollectiveGroup group = CollectiveGroup.of(here, there);
        DeviceBuffer one = SummingGroup.buffer(here, new byte[4 * calls]);
        DeviceBuffer two = SummingGroup.buffer(there, new byte[4 * calls])) {
      for (int call = 0; call < calls; call++) {
        for (int i = 0; i < REPEATED; i++) {
          sum(group, one, two, 4L * call, 4);
        }
      }
      assertEquals(2 * MOST, graphs());
      sum(group, one, two, 0, 4); // is forgotten
      assertEquals(2 * (CALLS * calls + 1), sums());
      assertEquals(2 * (MOST - 1), graphs());
      sum(group, one, two, 4L * (calls - 1), 4); // is not
      assertEquals(2 * (CALLS * calls + 1), sums());
    }
  }

  /** The library's objects are kept for it, and the graphs with them. */
  @Test
  void theNextGroupOfTheSameDevicesRepeatsToo() {
    try (Device here = open(0);
        Device there = open(1)) {
      try (SummingGroup group = new SummingGroup(here, there)) {
        repeat(group);
      }
      try (SummingGroup group = new SummingGroup(here, there)) {
        group.check();
        group.check();
        long before = sums();
        group.check();
        group.check();
        assertEquals(before, sums());
      }
      assertEquals(0, aborts());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void withoutGraphsOnADeviceAllIsLaunchedByTheLibrary(int without) {
    try (Device here = open(0, without == 0 ? "&graph=off" : "");
        Device there = open(1, without == 1 ? "&graph=off" : "");
        SummingGroup group = new SummingGroup(here, there)) {
      for (int i = 0; i < 5; i++) {
        group.check();
      }
      assertEquals(2 * 5, sums());
      assertEquals(0, sim.calls(CAPTURE_BEGIN));
    }
  }

  private static void sum(
      CollectiveGroup group, DeviceBuffer one, DeviceBuffer two, long offset, long length) {
    DeviceBuffer of = one.slice(offset, length);
    DeviceBuffer with = two.slice(offset, length);
    try (TimelineSemaphore first = group.devices().get(0).createSemaphore(0);
        TimelineSemaphore second = group.devices().get(1).createSemaphore(0)) {
      group.allReduce(
          Reduction.SUM,
          ElementType.I32,
          List.of(
              new Rank(Fence.NONE, first.at(1), of, of),
              new Rank(Fence.NONE, second.at(1), with, with)));
      awaitReached(first, 1);
      awaitReached(second, 1);
    }
  }

  // Refusals.

  /** The library launches it then, each time. */
  @ParameterizedTest
  @CsvSource({"begin, 1", "begin, 2", "end, 1", "end, 2", "instantiate, 1", "instantiate, 2"})
  void aRefusedGraphIsDoneWithout(String step, int nth) {
    NativeCall function =
        switch (step) {
          case "begin" -> CAPTURE_BEGIN;
          case "end" -> CAPTURE_END;
          default -> GRAPH_INSTANTIATE;
        };
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      sim.fail(function, nth, OUT_OF_MEMORY);
      for (int i = 0; i < 5; i++) {
        group.check();
      }
      assertEquals(0, graphs());
      assertEquals(2 * 5 + (step.equals("begin") ? 0 : 2), sums()); // put into the capture as well
    }
  }

  // Failures.

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aStalledRankFailsAllRanksAtTheDeadline(int stalled) {
    try (Device here = open(0);
        Device there = open(1)) {
      try (SummingGroup group = new SummingGroup(SHORT, here, there)) {
        repeat(group);
        collectives().stall(stalled);
        List<TimelineSemaphore> ends = group.start(Fence.NONE);
        List<TimelineSemaphore> behind = group.start(Fence.NONE);
        assertAllFail(ends, Status.DEADLINE_EXCEEDED, LATE);
        assertAllFail(behind, Status.DEADLINE_EXCEEDED, LATE);
        assertAborted();
        collectives().go(stalled);
        SummingGroup.checkUsable(here, there);
      }
      assertNoneLost(here, there);
    }
  }

  /**
   * Another call holds a lock of the runtime and waits for the kernel of the first rank, for
   * example. The library tells that to end, and only then a launch of graphs returns. The launch
   * under way may also be the capture, or the first one of the graphs.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 6})
  void aLaunchThatHangsBetweenTwoRanksIsAborted(int before) {
    try (Device here = open(0);
        Device there = open(1)) {
      try (SummingGroup group = new SummingGroup(SHORT, here, there)) {
        for (int i = 0; i < before; i++) {
          group.check();
        }
        collectives().openGap();
        assertAllFail(
            group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, DurationText.of(SHORT.deadline()));
        assertAborted();
        collectives().closeGap();
        SummingGroup.checkUsable(here, there);
      }
      assertNoneLost(here, there);
    }
  }

  /** The library is at work on the captures, and is told to end first. */
  @Test
  void closingTheGroupDuringACaptureAbortsIt() throws Exception {
    try (Device here = open(0);
        Device there = open(1)) {
      SummingGroup group = new SummingGroup(here, there);
      group.check();
      collectives().openGap();
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      awaitTrue("one capture", () -> graphs() == 1);
      Task<?> closing = Task.run("close", group.group::close);
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed", "within 0.3 s");
      assertAborted();
      var unused = closing.join();
      collectives().closeGap();
      SummingGroup.checkUsable(here, there);
      group.close();
    }
  }

  @Test
  void closingTheGroupAbortsAGraph() {
    try (Device here = open(0);
        Device there = open(1)) {
      SummingGroup group = new SummingGroup(here, there);
      repeat(group);
      collectives().stall(1);
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      awaitLaunched(REPEATED + 1);
      group.group.close();
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed", "within 0.3 s");
      assertAborted();
      collectives().go(1);
      SummingGroup.checkUsable(here, there);
      group.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void closingADeviceEndsItsGraphs(int closed) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    repeat(group);
    group.group.close();
    assertEquals(2, graphs()); // kept with what the library has
    devices[closed].close();
    awaitNoCommunicators();
    assertEquals(0, graphs());
    assertEquals(0, aborts());
    assertNull(devices[1 - closed].lostCause());
    group.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFailedLaunchEndsTheGroup(int nth) {
    try (Device here = open(0);
        Device there = open(1)) {
      try (SummingGroup group = new SummingGroup(here, there)) {
        repeat(group);
        sim.fail(INSTANCE_LAUNCH, nth, OUT_OF_MEMORY);
        assertAllFail(group.start(Fence.NONE), Status.RESOURCE_EXHAUSTED, "returned 2");
        assertHal(Status.RESOURCE_EXHAUSTED, present(group.group.failure()), "returned 2");
        assertAborted();
        SummingGroup.checkUsable(here, there);
      }
      assertNoneLost(here, there);
    }
  }

  @ParameterizedTest
  @CsvSource({"launch, 0", "launch, 1", "begin, 0", "begin, 1", "instantiate, 0", "instantiate, 1"})
  void aLossLosesOnlyThatDevice(String step, int lost) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    NativeCall function = INSTANCE_LAUNCH;
    if (step.equals("launch")) {
      repeat(group);
    } else {
      group.check();
      function = step.equals("begin") ? CAPTURE_BEGIN : GRAPH_INSTANTIATE;
    }
    sim.failForGood(function, 1 + lost, GpuFault.STICKY_CODE);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitTrue("the loss of " + devices[lost], () -> isLost(devices[lost]));
    assertAllFail(ends, Status.UNAVAILABLE, "719");
    awaitNoCommunicators();
    assertNull(devices[1 - lost].lostCause());
    assertEquals(0, graphs());
    group.close();
  }
}
