// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.device.DeviceChain.ROOM;
import static org.jhal.cts.device.DeviceChain.assertUsable;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Devices that are closed or lost while work of one is issued behind work of another one (rule
 * S9a).
 */
@CtsSuite
@Needs({Need.SHARED_EVENTS, Need.CONTROLS, Need.THREE_QUEUES})
class CrossDeviceEndTest {
  private static final String WHY = "the cable was pulled";

  /** How far a player may be ahead of the hops. */
  private static final long AHEAD = 10_000;

  @Test
  @Rule({"S9a", "Q7"})
  void losingTheProducersDeviceFailsIssuedConsumers(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts);
    cts.allowWarnings();
    cts.controls(chain.first).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.produced, 1), WHY);
    chain.assertDependantsFail(Status.UNAVAILABLE, WHY);
    awaitRetired(chain.second);
    awaitRetired(chain.third);
    assertUsable(cts, chain.second);
    assertUsable(cts, chain.third);
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(2);
  }

  /** A device with a producer that the test holds. */
  private record Producer(Device device, Blocker held, TimelineSemaphore produced) {
    static Producer on(Cts cts, Device device, Device consumer) {
      Blocker held = new Blocker(cts, device.queue(0));
      TimelineSemaphore produced = cts.semaphore(consumer, 0);
      device.queue(0).barrier(held.timepoint(), produced.at(1));
      return new Producer(device, held, produced);
    }
  }

  /** Ends the devices of some producers, all at once. */
  @FunctionalInterface
  private interface Ending {
    void end(List<Device> devices) throws Exception;
  }

  /** Of two devices with a producer each, one ends while the producers are held, or both. */
  private static void endProducers(
      Cts cts, Culprits culprits, Status status, String why, Ending ending, String... options)
      throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.add(ROOM);
    String[] ofProducers = all.toArray(String[]::new);
    Device consumer = cts.open(ROOM, "close-timeout=60s");
    // All before the first is held: two devices may be one GPU, which loads nothing while it is
    // busy.
    List<Device> devices = List.of(cts.open(ofProducers), cts.openSecond(ofProducers));
    List<Producer> producers =
        devices.stream().map(device -> Producer.on(cts, device, consumer)).toList();
    TimelineSemaphore consumed = cts.semaphore(consumer, 0);
    DeviceBuffer buffer = cts.buffer(consumer, 16, BufferParams.DEVICE);
    HostMemory source = HostMemory.of(new byte[16]);
    consumer
        .queue(0)
        .upload(
            Fence.of(producers.stream().map(one -> one.produced().at(1)).toList()),
            consumed.at(1),
            source,
            buffer,
            0);
    awaitStatistics("the consumer to be issued", consumer, now -> now.issued() == 1);
    cts.allowWarnings();
    ending.end(culprits.which().stream().map(one -> producers.get(one).device()).toList());
    for (int culprit : culprits.which()) {
      assertHal(status, awaitFailure(producers.get(culprit).produced(), 1), why);
    }
    for (int sound : culprits.others()) {
      Producer goingOn = producers.get(sound);
      assertPending(goingOn.produced(), 1);
      goingOn.held().release();
      awaitReached("a producer on a device that goes on", goingOn.produced().at(1));
      assertUsable(cts, goingOn.device());
    }
    producers.forEach(one -> one.held().close());
    assertHal(status, awaitFailure(consumed, 1), why);
    source.awaitFree(Waits.LIMIT);
    awaitRetired(consumer);
    buffer.close();
    assertEquals(0, consumer.statistics().buffers(), "buffers in the end");
    assertUsable(cts, consumer);
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"S9a", "Q7", "Q2"})
  void losingAnyOfTheProducersDevicesFailsIssuedConsumers(Culprits culprits, Cts cts)
      throws Exception {
    endProducers(
        cts,
        culprits,
        Status.UNAVAILABLE,
        WHY,
        devices -> {
          for (Device device : devices) {
            cts.controls(device).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
          }
        });
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"S9a", "Q8", "Q2"})
  void losingAnyProducersDeviceFailsWorkIssuedBehindIt(Culprits culprits, Cts cts)
      throws Exception {
    endProducers(
        cts,
        culprits,
        Status.DEADLINE_EXCEEDED,
        "",
        devices -> {
          List<Task<?>> closing = new ArrayList<>();
          for (Device device : devices) {
            closing.add(Task.run("close-" + device, device::close));
          }
          for (Task<?> task : closing) {
            task.join();
          }
        },
        "close-timeout=100ms");
  }

  /** Even a consumer that also waits for a value that is never signalled. */
  @Test
  @Rule({"S9a", "Q6", "Q7"})
  void losingTheProducersDeviceFailsParkedConsumers(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts);
    cts.allowWarnings();
    cts.controls(chain.first).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
    chain.held.release();
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), WHY);
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.parked, 1), WHY);
    assertPending(chain.unrelated, 1);
  }

  /** The loss notifies operations only once, so this one fails through its wait. */
  @Test
  @Rule({"S9a", "Q7", "S3"})
  void workEnqueuedAfterTheLossFailsWithItsWait(Cts cts) {
    DeviceChain chain = DeviceChain.open(cts);
    cts.allowWarnings();
    cts.controls(chain.first).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
    chain.assertDependantsFail(Status.UNAVAILABLE, WHY);
    TimelineSemaphore late = cts.semaphore();
    chain.second.queue(0).barrier(chain.produced.at(1), late.at(1));
    assertHal(Status.UNAVAILABLE, awaitFailure(late, 1), WHY);
    assertUsable(cts, chain.second);
  }

  @Test
  @Rule({"S9a", "Q8"})
  void closingTheProducersDeviceWaitsForItsWork(Cts cts) throws Exception {
    DeviceChain chain = DeviceChain.open(cts);
    Task<?> closing = Task.run("close", chain.first::close);
    awaitTrue("the device to be closing", chain.first::isClosed);
    assertStaysPending(Fence.of(chain.produced.at(1), chain.consumed.at(1), chain.last.at(1)));
    assertTrue(closing.isRunning(), "close() returned while work was in flight");
    chain.held.release();
    awaitReached(chain.last, 1);
    closing.join();
    chain.elsewhere.release();
    assertUsable(cts, chain.second);
    assertUsable(cts, chain.third);
    chain.second.close(); // also fails its parked work
    awaitFailure(chain.parked, 1, Status.CANCELLED);
  }

  @Test
  @Rule({"S9a", "Q8"})
  void closingTheConsumersDeviceWaitsForTheProducer(Cts cts) throws Exception {
    DeviceChain chain = DeviceChain.open(cts);
    chain.elsewhere.release();
    awaitReached(chain.unrelated, 1);
    Task<?> closing = Task.run("close", chain.second::close);
    awaitFailure(chain.parked, 1, Status.CANCELLED);
    assertStaysPending(Fence.of(chain.consumed.at(1), chain.last.at(1)));
    assertTrue(closing.isRunning(), "close() returned while work was in flight");
    chain.held.release();
    awaitReached(chain.last, 1);
    closing.join();
    assertUsable(cts, chain.first);
    assertUsable(cts, chain.third);
  }

  @Test
  @Rule({"S9a", "Q7"})
  void losingTheConsumersDeviceDoesNotAffectTheProducer(Cts cts) throws Exception {
    DeviceChain chain = DeviceChain.open(cts);
    cts.allowWarnings();
    // A driver may wait for work on the device when it simulates the loss.
    Task<?> losing =
        Task.run(
            "lose",
            () -> cts.controls(chain.second).loseDevice(new HalException(Status.UNAVAILABLE, WHY)));
    losing.awaitWaiting(); // else its work may complete before the loss
    assertPending(chain.produced, 1);
    chain.held.release();
    losing.join();
    awaitReached(chain.produced, 1);
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), WHY);
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.last, 1), WHY);
    assertNotNull(chain.second.lostCause(), "why the device is lost");
    assertUsable(cts, chain.first);
    assertUsable(cts, chain.third);
  }

  /** Both ends of a chain to and fro are on the device that is lost. */
  @Test
  @Rule({"S9a", "Q7"})
  void aLossFailsAChainThatReturnsFromAnotherDevice(Cts cts) {
    Device lost = cts.open(ROOM);
    Device other = cts.openSecond(ROOM);
    TimelineSemaphore timeline = cts.semaphore();
    Blocker blocker = new Blocker(cts, lost.queue(0));
    int hops = 20;
    for (int i = 0; i < hops; i++) {
      Device device = i % 2 == 0 ? lost : other;
      device.queue(0).barrier(i == 0 ? blocker.timepoint() : timeline.at(i), timeline.at(i + 1));
    }
    DeviceChain.awaitIssued(other, hops / 2);
    DeviceChain.awaitIssued(lost, hops / 2 + 1);
    cts.allowWarnings();
    cts.controls(lost).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
    assertHal(Status.UNAVAILABLE, awaitFailure(timeline, hops), WHY);
    awaitRetired(other);
    assertUsable(cts, other);
  }

  /** While both enqueue. */
  @Test
  @Rule({"S9a", "Q7", "Q8", "Q10"})
  void losingAndClosingRaceWithAlternatingWork(Cts cts) throws Exception {
    cts.allowWarnings();
    for (int round = 0; round < 20; round++) {
      Device ending = cts.open(ROOM);
      Device other = cts.openSecond(ROOM);
      TimelineSemaphore timeline = cts.semaphore();
      boolean isLost = round % 2 == 0;
      Task<Long> player =
          Task.start(
              "player",
              () -> {
                for (long i = 0; ; i++) {
                  try {
                    if (i % AHEAD == 0) { // else it may take up all memory of a slow machine
                      timeline.await(Math.max(0, i - AHEAD), Waits.LIMIT);
                    }
                    (i % 2 == 0 ? ending : other)
                        .queue(0)
                        .barrier(timeline.at(i), timeline.at(i + 1));
                  } catch (HalException over) { // refused, or the timeline has failed
                    return i;
                  }
                }
              });
      int some = 50 * round;
      awaitTrue("some hops", () -> Waits.isOver(timeline, some));
      if (isLost) {
        cts.controls(ending).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
      }
      ending.close();
      long hops = player.join();
      awaitTrue("all hops to end", () -> Waits.isOver(timeline, hops));
      awaitRetired(other);
      assertUsable(cts, other);
      other.close();
    }
  }
}
