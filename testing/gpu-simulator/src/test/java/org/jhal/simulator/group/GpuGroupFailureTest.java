// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.STREAM_CREATE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Form;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.Device;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.support.Task;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.HeldStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Collectives of a library that do not end, or fail: they fail on all ranks, and devices that are
 * not lost continue.
 */
@ParameterizedClass
@MethodSource("org.jhal.simulator.group.CollectiveVersions#newestAnd21300")
class GpuGroupFailureTest extends SimulatedGroups {
  GpuGroupFailureTest(int version) {
    super(version);
  }

  // A rank that stalls.

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aStalledRankFailsAllRanksAtTheDeadline(int stalled) {
    try (Device here = open(0);
        Device there = open(1)) {
      try (SummingGroup group = new SummingGroup(SHORT, here, there)) {
        group.check();
        collectives().stall(stalled);
        List<TimelineSemaphore> ends = group.start(Fence.NONE);
        List<TimelineSemaphore> behind = group.start(Fence.NONE);
        assertAllFail(ends, Status.DEADLINE_EXCEEDED, LATE);
        assertAllFail(behind, Status.DEADLINE_EXCEEDED, LATE);
        assertHal(Status.DEADLINE_EXCEEDED, present(group.group.failure()));
        assertHal(Status.DEADLINE_EXCEEDED, () -> group.start(Fence.NONE));
        assertAborted();
        collectives().go(stalled);
        SummingGroup.checkUsable(here, there);
      }
      assertNoneLost(here, there);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aStalledRankOfFourFailsAllRanks(int stalled) {
    assumeTrue(sim.four() == 4, "this driver counted its devices while there were two");
    Device[] devices = {open(0), open(1), open(2), open(3)};
    SummingGroup group = new SummingGroup(SHORT, devices);
    group.check();
    collectives().stall(stalled);
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, LATE);
    awaitNoCommunicators();
    assertEquals(4, aborts());
    collectives().go(stalled);
    SummingGroup.checkUsable(devices);
    group.close();
    assertNoneLost(devices);
  }

  /** The library's abort waits for all work of the device, even if it is unrelated to the group. */
  @Test
  void anAbortBesideLongWorkLosesNoDevice() {
    sim.simulator().waitForQuiet();
    try (LongAbortLine longAbort = new LongAbortLine();
        Device here = openLessHasty(0);
        Device there = openLessHasty(1)) {
      SummingGroup group = new SummingGroup(SHORT, here, there);
      group.check();
      HeldStream held = new HeldStream(sim.simulator(), there);
      Timepoint longWork = held.producer();
      collectives().stall(0);
      assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, LATE);
      longAbort.await();
      held.release();
      awaitReached(Fence.of(longWork));
      assertAborted();
      collectives().go(0);
      group.close();
      held.close();
      SummingGroup.checkUsable(here, there);
    }
  }

