// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.cts.support.Waits.isOver;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.support.Task;
import org.jhal.engine.EngineDevice;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.HeldStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Collectives of a library that fail or are closed before the work that they wait for on devices is
 * over.
 */
class GpuGroupStartFailureTest extends SimulatedGroups {
  private static final String WHY = "the cable was pulled";

  // Failures.

  /** The streams of the producer and of the ranks continue. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void losingTheProducersDeviceFailsAllRanks(boolean isClosed) throws Exception {
    Device here = openPatient(0); // otherwise it is lost if it waits longer than its close-timeout
    Device there = openPatient(1);
    Device producing = openApart();
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(producing);
    TimelineSemaphore behind = there.createSemaphore(0);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    there.queue(0).barrier(all(ends), behind.at(1));
    List<TimelineSemaphore> next = group.start(all(ends));
    awaitLaunched(2);
    Task<?> closing = Task.run("close", () -> {});
    if (isClosed) {
      closing = Task.run("close", producing::close);
    } else {
      ((EngineDevice<?>) producing).lose(new HalException(Status.UNAVAILABLE, WHY));
    }
    Status status = isClosed ? Status.DEADLINE_EXCEEDED : Status.UNAVAILABLE;
    String why = isClosed ? "was closed" : WHY;
    assertAllFail(ends, status, why);
    assertAllFail(next, status, why);
    assertEnded(group, status, why);
    stream.release();
    assertHal(status, awaitFailure(behind, 1), why); // when its own stream is past them
    SummingGroup.checkUsable(here, there);
    group.close();
    behind.close();
    var unused = closing.join();
  }

  /** Devices whose streams never pass the work of a lost device are lost, as always. */
  @Test
  void aLostProducerThatNeverEndsLosesTheRanksDevices() {
    Device here = openHasty(0);
    Device there = openHasty(1);
    Device producing = openApart();
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(producing);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    ((EngineDevice<?>) producing).lose(new HalException(Status.UNAVAILABLE, WHY));
    assertAllFail(ends, Status.UNAVAILABLE, WHY);
    awaitTrue("the losses", () -> here.lostCause() != null && there.lostCause() != null);
    stream.release();
    group.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void losingARankBeforeTheStartFailsAllRanks(int lost) {
    Device[] devices = {open(0), open(1)};
    Device producing = openApart();
    SummingGroup group = new SummingGroup(devices);
    HeldStream stream = hold(producing);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    ((EngineDevice<?>) devices[lost]).lose(new HalException(Status.UNAVAILABLE, WHY));
    assertAllFail(ends, Status.UNAVAILABLE, WHY);
    assertEnded(group, Status.UNAVAILABLE, WHY);
    assertPending(stream.timeline(), 2);
    stream.release();
    awaitReached(stream.timeline(), 2);
    try (Device again = open(lost)) {
      SummingGroup.checkUsable(devices[1 - lost], again);
    }
    assertNoneLost(devices[1 - lost], producing);
    group.close();
  }

  /** First the stream of the collectives is made to wait, and then that of each rank. */
  @ParameterizedTest
  @CsvSource({"2, 0", "3, 1"})
  void aLossDetectedAtTheStartLosesOnlyThatRank(int nth, int lost) {
    Device[] devices = {open(0), open(1)};
    SummingGroup group = new SummingGroup(devices);
    HeldStream stream = hold(devices[1 - lost]);
    Timepoint producer = stream.producer();
    sim.failForGood(STREAM_WAIT_EVENT, nth, GpuFault.STICKY_CODE);
    assertAllFail(group.start(producer), Status.UNAVAILABLE, "719");
    assertEnded(group, Status.UNAVAILABLE, "719");
    assertEquals(0, launches());
    stream.release();
    flush(devices[1 - lost]);
    assertNoneLost(devices[1 - lost]);
    group.close();
  }

  @Test
  void aFailedStartEndsTheGroupAtOnce() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    Timepoint producer = stream.producer();
    sim.fail(STREAM_WAIT_EVENT, 3, GpuFault.PLAIN_CODE);
    List<TimelineSemaphore> ends = group.start(producer);
    awaitFailure(ends.get(0), 1);
    awaitFailure(ends.get(1), 1);
    awaitTrue("the group to end", () -> group.group.failure() != null);
    assertEquals(0, launches());
    assertPending(stream.timeline(), 2);
    stream.release();
    SummingGroup.checkUsable(here, there);
    group.close();
  }

