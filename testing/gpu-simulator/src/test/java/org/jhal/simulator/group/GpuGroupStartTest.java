// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.simulator.fixture.HeldStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Collectives of a library that are launched while the work that they wait for still runs on
 * devices: they begin when it is over, on all ranks, without the host.
 */
class GpuGroupStartTest extends SimulatedGroups {
  // Waits.

  /** The host takes no part: the first of the chain has not begun when the last is launched. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aChainIsLaunchedBeforeItBegins(int producing) {
    Device[] devices = {open(0), open(1), openApart()};
    try (SummingGroup group = new SummingGroup(devices[0], devices[1])) {
      HeldStream stream = hold(devices[producing]);
      List<TimelineSemaphore> first = group.start(stream.producer());
      List<TimelineSemaphore> second = group.start(all(first));
      List<TimelineSemaphore> third = group.start(all(second));
      awaitLaunched(3);
      flush(devices[producing == 0 ? 1 : 0]);
      assertEquals(0, collectives().reached(), "kernels that wait for a producer");
      assertPending(first.get(0), 1);
      stream.release();
      awaitReached(all(third));
      group.check();
      assertNoneLost(devices);
    }
  }

  /** On each device they are in one stream, in this order. */
  @Test
  void collectivesOfTheSameDevicesNeedNoEventBetween() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(here, there);
        SummingGroup other = new SummingGroup(there, here)) {
      HeldStream stream = hold(there);
      List<TimelineSemaphore> ends = group.start(stream.producer());
      awaitLaunched(1);
      sim.awaitCalls(STREAM_WAIT_EVENT, 5); // for the producer, for the start, and for both ranks
      ends = group.start(all(ends));
      awaitLaunched(2);
      sim.awaitCalls(STREAM_WAIT_EVENT, 7); // for both ranks
      ends = other.start(all(ends));
      awaitLaunched(3);
      // For the one before, which has two timelines, and for both ranks.
      sim.awaitCalls(STREAM_WAIT_EVENT, 11);
      assertEquals(0, collectives().reached(), "kernels that wait for a producer");
      stream.release();
      awaitReached(all(ends));
      assertEquals(11, sim.calls(STREAM_WAIT_EVENT));
      group.check();
      other.check();
    }
  }

  @Test
  void aCollectiveWaitsForEveryProducer() {
    Device[] devices = {open(0), open(1), openApart()};
    try (SummingGroup group = new SummingGroup(devices[0], devices[1])) {
      List<HeldStream> streams = new ArrayList<>();
      Fence waits = Fence.NONE;
      for (Device device : devices) {
        streams.add(hold(device));
        waits = waits.and(streams.get(streams.size() - 1).producer());
      }
      List<TimelineSemaphore> ends = group.start(waits);
      awaitLaunched(1);
      for (HeldStream stream : streams) {
        assertStaysPending(all(ends));
        assertEquals(0, collectives().reached(), "kernels that wait for a producer");
        stream.release();
      }
      awaitReached(all(ends));
      streams.forEach(HeldStream::close);
      group.check();
    }
  }

  /** The host waits for values that only it can see, before any part gets into a stream. */
  @Test
  void aCollectiveWaitsForTheHostBeforeTheLaunch() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(here, there);
        TimelineSemaphore host = here.createSemaphore(0)) {
      HeldStream stream = hold(there);
      List<TimelineSemaphore> ends = group.start(host.at(1).and(stream.producer()));
      awaitReached(all(group.start(Fence.NONE))); // it is held up by nothing
      assertEquals(1, launches());
      host.signal(1);
      awaitLaunched(2);
      assertPending(ends.get(0), 1);
      stream.release();
      awaitReached(all(ends));
    }
  }

  /** No stream waits for a device that shares nothing, and its streams wait for no other device. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void devicesThatShareNoEventsWaitOnTheHost(int alone) {
    Device[] devices = {
      open(0, alone == 0 ? "&peers=none" : ""), open(1, alone == 1 ? "&peers=none" : "")
    };
    try (SummingGroup group = new SummingGroup(devices)) {
      for (Device producing : devices) {
        HeldStream stream = hold(producing);
        List<TimelineSemaphore> ends = group.start(stream.producer());
        assertStaysPending(all(ends));
        awaitReached(all(group.start(Fence.NONE))); // it is held up by nothing
        stream.release();
        awaitReached(all(ends));
      }
    }
  }

  /** As any operation, it then depends on its producer, and no longer on the timeline. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTimelineFailureAfterTheLaunchChangesNothing(boolean isClosed) {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(here, there)) {
      HeldStream stream = hold(there);
      List<TimelineSemaphore> ends = group.start(stream.producer());
      awaitLaunched(1);
      if (isClosed) {
        stream.timeline().close();
      } else {
        stream.timeline().fail(new HalException(Status.ABORTED, "enough"));
      }
      assertStaysPending(all(ends));
      stream.release();
      awaitReached(all(ends));
      group.check();
    }
  }

  /** While it still waits on the host, it depends on the timeline. */
  @Test
  void aTimelineFailureBeforeTheLaunchFailsTheCollective() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(here, there);
        TimelineSemaphore host = here.createSemaphore(0)) {
      HeldStream stream = hold(there);
      List<TimelineSemaphore> ends = group.start(host.at(1).and(stream.producer()));
      stream.timeline().fail(new HalException(Status.ABORTED, "enough"));
      assertAllFail(ends, Status.ABORTED, "enough");
      stream.release();
      assertNull(group.group.failure());
      group.check();
    }
  }

  /** Each device's groups run in the order of their launches, and wait only for earlier work. */
  @Test
  void groupsOfTheSameDevicesMayBeLaunchedInAnyOrder() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup one = new SummingGroup(here, there);
        SummingGroup two = new SummingGroup(there, here)) {
      HeldStream mine = hold(here);
      HeldStream theirs = hold(there);
      List<TimelineSemaphore> first = one.start(theirs.producer());
      awaitLaunched(1);
      List<TimelineSemaphore> second = two.start(mine.producer());
      awaitLaunched(2);
      List<TimelineSemaphore> third = one.start(all(second));
      List<TimelineSemaphore> fourth = two.start(all(first));
      awaitLaunched(4);
      mine.release(); // the producer of the first launch ends last
      assertStaysPending(all(second));
      theirs.release();
      awaitReached(all(first).and(all(second)).and(all(third)).and(all(fourth)));
      mine.close();
      theirs.close();
      one.check();
      two.check();
    }
  }

  // Deadlines.

  @Test
  void theDeadlineExcludesTheTimeBeforeTheStart() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(SHORT, here, there)) {
      HeldStream stream = hold(there);
      List<TimelineSemaphore> ends = group.start(stream.producer());
      List<TimelineSemaphore> next = group.start(all(ends));
      awaitLaunched(2);
      assertNotLate(group, ends);
      next.forEach(end -> assertPending(end, 1));
      stream.release();
      awaitReached(all(next));
      group.check();
    }
  }

  @Test
  void aCollectiveThatStallsAfterTheStartMissesItsDeadline() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(SHORT, here, there)) {
      HeldStream stream = hold(there);
      collectives().stall(1);
      List<TimelineSemaphore> ends = group.start(stream.producer());
      List<TimelineSemaphore> next = group.start(all(ends));
      awaitLaunched(2);
      assertStaysPending(all(ends));
      assertNull(group.group.failure());
      stream.release();
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, LATE);
      assertAllFail(next, Status.DEADLINE_EXCEEDED, LATE);
      awaitTrue("both aborts", () -> aborts() == 2);
      collectives().go(1);
      SummingGroup.checkUsable(here, there);
    }
  }

  /** The second one waits for a kernel that waits for the first one, which only an abort ends. */
  @Test
  void anAbortDoesNotWaitForWorkThatDependsOnIt() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(SHORT, here, there);
        TimelineSemaphore between = there.createSemaphore(0)) {
      collectives().stall(1);
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      there.queue(0).barrier(all(ends), between.at(1));
      List<TimelineSemaphore> next = group.start(between.at(1));
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, LATE);
      assertAllFail(next, Status.DEADLINE_EXCEEDED, LATE);
      awaitTrue("both aborts", () -> aborts() == 2);
      collectives().go(1);
      SummingGroup.checkUsable(here, there);
    }
  }

  /** A library waits until its streams have passed the aborted work, however long that takes. */
  @Test
  void anAbortMayWaitForAProducer() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(SHORT, here, there)) {
      HeldStream stream = hold(there);
      collectives().stall(1);
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      List<TimelineSemaphore> next = group.start(stream.producer());
      awaitLaunched(2);
      assertAllFail(ends, Status.DEADLINE_EXCEEDED, LATE);
      assertAllFail(next, Status.DEADLINE_EXCEEDED, LATE);
      awaitTrue("both aborts", () -> aborts() == 2);
      long begun = System.nanoTime();
      awaitTrue( // longer than an abort may take
          "six seconds", () -> System.nanoTime() - begun > Duration.ofSeconds(6).toNanos());
      assertNoneLost(here, there);
      stream.release();
      collectives().go(1);
      SummingGroup.checkUsable(here, there);
    }
  }

  /** Frees wait for an idle device where a collective has not started. */
  @Test
  void memoryIsAllocatedAndFreedBeforeTheStart() {
    Device here = open(0);
    Device there = open(1);
    try (SummingGroup group = new SummingGroup(here, there)) {
      HeldStream stream = hold(there);
      List<TimelineSemaphore> ends = group.start(stream.producer());
      awaitLaunched(1);
      SummingGroup.buffer(here, new byte[64]).close();
      here.allocate(1 << 20, BufferParams.HOST).close();
      stream.release();
      awaitReached(all(ends));
      group.check();
    }
  }
}