  /** Its work is behind the aborted work in the devices' streams. */
  @Test
  void anotherGroupWaitsForTheAbortAndContinues() {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(SHORT, here, there);
        SummingGroup other = new SummingGroup(there, here)) {
      other.check();
      collectives().stall(1);
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      awaitLaunched(2);
      List<TimelineSemaphore> others = other.start(Fence.NONE);
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, "deadline");
      collectives().go(1);
      others.forEach(end -> awaitReached(end, 1));
      other.check();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void closingAGroupAbortsAStalledCollective(int stalled) {
    try (Device here = open(0);
        Device there = open(1)) {
      SummingGroup group = new SummingGroup(here, there);
      collectives().stall(stalled);
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      awaitLaunched(1);
      group.group.close();
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed", "within 0.3 s");
      assertAborted();
      collectives().go(stalled);
      SummingGroup.checkUsable(here, there);
      group.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 1", "1, 0", "1, 1"})
  void closingADeviceAbortsAStalledCollective(int closed, int stalled) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    collectives().stall(stalled);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitLaunched(1);
    devices[closed].close();
    assertAllFail(ends.subList(1 - closed, 2 - closed), Status.DEADLINE_EXCEEDED, "was closed");
    assertAborted();
    collectives().go(stalled);
    assertNull(devices[1 - closed].lostCause());
    try (Device again = open(closed)) {
      SummingGroup.checkUsable(devices[1 - closed], again);
    }
    group.close();
  }

  @Test
  void closingADeviceWaitsForARunningCollective() throws Exception {
    Device here = open(0);
    Device there = openPatient(1);
    SummingGroup group = new SummingGroup(here, there);
    collectives().openGap();
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitTrue("a group launched in part", collectives()::isHalfLaunched);
    Task<?> closing = Task.run("close", there::close);
    closing.awaitBlocked();
    collectives().closeGap();
    awaitReached(ends.get(0), 1);
    var unused = closing.join();
    group.close();
  }

  @Test
  void aDeviceIsKeptWhileAGroupIsCreated() throws Exception {
    Device here = open(0);
    Device there = open(1);
    collectives().hang(making());
    Task<CollectiveGroup> making = Task.start("make", () -> CollectiveGroup.of(here, there));
    awaitTrue("the call", () -> collectives().calls().containsKey(making()));
    there.close(); // gives up waiting, and frees nothing yet
    collectives().release(making());
    CollectiveGroup made = making.join();
    assertHal(Status.FAILED_PRECONDITION, present(made.failure()), "was closed");
    assertNull(here.lostCause());
    made.close();
    here.close();
    assertEquals(List.of(), collectives().misuses());
  }

  // Aborts.

  /** The stream of the first rank waits for that of the other one, which stays blocked. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aHangingAbortLosesBothDevices(int stalled) {
    Device here = openLessHasty(0);
    Device there = openLessHasty(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    collectives().stall(stalled);
    collectives().hangAbort(1);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitLaunched(1);
    TimelineSemaphore next = here.createSemaphore(0);
    here.queue(0).barrier(ends.get(0).at(1), next.at(1));
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "deadline");
    HalException behind = awaitFailure(next, 1);
    assertTrue(
        behind.status() == Status.DEADLINE_EXCEEDED || behind.status() == Status.UNAVAILABLE,
        behind::toString);
    awaitTrue("the losses", () -> here.lostCause() != null && there.lostCause() != null);
    assertHal(Status.UNAVAILABLE, present(here.lostCause()), there.toString(), "within 3 s");
    collectives().go(stalled);
    collectives().releaseAbort(1);
    group.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aHangingAbortOfTheFirstRankLosesOnlyItsDevice(int stalled) {
    int hanging = 0;
    Device[] devices = {openLessHasty(0), openLessHasty(1)};
    SummingGroup group = new SummingGroup(SHORT, devices);
    collectives().stall(stalled);
    collectives().hangAbort(hanging);
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, "deadline");
    awaitTrue("the loss", () -> devices[hanging].lostCause() != null);
    assertHal(
        Status.UNAVAILABLE,
        present(devices[hanging].lostCause()),
        "the abort of a collective did not end within 3 s");
    assertNull(devices[1 - hanging].lostCause());
    collectives().go(stalled);
    try (Device alone = open(1 - hanging);
        SummingGroup sound = new SummingGroup(Options.DEFAULT, alone, devices[1 - hanging])) {
      sound.check(); // through the host, but on the device
    }
    collectives().releaseAbort(hanging);
    awaitNoCommunicators();
    group.close();
  }

  @Test
  void hangingAbortsOfBothRanksLoseBothDevices() {
    Device[] devices = {openHasty(0), openHasty(1)};
    SummingGroup group = new SummingGroup(SHORT, devices);
    collectives().stall(1);
    collectives().hangAbort(0);
    collectives().hangAbort(1);
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, "deadline");
    for (Device device : devices) {
      awaitTrue("the loss of " + device, () -> device.lostCause() != null);
      assertHal(Status.UNAVAILABLE, present(device.lostCause()), "within 0.4 s");
    }
    collectives().go(1);
    collectives().releaseAbort(0);
    collectives().releaseAbort(1);
    awaitNoCommunicators();
    group.close();
  }

  // Launches.

  /** Its devices are lost; other devices continue. */
  @Test
  void aHangingLaunchDoesNotBlockOthers() {
    Device here = openHasty(0);
    Device there = openHasty(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    collectives().hang("ncclGroupEnd");
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, "deadline");
    try (Device again = open(1)) {
      again.allocate(64, BufferParams.HOST).close(); // page-locks, which launches keep out
    }
    awaitTrue("the losses", () -> here.lostCause() != null && there.lostCause() != null);
    collectives().release("ncclGroupEnd");
    group.close();
  }

  @ParameterizedTest
  @CsvSource({
    "0, ncclGroupStart, 1",
    "0, ncclAllReduce, 1",
    "0, ncclAllReduce, 2",
    "0, ncclGroupEnd, 1",
    "0, @launch, 1",
    "0, @launch, 2",
    "1, ncclGroupStart, 1",
    "1, ncclAllReduce, 1",
    "1, ncclAllReduce, 2",
    "1, ncclGroupEnd, 1",
    "1, @launch, 1",
    "1, @launch, 2"
  })
  void aFailedLaunchEndsTheGroup(int before, String call, int nth) {
    try (Device here = open(0);
        Device there = open(1)) {
      try (SummingGroup group = new SummingGroup(here, there)) {
        for (int i = 0; i < before; i++) { // the second launch begins with a capture
          group.check();
        }
        collectives().fail(call, nth, 1);
        assertAllFail(
            group.start(Fence.NONE), Status.ABORTED, "returned 1: unhandled device error");
        HalException cause = present(group.group.failure());
        assertHal(Status.ABORTED, cause, "returned 1");
        assertEquals(new NativeCode(1, "unhandled device error"), cause.nativeCode());
        FailedOperation failed = Objects.requireNonNull(cause.operation(), cause::toString);
        assertTrue(failed.kind().endsWith(" of 2 ranks"), failed::toString);
        assertAborted();
        SummingGroup.checkUsable(here, there);
      }
      assertNoneLost(here, there);
    }
  }

  /** The other rank's part waits for it, and is aborted. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void losingADeviceInACollectiveFailsAllRanks(int lost) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    sim.simulator().pause(1 - lost, 0); // so that the part that fails is that of the other one
    sim.simulator().fail("@collective", 1, GpuFault.STICKY_CODE);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitTrue("the loss of " + devices[lost], () -> isLost(devices[lost]));
    assertAllFail(ends, Status.UNAVAILABLE, "719");
    awaitNoCommunicators();
    sim.simulator().resume(1 - lost, 0);
    assertNull(devices[1 - lost].lostCause());
    group.close();
  }

  /** Without the first device, the state of the other rank's part is unknown. */
  @Test
  void aHangingAbortBesideALostDeviceLosesItsOwnDevice() {
    Device[] devices = {openHasty(0), openHasty(1)};
    SummingGroup group = new SummingGroup(devices);
    sim.simulator().pause(1, 0); // so that the part that fails is that of the first
    sim.simulator().fail("@collective", 1, GpuFault.STICKY_CODE);
    collectives().hangAbort(1);
    assertAllFail(group.start(Fence.NONE), Status.UNAVAILABLE, "719");
    sim.simulator().resume(1, 0);
    awaitTrue("the loss of " + devices[1], () -> devices[1].lostCause() != null);
    assertHal(
        Status.UNAVAILABLE,
        present(devices[1].lostCause()),
        "the abort of a collective did not end within 0.4 s");
    collectives().releaseAbort(1);
    awaitNoCommunicators();
    group.close();
  }

  /**
   * Events of the streams of all ranks are recorded, and the first stream waits for the others. If
   * the library detects the loss first, it reports only an error of some device.
   */
  @ParameterizedTest
  @CsvSource({"0, false", "1, false", "0, true", "1, true"})
  void aLossDuringALaunchLosesOnlyThatDevice(int lost, boolean isNoticed) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    group.check();
    if (isNoticed) {
      collectives().fail("ncclAllReduce", 1 + lost, 1);
    }
    sim.failForGood(EVENT_RECORD, 1 + lost, GpuFault.STICKY_CODE);
    assertAllFail(group.start(Fence.NONE), Status.UNAVAILABLE, "719");
    awaitTrue("the loss of " + devices[lost], () -> isLost(devices[lost]));
    awaitNoCommunicators();
    assertNull(devices[1 - lost].lostCause());
    try (Device other = open(1 - lost)) {
      SummingGroup.checkUsable(devices[1 - lost], other);
    }
    group.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aLossDuringTheCreationOfAGroupLosesOnlyThatDevice(int lost) {
    Device[] devices = {open(0), open(1)};
    // Each has a stream for transfers through the host, and then one for the library.
    sim.failForGood(STREAM_CREATE, 3 + lost, GpuFault.STICKY_CODE);
    try (CollectiveGroup group = CollectiveGroup.of(devices)) {
      Form form = group.form(Kind.BROADCAST, null, null);
      assertEquals("host", form.name());
      // A loss of the first device is passed on as it is.
      String reason = lost == 0 ? "returned 719" : "the device of rank 1 is lost";
      assertTrue(form.reason().contains(reason), form::reason);
      assertNull(devices[1 - lost].lostCause());
      awaitTrue("the loss of " + devices[lost], () -> isLost(devices[lost]));
      assertNull(devices[1 - lost].lostCause());
    }
    assertEquals(0, collectives().live());
  }
}
