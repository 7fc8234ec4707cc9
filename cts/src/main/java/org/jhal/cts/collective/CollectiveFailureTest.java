// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.cts.support.Waits.isOver;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall.Mode;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Waits;
import org.jhal.spi.DurationText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of collectives, and the end of their group (rules G3 and G4). */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveFailureTest {
  private static final String WHY = "the cable was pulled";

  /** Starts a collective whose ranks signal a timeline each. No rank waits for anything. */
  private static List<TimelineSemaphore> start(Cts cts, GroupFixture group) {
    return start(cts, group, Collections.nCopies(group.devices.size(), Fence.NONE));
  }

  /** The same, where one rank waits. */
  private static List<TimelineSemaphore> start(
      Cts cts, GroupFixture group, int waiting, Fence waits) {
    List<Fence> all = new ArrayList<>(Collections.nCopies(group.devices.size(), Fence.NONE));
    all.set(waiting, waits);
    return start(cts, group, all);
  }

  /** The same, where each rank waits for something of its own. */
  private static List<TimelineSemaphore> start(Cts cts, GroupFixture group, List<Fence> waits) {
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    for (int i = 0; i < group.devices.size(); i++) {
      TimelineSemaphore end = cts.semaphore();
      ends.add(end);
      ranks.add(new Rank(waits.get(i), end.at(1), group.sources.get(i), group.targets.get(i)));
    }
    group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    return ends;
  }

  /** In groups of two as well: of three, two may be the same GPU, which no library takes. */
  static Stream<Culprits> culprits() {
    return Stream.concat(Culprits.positions(2), Culprits.positions(3));
  }

  /** A timeline for each rank to wait for. */
  private static List<TimelineSemaphore> starts(Cts cts, GroupFixture group) {
    return group.devices.stream().map(any -> cts.semaphore()).toList();
  }

  private static List<Fence> reached(List<TimelineSemaphore> starts) {
    return starts.stream().<Fence>map(start -> start.at(1)).toList();
  }

  /** The other ranks' waits are reached only after the failure, which starts nothing. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "Q6"})
  void aFailedWaitFailsAllRanksAndTheGroupGoesOn(Culprits culprits, Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(culprits.count()));
    List<TimelineSemaphore> starts = starts(cts, group);
    List<Fence> waits = reached(starts);
    List<TimelineSemaphore> ends = start(cts, group, waits);
    for (int culprit : culprits.which()) {
      starts.get(culprit).fail(new HalException(Status.DATA_LOSS, "nothing to add"));
    }
    for (TimelineSemaphore end : ends) {
      HalException failure = awaitFailure(end, 1);
      assertHal(Status.DATA_LOSS, failure, "nothing to add");
      assertNull(failure.operation(), failure::toString); // it is the program's
    }
    for (TimelineSemaphore end : start(cts, group, waits)) { // they have failed before the call
      assertHal(Status.DATA_LOSS, awaitFailure(end, 1), "nothing to add");
    }
    culprits.others().forEach(other -> starts.get(other).signal(1));
    assertNull(group.group.failure());
    group.checkUnwritten();
    group.checkWorks();
  }

  /** Which of the timelines that two ranks wait for, two each, fail. */
  static Stream<Culprits> timepoints() {
    return Culprits.positions(4);
  }

  /** Each rank waits for two timelines, and signals two. */
  @ParameterizedTest
  @MethodSource("timepoints")
  @Rule({"G3", "Q6"})
  void anyFailedTimepointFailsEachSignal(Culprits culprits, Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    List<TimelineSemaphore> starts = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      Fence waits = Fence.NONE;
      Fence signals = Fence.NONE;
      for (int i = 0; i < 2; i++) {
        TimelineSemaphore start = cts.semaphore();
        TimelineSemaphore end = cts.semaphore();
        starts.add(start);
        ends.add(end);
        waits = waits.and(start.at(1));
        signals = signals.and(end.at(1));
      }
      ranks.add(new Rank(waits, signals, group.sources.get(rank), group.targets.get(rank)));
    }
    group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    culprits.others().forEach(other -> starts.get(other).signal(1));
    HalException spoilt = new HalException(Status.DATA_LOSS, "nothing to add");
    culprits.which().forEach(culprit -> starts.get(culprit).fail(spoilt));
    for (TimelineSemaphore end : ends) {
      assertHal(Status.DATA_LOSS, awaitFailure(end, 1), "nothing to add");
    }
    assertNull(group.group.failure());
    group.checkUnwritten();
    group.checkWorks();
  }

  /** A device and a rank that waits for its work, and whether that fails before the call. */
  static Stream<Arguments> failures() {
    return IntStream.range(0, 3)
        .boxed()
        .flatMap(
            waiting ->
                Stream.of(
                    Arguments.of(0, waiting, false),
                    Arguments.of(1, waiting, false),
                    Arguments.of(0, waiting, true),
                    Arguments.of(1, waiting, true)));
  }

  /** A group that has this rank. */
  private static GroupFixture groupWith(int rank, Cts cts) {
    return new GroupFixture(cts, cts.ranks(Math.max(2, rank + 1)));
  }

  @ParameterizedTest
  @MethodSource("failures")
  @Rule({"G3", "Q6"})
  void aCollectiveNamesItsFailedProducer(int device, int waiting, boolean isBefore, Cts cts) {
    GroupFixture group = groupWith(waiting, cts);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore called = cts.semaphore();
    group
        .devices
        .get(device)
        .queue(0)
        .hostCall(
            go.at(1),
            called.at(1),
            Mode.BLOCKING,
            context -> {
              throw new HalException(Status.DATA_LOSS, "nothing to add");
            });
    if (isBefore) {
      go.signal(1);
      awaitFailure(called, 1, Status.DATA_LOSS);
    }
    List<TimelineSemaphore> ends = start(cts, group, waiting, called.at(1));
    if (!isBefore) {
      go.signal(1);
    }
    FailedOperation failed = awaitFailure(called, 1, Status.DATA_LOSS).operation();
    assertNotNull(failed);
    assertTrue(failed.kind().startsWith("host call"), failed::toString);
    for (TimelineSemaphore end : ends) {
      HalException failure = awaitFailure(end, 1, Status.DATA_LOSS);
      assertEquals(failed, failure.operation(), failure::toString);
    }
    assertNull(group.group.failure());
    group.checkUnwritten();
    group.checkWorks();
  }

  /** As above, the other ranks' waits are reached afterwards. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "S8"})
  void aClosedTimelineCancelsAndTheGroupGoesOn(Culprits culprits, Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(culprits.count()));
    List<TimelineSemaphore> starts = starts(cts, group);
    List<TimelineSemaphore> ends = start(cts, group, reached(starts));
    culprits.which().forEach(culprit -> starts.get(culprit).close());
    for (TimelineSemaphore end : ends) {
      awaitFailure(end, 1, Status.CANCELLED);
    }
    culprits.others().forEach(other -> starts.get(other).signal(1));
    assertNull(group.group.failure());
    group.checkUnwritten();
    group.checkWorks();
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "M1"})
  void missingMemoryFailsAllRanksAndTheGroupGoesOn(Culprits culprits, Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(culprits.count()));
    List<TimelineSemaphore> never = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    for (int rank = 0; rank < culprits.count(); rank++) {
      DeviceBuffer source = group.sources.get(rank);
      DeviceBuffer target = group.targets.get(rank);
      if (culprits.has(rank)) {
        TimelineSemaphore go = cts.semaphore();
        never.add(go);
        source =
            cts.closing(
                group
                    .devices
                    .get(rank)
                    .queue(0)
                    .alloca(go.at(1), go.at(2), 4, BufferParams.DEVICE));
        target = source;
      }
      ends.add(cts.semaphore());
      ranks.add(new Rank(Fence.NONE, ends.get(rank).at(1), source, target));
    }
    group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    FailedOperation failed =
        GroupFixture.collective(
            Kind.ALL_REDUCE, awaitFailure(ends.get(0), 1, Status.FAILED_PRECONDITION));
    for (TimelineSemaphore end : ends) {
      assertEquals(failed, awaitFailure(end, 1, Status.FAILED_PRECONDITION).operation());
    }
    assertNull(group.group.failure());
    group.checkWorks();
    for (TimelineSemaphore go : never) {
      go.signal(1);
      awaitReached(go, 2);
    }
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "G4"})
  @Needs(Need.CONTROLS)
  void theDeadlineFailsAllRanksAndEndsTheGroup(Culprits culprits, Cts cts) {
    if (!failsAtTheDeadline(Duration.ofMillis(500), culprits, cts)) { // on a slow machine
      assertTrue(failsAtTheDeadline(Duration.ofSeconds(6), culprits, cts), "it ended too soon");
    }
  }

  /** Returns false if the group has ended before the late rank's transfer was seen to be held. */
  private static boolean failsAtTheDeadline(Duration deadline, Culprits culprits, Cts cts) {
    List<Device> devices = cts.ownRanks(culprits.count());
    GroupFixture group = new GroupFixture(cts, devices, Options.DEFAULT.withDeadline(deadline));
    GroupFixture other = new GroupFixture(cts, devices);
    if (!group.worksBeforeHold()) {
      group.assertEnded(Status.DEADLINE_EXCEEDED);
      return false;
    }
    group.awaitIdle(); // from here on, only a collective is issued
    culprits.which().forEach(group::hold);
    int late = culprits.which().get(0); // the one whose transfer comes first
    Device device = devices.get(late);
    long buffers = device.statistics().buffers();
    DeviceBuffer kept = device.allocate(4, BufferParams.DEVICE);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    group.sum(go.at(1), parked.at(1));
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    for (int rank = 0; rank < culprits.count(); rank++) {
      ends.add(cts.semaphore());
      ranks.add(
          new Rank(
              Fence.NONE,
              ends.get(rank).at(1),
              rank == late ? kept : group.sources.get(rank),
              rank == late ? kept : group.targets.get(rank)));
    }
    group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    kept.close();
    if (!group.getsUnderWay(late)) {
      group.assertEnded(Status.DEADLINE_EXCEEDED);
      culprits.which().forEach(group::letGo);
      return false;
    }
    ends.add(parked);
    // Through the host, it is known which one is late.
    String which = group.isNative() ? "" : "; it waits for ";
    String whose = group.isNative() ? "" : " of rank " + late;
    for (TimelineSemaphore end : ends) {
      assertHal(
          Status.DEADLINE_EXCEEDED,
          awaitFailure(end, 1),
          "all-reduce of " + culprits.count() + " ranks",
          group.group.toString(),
          DurationText.of(deadline),
          which,
          whose);
    }
    HalException ended = group.assertEnded(Status.DEADLINE_EXCEEDED);
    FailedOperation failed = GroupFixture.collective(Kind.ALL_REDUCE, ended);
    for (TimelineSemaphore end : ends) {
      assertEquals(failed, awaitFailure(end, 1).operation(), "the operation that failed first");
    }
    // The device still reads the buffer.
    assertEquals(buffers + 1, device.statistics().buffers());
    culprits.which().forEach(group::letGo);
    group.awaitIdle();
    awaitStatistics("the closed buffer to be freed", device, now -> now.buffers() <= buffers);
    assertEquals(ended.getMessage(), group.assertEnded(Status.DEADLINE_EXCEEDED).getMessage());
    other.checkWorks(); // the devices are as they were
    return true;
  }

  /**
   * Without controls. A collective may be over before the thread that watches deadlines gets its
   * turn, but not each of many.
   */
  @Test
  @Rule("G3")
  void theDeadlineMayBeShort(Cts cts) {
    GroupFixture group =
        new GroupFixture(cts, cts.ranks(2), Options.DEFAULT.withDeadline(Duration.ofNanos(1)));
    List<DeviceBuffer> large = new ArrayList<>();
    for (Device device : group.devices) {
      large.add(cts.buffer(device, 64 << 20, BufferParams.DEVICE));
    }
    TimelineSemaphore done = cts.semaphore();
    long begin = System.nanoTime();
    long value = 0;
    do {
      long end = ++value;
      group.group.broadcast(
          0,
          List.of(
              new Rank(Fence.NONE, done.at(end), large.get(0), null),
              new Rank(Fence.NONE, Fence.NONE, null, large.get(1))));
      awaitTrue("the broadcast to end", () -> isOver(done, end));
    } while (done.failure() == null && System.nanoTime() - begin < Waits.LIMIT.toNanos());
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(done, value), "broadcast");
    HalException ended = group.assertEnded(Status.DEADLINE_EXCEEDED);
    assertTrue(ended.getMessage().contains("0.000000001 s"), ended::getMessage);
    group.awaitIdle();
  }

  @Test
  @Rule("G3")
  void theDeadlineDoesNotApplyToAParkedCollective(Cts cts) {
    GroupFixture group =
        new GroupFixture(cts, cts.ranks(2), Options.DEFAULT.withDeadline(Duration.ofMillis(5)));
    TimelineSemaphore start = cts.semaphore();
    List<TimelineSemaphore> ends = start(cts, group, 1, start.at(1));
    assertStaysPending(ends.get(0).at(1)); // longer than the deadline
    assertNull(group.group.failure());
    start.fail(new HalException(Status.ABORTED, "enough"));
    assertHal(Status.ABORTED, awaitFailure(ends.get(0), 1), "enough");
    group.checkUnwritten();
  }

  /** Also if the devices wait for that work, and not the host. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule("G3")
  void theDeadlineExcludesTheTimeOfProducers(int rank, Cts cts) {
    new GroupFixture(cts).checkWorks(); // a library takes longer the first time
    Duration deadline = Duration.ofSeconds(3); // a slow machine may need it afterwards
    GroupFixture group =
        new GroupFixture(cts, cts.ranks(2), Options.DEFAULT.withDeadline(deadline));
    Blocker blocker = new Blocker(cts, group.devices.get(rank).queue(0));
    List<TimelineSemaphore> ends = start(cts, group, 1, blocker.timepoint());
    List<TimelineSemaphore> next = start(cts, group, 1, ends.get(0).at(1));
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < deadline.plusMillis(50).toNanos()) {
      assertStaysPending(ends.get(0).at(1).and(next.get(1).at(1)));
    }
    assertNull(group.group.failure());
    blocker.release();
    awaitReached(next.get(1), 1);
    group.checkSum();
    assertNull(group.group.failure());
  }

  /** It counts anew behind them: they have taken longer, and the collective takes a while. */
  @Test
  @Rule("G3")
  @Needs(Need.CONTROLS)
  void theDeadlineCountsFromTheEndOfProducers(Cts cts) {
    if (!goesOnBehindALateProducer(Duration.ofSeconds(3), cts)) { // on a slow machine
      assertTrue(
          goesOnBehindALateProducer(Duration.ofSeconds(12), cts),
          "the time of the producer counts");
    }
  }

  private static boolean goesOnBehindALateProducer(Duration deadline, Cts cts) {
    GroupFixture group =
        new GroupFixture(cts, cts.ranks(2), Options.DEFAULT.withDeadline(deadline));
    if (!group.worksBeforeHold()) {
      return false;
    }
    group.hold(0);
    group.hold(1);
    Blocker blocker = new Blocker(cts, group.devices.get(1).queue(0));
    List<TimelineSemaphore> ends = start(cts, group, 1, blocker.timepoint());
    boolean hasFailed = failsWithin(ends.get(0), deadline.plusMillis(50));
    assertFalse(hasFailed, "the deadline has passed behind a producer");
    blocker.release();
    awaitReached(Fence.of(blocker.timepoint()));
    // Longer than an engine may take to see that the producer is over, and less than the deadline.
    hasFailed = failsWithin(ends.get(0), deadline.dividedBy(2));
    group.letGo(0);
    group.letGo(1);
    if (!hasFailed) {
      awaitTrue("the collective to end", () -> isOver(ends.get(0), 1));
    }
    boolean goesOn = group.group.failure() == null;
    if (goesOn) {
      group.checkSum();
    }
    group.awaitIdle();
    return goesOn;
  }

  /** Waits until a timeline has failed, for a time at most. Returns whether it has. */
  private static boolean failsWithin(TimelineSemaphore end, Duration time) {
    assertPending(end, 1);
    return becomesTrue(time, () -> end.failure() != null);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE / 1_000_000_000, Long.MAX_VALUE})
  @Rule("G3")
  void theDeadlineMayBeLong(long seconds, Cts cts) {
    GroupFixture group =
        new GroupFixture(
            cts, cts.ranks(2), Options.DEFAULT.withDeadline(Duration.ofSeconds(seconds)));
    group.checkWorks();
    group.checkWorks();
    assertNull(group.group.failure());
  }

  /** A rank holds its part meanwhile: one that goes on, unless all are lost. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "Q7"})
  @Needs(Need.CONTROLS)
  void losingADeviceFailsCollectivesThatHaveBegun(Culprits culprits, Cts cts) {
    cts.allowWarnings();
    GroupFixture group = new GroupFixture(cts, cts.ownRanks(culprits.count()));
    List<Device> survivors = survivors(group.devices, culprits);
    TimelineSemaphore go = cts.semaphore();
    int held = survivors.isEmpty() ? 0 : culprits.others().get(0);
    group.hold(held);
    List<TimelineSemaphore> ends = start(cts, group);
    List<TimelineSemaphore> parked = start(cts, group, 1, go.at(1));
    group.awaitUnderWay(held);
    lose(cts, group.devices, culprits);
    ends.addAll(parked);
    for (TimelineSemaphore end : ends) {
      HalException failure = awaitFailure(end, 1);
      assertHal(Status.UNAVAILABLE, failure, WHY);
      assertNull(failure.operation(), failure::toString); // it is the device's
    }
    assertTrue(group.assertEnded(Status.UNAVAILABLE).getMessage().contains(WHY));
    group.letGo(held);
    List<Device> next = new ArrayList<>(survivors);
    next.add(cts.open());
    new GroupFixture(cts, next).checkWorks();
  }

  private static void lose(Cts cts, List<Device> devices, Culprits culprits) {
    for (int culprit : culprits.which()) {
      cts.controls(devices.get(culprit)).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
    }
  }

  private static List<Device> survivors(List<Device> devices, Culprits culprits) {
    return culprits.others().stream().map(devices::get).toList();
  }

  /** And no group of the devices that go on. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "Q7"})
  @Needs(Need.CONTROLS)
  void losingADeviceEndsItsGroups(Culprits culprits, Cts cts) {
    cts.allowWarnings();
    List<Device> devices = cts.ownRanks(culprits.count());
    List<Device> survivors = survivors(devices, culprits);
    GroupFixture all = new GroupFixture(cts, devices);
    GroupFixture others = survivors.isEmpty() ? null : new GroupFixture(cts, survivors);
    lose(cts, devices, culprits);
    assertTrue(all.assertEnded(Status.UNAVAILABLE).getMessage().contains(WHY));
    if (others != null) {
      assertNull(others.group.failure());
      others.checkWorks();
    }
  }
}
