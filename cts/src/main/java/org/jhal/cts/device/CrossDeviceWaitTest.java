// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Work of several devices of one driver with device-side waits for each other (rule S9a). */
@CtsSuite
class CrossDeviceWaitTest {
  /**
   * Room for all operations that a test expects to be issued, whatever the options of the device
   * under test.
   */
  private static final String ROOM = "inflight=64";

  /** The order in which the links of a chain are enqueued. */
  enum Order {
    FORWARD,
    BACKWARD,
    RANDOM;

    List<Runnable> of(List<Runnable> calls, Random random) {
      List<Runnable> ordered = new ArrayList<>(calls);
      switch (this) {
        case FORWARD -> {}
        case BACKWARD -> Collections.reverse(ordered);
        case RANDOM -> Collections.shuffle(ordered, random);
      }
      return ordered;
    }
  }

  /** The timelines that the links of a chain signal. */
  enum Timelines {
    ONE_FOR_ALL,
    ONE_FOR_EACH
  }

  static Stream<Arguments> chains() {
    return Stream.of(Order.values())
        .flatMap(order -> Stream.of(Timelines.values()).map(form -> Arguments.of(order, form)));
  }

  /**
   * Waits until a new device has issued {@code count} operations, and checks that none is parked or
   * ready.
   */
  private static void awaitIssued(Device device, int count) {
    DeviceChain.awaitIssued(device, count);
    assertEquals(0, device.statistics().parked(), "operations that wait for the host to see it");
    assertEquals(0, device.statistics().ready(), "operations that could be issued");
  }

