// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When collectives begin, and that they do not delay others (rules G1 and G2). */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveOrderTest {
  @Test
  @Rule({"G1", "S5"})
  void aCollectiveWaitsForTheWaitsOfEveryRank(Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(3));
    List<TimelineSemaphore> starts = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    Fence ends = Fence.NONE;
    for (int i = 0; i < 3; i++) {
      TimelineSemaphore start = cts.semaphore(group.devices.get(i), 0);
      TimelineSemaphore end = cts.semaphore(group.devices.get(i), 0);
      starts.add(start);
      ends = ends.and(end.at(1));
      ranks.add(new Rank(start.at(1), end.at(1), group.sources.get(i), group.targets.get(i)));
    }
    group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    starts.get(2).signal(1);
    starts.get(0).signal(1);
    assertStaysPending(ends);
    starts.get(1).signal(1);
    awaitReached(ends);
    group.checkSum();
  }

  /**
   * The data is what the ranks' queues have written, even if that work has not ended at the call.
   */
  @Test
  @Rule({"G1", "S9"})
  void aCollectiveWaitsForDeviceWorkOfEveryRank(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore written = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, group.devices.get(1).queue(0));
    DeviceBuffer source = group.sources.get(1);
    source
        .device()
        .queue(0)
        .upload(blocker.timepoint(), written.at(1), ByteBuffer.wrap(ints(40)), source, 0);
    group.sum(written.at(1), done.at(1));
    assertStaysPending(done.at(1));
    blocker.release();
    awaitReached(done, 1);
    assertBytes(ints(41), cts.read(group.targets.get(0)), "target of rank 0");
    assertBytes(ints(41), cts.read(group.targets.get(1)), "target of rank 1");
  }

  /** Which of the timepoints that two ranks wait for, two each, are reached last. */
  static Stream<Culprits> timepoints() {
    return Culprits.positions(4);
  }

  /** Each rank waits for two timelines and signals two, each with a value of its own. */
  @ParameterizedTest
  @MethodSource("timepoints")
  @Rule({"G1", "S5"})
  void eachTimepointOfEachRankCounts(Culprits last, Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    List<TimelineSemaphore> starts = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      Fence waits = Fence.NONE;
      Fence signals = Fence.NONE;
      for (int i = 2 * rank; i < 2 * rank + 2; i++) {
        starts.add(cts.semaphore(group.devices.get(rank), 0));
        ends.add(cts.semaphore(group.devices.get(rank), 0));
        waits = waits.and(starts.get(i).at(startOf(i)));
        signals = signals.and(ends.get(i).at(endOf(i)));
      }
      ranks.add(new Rank(waits, signals, group.sources.get(rank), group.targets.get(rank)));
    }
    group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    last.others().forEach(i -> starts.get(i).signal(startOf(i)));
    last.which().forEach(i -> starts.get(i).signal(startOf(i) - 1));
    assertStaysPending(Fence.of(ends.stream().map(end -> end.at(1)).toList()));
    last.which().forEach(i -> starts.get(i).signal(startOf(i)));
    for (int i = 0; i < 4; i++) {
      awaitReached(ends.get(i), endOf(i));
      assertEquals(endOf(i), ends.get(i).value(), "value of end " + i);
    }
    group.checkSum();
  }

  private static int startOf(int timepoint) {
    return 9 - 2 * timepoint;
  }

  private static int endOf(int timepoint) {
    return 3 + 5 * timepoint;
  }

  @Test
  @Rule({"G1", "Q9"})
  void queuesOfEveryRankSeeTheResult(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore start = cts.semaphore();
    byte[][] read = {new byte[4], new byte[4]};
    for (int i = 0; i < 2; i++) {
      group
          .devices
          .get(i)
          .queue(0)
          .readback(done.at(1), done.at(2 + i), group.targets.get(i), 0, ByteBuffer.wrap(read[i]));
    }
    group.sum(start.at(1), done.at(1));
    start.signal(1);
    awaitReached(done, 3);
    // The two readbacks may end in any order.
    group.awaitIdle();
    assertBytes(ints(3), read[0], "the bytes that rank 0 has read");
    assertBytes(ints(3), read[1], "the bytes that rank 1 has read");
  }

  @Test
  @Rule("G1")
  void aChainOfCollectivesKeepsItsOrder(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore timeline = cts.semaphore();
    int rounds = 20;
    for (int i = rounds - 1; i >= 0; i--) { // every wait comes before its signal
      List<Rank> ranks = new ArrayList<>();
      for (DeviceBuffer buffer : group.sources) {
        ranks.add(new Rank(timeline.at(i), timeline.at(i + 1), buffer, buffer));
      }
      group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    }
    awaitReached(timeline, rounds);
    for (DeviceBuffer buffer : group.sources) {
      assertBytes(ints(3 << rounds - 1), cts.read(buffer), "after " + rounds + " rounds");
    }
  }

  @Test
  @Rule("G1")
  void ranksWithoutDataWaitAndSignal(Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(3));
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore end = cts.semaphore();
    TimelineSemaphore sent = cts.semaphore();
    group.group.sendReceive(
        0,
        1,
        List.of(
            new Rank(Fence.NONE, sent.at(1), group.sources.get(0), null),
            new Rank(Fence.NONE, Fence.NONE, null, group.targets.get(1)),
            new Rank(start.at(1), end.at(1), null, null)));
    assertStaysPending(sent.at(1).and(end.at(1)));
    start.signal(1);
    awaitReached(sent.at(1).and(end.at(1)));
    assertBytes(ints(1), cts.read(group.targets.get(1)), "the bytes that were sent");
  }

  @Test
  @Rule("G1")
  void aGroupUsesNoQueueOfTheDevice(Cts cts) {
    List<Device> devices = cts.ownRanks(2);
    int queues = devices.get(0).queueCount();
    GroupFixture group = new GroupFixture(cts, devices);
    group.awaitIdle();
    DeviceStatistics before = devices.get(0).statistics();
    TimelineSemaphore done = cts.semaphore();
    group.sum(Fence.NONE, done.at(1));
    awaitReached(done, 1);
    group.awaitIdle();
    DeviceStatistics after = devices.get(0).statistics();
    assertEquals(queues, devices.get(0).queueCount());
    assertEquals(before.enqueued(), after.enqueued(), "operations of the device's queues");
    assertEquals(before.retired(), after.retired(), "operations that have retired");
  }

  @Test
  @Rule("G2")
  void aParkedCollectiveDoesNotDelayOthers(Cts cts) {
    GroupFixture parked = new GroupFixture(cts);
    GroupFixture other = new GroupFixture(cts, cts.ranks(3)); // shares both devices
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    parked.sum(start.at(1), done.at(1));
    other.checkWorks();
    TimelineSemaphore same = cts.semaphore();
    parked.sum(Fence.NONE, same.at(1));
    awaitReached(same, 1);
    for (Device device : parked.devices) {
      cts.flush(device.queue(0));
    }
    assertPending(done, 1);
    start.signal(1);
    awaitReached(done, 1);
    parked.checkSum();
  }

  /** With the form host, a collective that waits for work in flight is not in any stream. */
  @Test
  @Rule("G2")
  void aHostCollectiveThatWaitsForDeviceWorkDoesNotDelayOthers(Cts cts) {
    Options host = Options.DEFAULT.withHostOnly();
    GroupFixture waiting = new GroupFixture(cts, cts.ranks(2), host);
    GroupFixture other = new GroupFixture(cts, cts.ranks(3), host);
    TimelineSemaphore done = cts.semaphore();
    Blocker blocker = new Blocker(cts, waiting.devices.get(0).queue(0));
    waiting.sum(blocker.timepoint(), done.at(1));
    TimelineSemaphore others = cts.semaphore();
    other.sum(Fence.NONE, others.at(1));
    awaitReached(others, 1);
    assertPending(done, 1);
    blocker.release();
    awaitReached(done, 1);
    waiting.checkSum();
    other.checkSum();
  }

  /** Work in flight would reach a value, and the program reaches it first. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G2", "S2"})
  void aCollectiveDoesNotWaitForWorkBehindAReachedValue(int rank, Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    group.checkWorks(); // on its first use, a library may wait for the device
    group.awaitIdle();
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceQueue queue = group.devices.get(rank).queue(0);
    Blocker blocker = new Blocker(cts, queue);
    group.sum(blocker.timepoint().and(start.at(1)), done.at(1));
    blocker.timepoint().semaphore().signal(1);
    start.signal(1);
    awaitReached(done, 1);
    assertTrue(queue.openOperations() > 0, "the work has ended");
    blocker.release();
    group.checkSum();
    group.awaitIdle();
  }

  /** With the form native, a chain that waits for device work goes on without the host. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G2", "Q5", "S9a"})
  void aNativeChainIsIssuedBeforeItsProducerEnds(int rank, Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    group.checkWorks(); // on its first use, a library may wait for the device
    group.awaitIdle();
    TimelineSemaphore timeline = cts.semaphore();
    Blocker blocker = new Blocker(cts, group.devices.get(rank).queue(0));
    long issued = group.devices.get(0).statistics().issued();
    int rounds = 3;
    for (int i = 0; i < rounds; i++) {
      Fence waits = i == 0 ? blocker.timepoint() : timeline.at(i);
      List<Rank> ranks = new ArrayList<>();
      for (DeviceBuffer buffer : group.sources) {
        ranks.add(new Rank(waits, timeline.at(i + 1), buffer, buffer));
      }
      group.group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    }
    if (group.isNative() && cts.backend().sharesEvents()) {
      awaitStatistics(
          "the chain to be issued",
          group.devices.get(0),
          now -> now.issued() >= issued + rounds && now.parked() == 0);
    }
    assertStaysPending(timeline.at(1));
    blocker.release();
    awaitReached(timeline, rounds);
    for (DeviceBuffer buffer : group.sources) {
      assertBytes(ints(3 << rounds - 1), cts.read(buffer), "after " + rounds + " rounds");
    }
  }

  @Test
  @Rule("G2")
  void manyCollectivesMayBeOpen(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore start = cts.semaphore();
    Fence all = Fence.NONE;
    List<DeviceBuffer> targets = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      TimelineSemaphore done = cts.semaphore();
      DeviceBuffer first = cts.buffer(group.devices.get(0), 4, BufferParams.DEVICE);
      DeviceBuffer second = cts.buffer(group.devices.get(1), 4, BufferParams.DEVICE);
      targets.add(first);
      targets.add(second);
      group.group.allReduce(
          Reduction.SUM,
          ElementType.I32,
          List.of(
              new Rank(start.at(1), done.at(1), group.sources.get(0), first),
              new Rank(start.at(1), done.at(1), group.sources.get(1), second)));
      all = all.and(done.at(1));
    }
    start.signal(1);
    awaitReached(all);
    for (DeviceBuffer target : targets) {
      assertBytes(ints(3), cts.read(target), "a target");
    }
  }

  @Test
  @Rule("G1")
  void manyThreadsMayUseOneGroup(Cts cts) throws Exception {
    GroupFixture group = new GroupFixture(cts);
    List<Task<?>> tasks = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int number = t;
      tasks.add(
          Task.run(
              "caller-" + t,
              () -> {
                TimelineSemaphore done = cts.semaphore();
                DeviceBuffer first = cts.buffer(group.devices.get(0), 4, BufferParams.DEVICE);
                DeviceBuffer second = cts.buffer(group.devices.get(1), 4, BufferParams.DEVICE);
                for (int i = 1; i <= 20; i++) {
                  cts.write(first, 0, ints(number));
                  cts.write(second, 0, ints(i));
                  group.group.allReduce(
                      Reduction.SUM,
                      ElementType.I32,
                      List.of(
                          new Rank(Fence.NONE, done.at(i), first, first),
                          new Rank(Fence.NONE, done.at(i), second, second)));
                  awaitReached(done, i);
                  assertBytes(ints(number + i), cts.read(first), "rank 0 of thread " + number);
                  assertBytes(ints(number + i), cts.read(second), "rank 1 of thread " + number);
                }
              }));
    }
    for (Task<?> task : tasks) {
      task.join();
    }
  }

  @Test
  @Rule({"G1", "S9"})
  @Needs(Need.OTHER_DRIVER)
  void ranksMayBeOfTwoDrivers(Cts cts) {
    GroupFixture here = new GroupFixture(cts, List.of(cts.device(), cts.other()));
    here.checkWorks();
    GroupFixture there = new GroupFixture(cts, List.of(cts.other(), cts.second(), cts.device()));
    there.checkWorks();
  }

  @Test
  @Rule({"S10", "G1"})
  void explainReportsAParkedCollective(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    group.sum(start.at(3), done.at(1));
    String text = done.explain(1);
    assertTrue(
        text.contains("all-reduce of 2 ranks") && text.contains(start + " to reach 3"),
        () -> "the explanation does not say what the collective waits for: " + text);
    start.signal(3);
    awaitReached(done, 1);
  }

  @Test
  @Rule("S7")
  void callbacksMayStartCollectives(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    var unused = start.onReach(1, failure -> group.sum(Fence.NONE, done.at(1)));
    start.signal(1);
    awaitReached(done, 1);
    group.checkSum();
  }

  @Test
  @Rule("Q3")
  void buffersMayBeClosedAfterTheCall(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore start = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer gone = group.devices.get(1).allocate(4, BufferParams.DEVICE);
    cts.write(gone, 0, ints(7));
    group.group.allReduce(
        Reduction.SUM,
        ElementType.I32,
        List.of(
            new Rank(start.at(1), done.at(1), group.sources.get(0), group.targets.get(0)),
            new Rank(Fence.NONE, Fence.NONE, gone, gone)));
    gone.close();
    start.signal(1);
    awaitReached(done, 1);
    assertBytes(ints(8), cts.read(group.targets.get(0)), "target of rank 0");
  }

  @Test
  @Rule("M1")
  void memoryMayBeAllocatedInTheOrderOfATimeline(Cts cts) {
    GroupFixture group = new GroupFixture(cts);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer later =
        cts.closing(
            group
                .devices
                .get(1)
                .queue(0)
                .alloca(timeline.at(1), timeline.at(2), 4, BufferParams.DEVICE));
    group.group.broadcast(
        0,
        List.of(
            new Rank(timeline.at(2), timeline.at(3), group.sources.get(0), null),
            new Rank(Fence.NONE, Fence.NONE, null, later)));
    timeline.signal(1);
    awaitReached(timeline, 3);
    assertBytes(ints(1), cts.read(later), "target of rank 1");
  }

  @Test
  @Rule("G1")
  void aGroupMayHaveOneDevice(Cts cts) {
    GroupFixture group =
        new GroupFixture(cts, List.of(cts.device()), Options.DEFAULT.withHostOnly());
    group.checkWorks();
    assertEquals(List.of(cts.device()), group.group.devices());
    assertEquals(1, group.group.size());
    CollectiveGroup again = cts.closing(CollectiveGroup.of(cts.device()));
    assertEquals(1, again.size());
  }
}