  /** As with a host wait, the timeline has the value of the producer. */
  @Test
  void aCollectiveThatCannotBeginFailsAfterItsProducer() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(here);
    startWithoutMemory(group, stream.producer(), stream.timeline().at(3));
    CompletableFuture<?> produced = stream.timeline().whenReached(2);
    assertStaysPending(stream.timeline().at(2).and(stream.timeline().at(3)));
    stream.release();
    awaitTrue("the producer's value", produced::isDone);
    assertFalse(produced.isCompletedExceptionally());
    assertHal(Status.FAILED_PRECONDITION, awaitFailure(stream.timeline(), 3), "alloca");
    assertNull(group.group.failure());
    assertEquals(0, launches());
    group.check();
    group.close();
  }

  /** Starts a broadcast whose first rank has memory that is never allocated. */
  private void startWithoutMemory(SummingGroup group, Timepoint producer, Timepoint end) {
    Device here = group.devices.get(0);
    try (TimelineSemaphore never = here.createSemaphore(0);
        TimelineSemaphore allocated = here.createSemaphore(0);
        DeviceBuffer missing =
            here.queue(0).alloca(never.at(1), allocated.at(1), 4, BufferParams.DEVICE);
        DeviceBuffer present = group.devices.get(1).allocate(4, BufferParams.DEVICE)) {
      group.group.broadcast(
          0,
          List.of(
              new Rank(producer, end, missing, null),
              new Rank(Fence.NONE, Fence.NONE, null, present)));
      awaitTrue("the issue", () -> sim.calls(STREAM_WAIT_EVENT) > 0);
    }
  }

  /** The group continues, as after a lack of memory. */
  @Test
  void aCollectiveThatDoesNotGetItsTurnFailsAlone() throws Exception {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    Device apart = openApart();
    try (HeldGate gate = new HeldGate(apart)) {
      assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, "other groups, did not end");
    }
    assertNull(group.group.failure());
    assertEquals(0, launches());
    group.check();
    assertEquals(0, aborts());
    assertNoneLost(here, there);
    group.close();
  }

  /** As with a host wait. */
  @Test
  void aCollectiveThatDoesNotGetItsTurnFailsAfterItsProducer() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = new ArrayList<>();
    try (HeldGate gate = new HeldGate(openApart())) {
      ends.addAll(group.start(stream.producer()));
      assertFalse(
          becomesTrue(SHORT.deadline().multipliedBy(2), () -> isOver(ends.get(0), 1)),
          "an end before that of the producer");
    }
    stream.release();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "other groups, did not end");
    assertEquals(0, launches());
    assertNull(group.group.failure());
    group.check();
    group.close();
  }

  // Closing.

  @Test
  void closingAGroupFailsCollectivesThatHaveNotStarted() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    group.group.close();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed", "within 0.3 s");
    assertEquals(0, aborts(), "aborts of collectives that have not started");
    stream.release();
    SummingGroup.checkUsable(here, there);
    group.close();
  }

  @Test
  void closingAGroupAwaitsACollectiveThatStarts() throws Exception {
    Device here = openPatient(0);
    Device there = openPatient(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    Task<?> closing = Task.run("close", group.group::close);
    closing.awaitBlocked();
    stream.release();
    awaitReached(all(ends));
    var unused = closing.join();
    assertEquals(0, aborts());
    group.close();
  }

  /** Only its waits are in a stream. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closingDoesNotAwaitACollectiveThatCouldNotBegin(boolean closesGroup) throws Exception {
    Device here = openPatient(0);
    Device there = openPatient(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(here);
    TimelineSemaphore end = here.createSemaphore(0);
    startWithoutMemory(group, stream.producer(), end.at(1));
    Task<?> closing = Task.run("close", closesGroup ? group.group::close : there::close);
    assertHal(Status.FAILED_PRECONDITION, awaitFailure(end, 1), "alloca"); // the first cause
    var unused = closing.join();
    assertPending(stream.timeline(), 2);
    assertEquals(0, launches());
    stream.release();
    awaitReached(stream.timeline(), 2);
    end.close();
    group.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void closingADeviceFailsCollectivesThatHaveNotStarted(int closed) {
    Device[] devices = {open(0), open(1)};
    Device producing = openApart();
    SummingGroup group = new SummingGroup(devices);
    HeldStream stream = hold(producing);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    devices[closed].close();
    assertAllFail(ends.subList(1 - closed, 2 - closed), Status.DEADLINE_EXCEEDED, "was closed");
    assertEnded(group, Status.FAILED_PRECONDITION, "was closed");
    assertEquals(0, aborts(), "aborts of collectives that have not started");
    stream.release();
    awaitTrue("its end", () -> isOver(stream.timeline(), 2));
    try (Device again = open(closed)) {
      SummingGroup.checkUsable(devices[1 - closed], again);
    }
    assertNoneLost(devices[1 - closed], producing);
    group.close();
  }
}