  private static void assertUsable(Cts cts, Device device) {
    assertNull(device.lostCause(), () -> "why " + device + " is lost");
    TimelineSemaphore works = cts.semaphore(device, 0);
    for (int i = 0; i < device.queueCount(); i++) {
      device.queue(i).barrier(Fence.NONE, works.at(i + 1));
      awaitReached("work on a device that goes on", works.at(i + 1));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9a", "Q5"})
  @Needs(Need.SHARED_EVENTS)
  void aConsumerOnAnotherDeviceIsIssuedBeforeItsProducerEnds(Order order, Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    TimelineSemaphore produced = cts.semaphore(there, 0);
    TimelineSemaphore consumed = cts.semaphore(here, 0);
    Blocker blocker = new Blocker(cts, here.queue(0));
    List<Runnable> calls =
        List.of(
            () -> here.queue(0).barrier(blocker.timepoint(), produced.at(1)),
            () -> there.queue(0).barrier(produced.at(1), consumed.at(1)));
    order.of(calls, cts.random()).forEach(Runnable::run);
    awaitIssued(there, 1);
    assertStaysPending(Fence.of(produced.at(1), consumed.at(1)));
    blocker.release();
    awaitReached(consumed, 1);
    assertEquals(1, produced.value());
  }

  @ParameterizedTest
  @MethodSource("chains")
  @Rule({"S9a", "Q9", "S5"})
  @Needs(Need.SHARED_EVENTS)
  void aChainBetweenTwoDevicesIsIssuedBeforeItRuns(Order order, Timelines timelines, Cts cts) {
    runChain(order, timelines, cts, cts.open(ROOM), cts.openSecond(ROOM));
  }

  @ParameterizedTest
  @MethodSource("chains")
  @Rule({"S9a", "Q9", "S5"})
  @Needs(Need.SHARED_EVENTS)
  void aChainOverThreeDevicesIsIssuedBeforeItRuns(Order order, Timelines timelines, Cts cts) {
    runChain(order, timelines, cts, cts.open(ROOM), cts.openSecond(ROOM), cts.open(ROOM));
  }

  private static void runChain(Order order, Timelines timelines, Cts cts, Device... devices) {
    int rounds = 10;
    Random random = cts.random();
    Blocker blocker = new Blocker(cts, devices[0].queue(0));
    TimelineSemaphore shared = cts.semaphore(devices[devices.length - 1], 0);
    List<Timepoint> links = new ArrayList<>();
    List<Runnable> calls = new ArrayList<>();
    for (int i = 0; i < rounds * devices.length; i++) {
      Device device = devices[i % devices.length];
      DeviceQueue queue = device.queue(random.nextInt(device.queueCount()));
      TimelineSemaphore own =
          timelines == Timelines.ONE_FOR_ALL
              ? shared
              : cts.semaphore(devices[random.nextInt(devices.length)], 0);
      Timepoint wait = i == 0 ? blocker.timepoint() : links.get(i - 1);
      Timepoint signal = own.at(timelines == Timelines.ONE_FOR_ALL ? i + 1 : 1);
      links.add(signal);
      calls.add(() -> queue.barrier(wait, signal));
    }
    order.of(calls, random).forEach(Runnable::run);
    for (int i = 0; i < devices.length; i++) {
      awaitIssued(devices[i], i == 0 ? rounds + 1 : rounds);
    }
    Timepoint end = links.get(links.size() - 1);
    assertStaysPending(links.get(0));
    blocker.release();
    awaitReached(end);
    for (Timepoint link : links) {
      assertTrue(
          link.semaphore().value() >= link.value(), () -> link + " when the last one is reached");
    }
  }

  @Test
  @Rule({"S9a", "Q5"})
  @Needs(Need.SHARED_EVENTS)
  void aWaitIsCoveredByTheProducerOfALargerValueOnAnotherDevice(Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).barrier(blocker.timepoint(), timeline.at(10));
    there.queue(0).barrier(timeline.at(3), consumed.at(1));
    awaitIssued(there, 1);
    assertStaysPending(consumed.at(1));
    blocker.release();
    awaitReached(consumed, 1);
    assertEquals(10, timeline.value());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S9a", "Q9"})
  @Needs(Need.SHARED_EVENTS)
  void aConsumerDoesNotWaitForLaterProducersOfOtherDevices(Order order, Cts cts) {
    Device first = cts.open(ROOM);
    Device second = cts.openSecond(ROOM);
    Device third = cts.open(ROOM);
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore early = cts.semaphore();
    TimelineSemaphore late = cts.semaphore();
    Blocker firstBlocker = new Blocker(cts, first.queue(0));
    Blocker secondBlocker = new Blocker(cts, second.queue(0));
    List<Runnable> producers =
        List.of(
            () -> first.queue(0).barrier(firstBlocker.timepoint(), timeline.at(1)),
            () -> second.queue(0).barrier(secondBlocker.timepoint(), timeline.at(2)));
    order.of(producers, cts.random()).forEach(Runnable::run);
    awaitIssued(first, 2);
    awaitIssued(second, 2);
    third.queue(0).barrier(timeline.at(1), early.at(1));
    awaitIssued(third, 1);
    third.queue(third.queueCount() - 1).barrier(timeline.at(2), late.at(1));
    awaitIssued(third, 2);
    assertStaysPending(Fence.of(early.at(1), late.at(1)));
    firstBlocker.release();
    awaitReached("behind the device that signals less", early.at(1));
    assertStaysPending(late.at(1));
    secondBlocker.release();
    awaitReached("behind the device that signals more", late.at(1));
  }

  /**
   * The producer of the larger value may end first. From then on, consumers do not wait for the
   * other.
   */
  @Test
  @Rule({"S9a", "S1a"})
  @Needs(Need.SHARED_EVENTS)
  void aValueCoveredByTwoDevicesIsReachedWithTheFirst(Cts cts) {
    Device less = cts.open(ROOM);
    Device more = cts.openSecond(ROOM);
    Device third = cts.open(ROOM);
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    Blocker lessBlocker = new Blocker(cts, less.queue(0));
    Blocker moreBlocker = new Blocker(cts, more.queue(0));
    more.queue(0).barrier(moreBlocker.timepoint(), timeline.at(2));
    less.queue(0).barrier(lessBlocker.timepoint(), timeline.at(1));
    awaitIssued(more, 2);
    awaitIssued(less, 2);
    third.queue(0).barrier(timeline.at(1), before.at(1)); // covered by both
    awaitIssued(third, 1);
    moreBlocker.release();
    awaitReached(timeline, 2);
    third.queue(third.queueCount() - 1).barrier(timeline.at(1), after.at(1));
    if (third.queueCount() > 1) {
      awaitReached("a wait for a value that is reached", after.at(1));
    }
    lessBlocker.release();
    awaitReached(before, 1);
    awaitReached(after, 1);
    assertEquals(2, timeline.value());
    assertUsable(cts, less);
  }

  @Test
  @Rule("S9a")
  @Needs(Need.SHARED_EVENTS)
  void aConsumerWaitsForProducersOfSeveralDevices(Cts cts) {
    Device one = cts.open(ROOM);
    Device two = cts.openSecond(ROOM);
    Device three = cts.open(ROOM);
    TimelineSemaphore byOne = cts.semaphore(one, 0);
    TimelineSemaphore byTwo = cts.semaphore(two, 0);
    TimelineSemaphore consumed = cts.semaphore();
    Blocker oneBlocker = new Blocker(cts, one.queue(0));
    Blocker twoBlocker = new Blocker(cts, two.queue(0));
    three.queue(0).barrier(Fence.of(byOne.at(1), byTwo.at(1)), consumed.at(1));
    one.queue(0).barrier(oneBlocker.timepoint(), byOne.at(1));
    assertEquals(1, three.statistics().parked(), "parked: no operation has promised byTwo");
    two.queue(0).barrier(twoBlocker.timepoint(), byTwo.at(1));
    awaitIssued(three, 1);
    oneBlocker.release();
    awaitReached(byOne, 1);
    assertStaysPending(consumed.at(1));
    twoBlocker.release();
    awaitReached(consumed, 1);
  }

  @Test
  @Rule({"S9a", "S8"})
  @Needs(Need.SHARED_EVENTS)
  void theTimelineMayBelongToAClosedDevice(Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    Device gone = cts.open(ROOM);
    TimelineSemaphore produced = gone.createSemaphore(0);
    TimelineSemaphore consumed = cts.semaphore();
    gone.close();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).barrier(blocker.timepoint(), produced.at(1));
    there.queue(0).barrier(produced.at(1), consumed.at(1));
    awaitIssued(there, 1);
    blocker.release();
    awaitReached(consumed, 1);
    produced.close();
  }

  @Test
  @Rule({"S9a", "S8"})
  @Needs(Need.SHARED_EVENTS)
  void closingTheTimelineDoesNotCancelIssuedConsumers(Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    TimelineSemaphore produced = here.createSemaphore(0);
    TimelineSemaphore consumed = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).barrier(blocker.timepoint(), produced.at(1));
    there.queue(0).barrier(produced.at(1), consumed.at(1));
    awaitIssued(there, 1);
    produced.close();
    assertStaysPending(consumed.at(1));
    blocker.release();
    awaitReached(consumed, 1);
  }

  @Test
  @Rule({"S9a", "Q5"})
  @Needs(Need.SHARED_EVENTS)
  void aConsumerOfAHostCallStaysParked(Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    HeldOperation held = new HeldOperation(cts, here.queue(0), Fence.NONE, produced.at(1));
    there.queue(0).barrier(produced.at(1), consumed.at(1));
    held.awaitRunning();
    cts.flush(there.queue(0));
    assertEquals(1, there.statistics().parked(), "a consumer of a host call");
    held.complete();
    awaitReached(consumed, 1);
  }

  /** What each device shares, and whether they then wait for each other on the device. */
  @ParameterizedTest
  @CsvSource({
    "memory, memory, true",
    "memory, events, true",
    "events, memory, true",
    "events, events, true",
    "none, memory, false",
    "memory, none, false",
    "none, none, false"
  })
  @Rule({"S9a", "S9", "D5"})
  @Needs(Need.SHARED_EVENTS)
  void consumersAreIssuedEarlyOnlyIfBothDevicesShareEvents(
      String one, String other, boolean theyMeet, Cts cts) {
    Device here = cts.open(Peers.options(cts, one, ROOM));
    Device there = cts.openSecond(Peers.options(cts, other, ROOM));
    assertEquals(one, Peers.of(here), "the value of the option peers");
    assertEquals(other, Peers.of(there), "the value of the option peers");
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    TimelineSemaphore back = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).barrier(blocker.timepoint(), produced.at(1));
    there.queue(0).barrier(produced.at(1), consumed.at(1));
    here.queue(0).barrier(consumed.at(1), back.at(1));
    if (theyMeet) {
      awaitIssued(there, 1);
      awaitIssued(here, 3);
    } else {
      cts.flush(there.queue(0));
      assertEquals(
          1, there.statistics().parked(), "operations that wait for a device that shares nothing");
    }
    assertPending(consumed, 1);
    blocker.release();
    awaitReached(back, 1);
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"S9a", "Q7a", "Q9"})
  @Needs({Need.SHARED_EVENTS, Need.CONTROLS})
  void aFailureOfARunningProducerFailsIssuedConsumersOnOtherDevices(Culprits culprits, Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    cts.needCall(here, "execute");
    List<TimelineSemaphore> produced = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    TimelineSemaphore consumed = cts.semaphore();
    TimelineSemaphore back = cts.semaphore();
    TimelineSemaphore free = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    for (TimelineSemaphore one : produced) {
      DeviceBuffer buffer = cts.buffer(here, 16, BufferParams.DEVICE);
      here.queue(0).fill(blocker.timepoint(), one.at(1), buffer, 0, 16, FillPattern.ZERO);
    }
    there
        .queue(0)
        .barrier(Fence.of(produced.stream().map(one -> one.at(1)).toList()), consumed.at(1));
    here.queue(0).barrier(consumed.at(1), back.at(1));
    there.queue(0).barrier(blocker.timepoint(), free.at(1));
    awaitIssued(there, 2);
    awaitIssued(here, 5);
    for (int culprit : culprits.which()) {
      cts.controls(here).failNext("execute", 1 + culprit, Status.ABORTED, false);
    }
    blocker.release();
    awaitFailure(consumed, 1, Status.ABORTED);
    awaitFailure(back, 1, Status.ABORTED);
    awaitReached(free, 1);
    awaitRetired(here);
    long failed = produced.stream().filter(one -> one.failure() != null).count();
    assertEquals(culprits.which().size(), failed, "producers that fail");
    assertUsable(cts, here);
    assertUsable(cts, there);
  }

  @Test
  @Rule({"S9a", "Q7a"})
  @Needs({Need.SHARED_EVENTS, Need.CONTROLS})
  void aFailedIssueFailsOnlyThatConsumer(Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(there, 16, BufferParams.DEVICE);
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).barrier(blocker.timepoint(), produced.at(1));
    cts.controls(there).failNext("issue", 1, Status.ABORTED, false);
    there.queue(0).fill(produced.at(1), consumed.at(1), buffer, 0, 16, FillPattern.ZERO);
    there.queue(0).barrier(produced.at(1), next.at(1));
    assertStaysPending(Fence.of(produced.at(1), next.at(1)));
    blocker.release();
    awaitFailure(consumed, 1, Status.ABORTED);
    awaitReached(next, 1);
    assertUsable(cts, here);
    assertUsable(cts, there);
  }

  /** A device whose call to wait fails is lost (rule Q7a). The other one is not. */
  @Test
  @Rule({"S9a", "Q7a", "Q7"})
  @Needs({Need.SHARED_EVENTS, Need.CONTROLS})
  void aFailedDeviceSideWaitLosesTheWaitingDevice(Cts cts) {
    Device here = cts.open(ROOM);
    Device there = cts.openSecond(ROOM);
    cts.needCall(there, "waitEvent");
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    Blocker blocker = new Blocker(cts, here.queue(0));
    here.queue(0).barrier(blocker.timepoint(), produced.at(1));
    awaitIssued(here, 2);
    cts.allowWarnings();
    cts.controls(there).failNext("waitEvent", 1, Status.INTERNAL, false);
    there.queue(0).barrier(produced.at(1), consumed.at(1));
    awaitFailure(consumed, 1, Status.UNAVAILABLE);
    assertNotNull(there.lostCause(), "why the device is lost that could not wait");
    assertPending(produced, 1);
    blocker.release();
    awaitReached(produced, 1);
    assertUsable(cts, here);
  }

  /** Far more hops than streams accept, enqueued before anything runs. */
  @ParameterizedTest
  @CsvSource({"2, FORWARD", "2, RANDOM", "512, FORWARD", "512, BACKWARD", "512, RANDOM"})
  @Rule({"S9a", "K1", "Q9"})
  @Needs(Need.SECOND_DEVICE)
  void aLongChainBetweenTwoDevicesCompletes(int inFlight, Order order, Cts cts) {
    int hops = 5_000;
    Device[] devices = {cts.open("inflight=" + inFlight), cts.openSecond("inflight=" + inFlight)};
    Random random = cts.random();
    TimelineSemaphore timeline = cts.semaphore();
    List<Runnable> calls = new ArrayList<>();
    for (int i = 1; i <= hops; i++) {
      Device device = devices[i % 2];
      DeviceQueue queue = device.queue(random.nextInt(device.queueCount()));
      long hop = i;
      calls.add(() -> queue.barrier(timeline.at(hop), timeline.at(hop + 1)));
    }
    order.of(calls, random).forEach(Runnable::run);
    assertPending(timeline, 1);
    timeline.signal(1);
    awaitReached(timeline, hops + 1L);
    assertEquals(hops + 1L, timeline.value());
  }

  /** Two threads each enqueue operations that wait for those of the other thread. */
  @Test
  @Rule({"S9a", "Q9"})
  @Needs(Need.SECOND_DEVICE)
  void twoThreadsEnqueueAlternatingWork(Cts cts) throws Exception {
    int hops = 5_000;
    Device[] devices = {cts.open(), cts.openSecond()};
    TimelineSemaphore timeline = cts.semaphore();
    List<Task<?>> players = new ArrayList<>();
    for (int player = 0; player < 2; player++) {
      int first = player;
      DeviceQueue queue = devices[player].queue(0);
      players.add(
          Task.run(
              "player-" + player,
              () -> {
                for (int i = first; i < hops; i += 2) {
                  queue.barrier(timeline.at(i), timeline.at(i + 1));
                }
              }));
    }
    for (Task<?> player : players) {
      player.join();
    }
    awaitReached(timeline, hops);
  }
}
