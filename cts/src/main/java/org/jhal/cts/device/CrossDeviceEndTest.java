package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
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
  /** For tests that look at what is issued, whatever the device under test is opened with. */
  private static final String ROOM = "inflight=64";

  private static final String WHY = "the cable was pulled";

  /** How long a loss may take to be noticed before the producer goes on. */
  private static final Duration CHANCE = Duration.ofMillis(100);

  /**
   * Work that is issued on three devices: the first one's is held, the second one's waits for it,
   * and the third one's for that.
   */
  private static final class Chain {
    final Device first;
    final Device second;
    final Device third;
    final Blocker held; // on the first device
    final Blocker elsewhere; // on the second device's last queue
    final TimelineSemaphore produced;
    final TimelineSemaphore consumed;
    final TimelineSemaphore last;
    final TimelineSemaphore go; // never signalled by the device
    final TimelineSemaphore parked; // on the second device
    final TimelineSemaphore unrelated; // on the second device

    Chain(Cts cts, Device first, Device second, Device third) {
      this.first = first;
      this.second = second;
      this.third = third;
      produced = cts.semaphore();
      consumed = cts.semaphore();
      last = cts.semaphore();
      go = cts.semaphore();
      parked = cts.semaphore();
      unrelated = cts.semaphore();
      held = new Blocker(cts, first.queue(0));
      elsewhere = new Blocker(cts, second.queue(1));
      first.queue(0).barrier(held.timepoint(), produced.at(1));
      second.queue(0).barrier(produced.at(1), consumed.at(1));
      third.queue(0).barrier(consumed.at(1), last.at(1));
      second.queue(1).barrier(elsewhere.timepoint(), unrelated.at(1));
      second.queue(1).barrier(Fence.of(consumed.at(1), go.at(1)), parked.at(1));
      awaitIssued(first, 2);
      awaitIssued(second, 3);
      awaitIssued(third, 1);
      assertStaysPending(Fence.of(produced.at(1), consumed.at(1), last.at(1), unrelated.at(1)));
    }

    private static void awaitIssued(Device device, int count) {
      awaitStatistics(count + " operations to be issued", device, now -> now.issued() == count);
    }

    /**
     * The dependants fail with {@code status} once their streams are past the first device's work;
     * the rest of their devices goes on.
     */
    void assertDependantsFail(Status status, String part) {
      elsewhere.release();
      awaitReached("work that waits for nothing of that device", unrelated.at(1));
      held.release();
      assertHal(status, awaitFailure(consumed, 1), part);
      assertHal(status, awaitFailure(last, 1), part);
      assertHal(status, awaitFailure(parked, 1), part);
    }
  }

  private static void assertUsable(Cts cts, Device device) {
    assertNull(device.lostCause(), () -> "why " + device + " is lost");
    TimelineSemaphore works = cts.semaphore();
    for (int i = 0; i < device.queueCount(); i++) {
      device.queue(i).barrier(Fence.NONE, works.at(i + 1));
      awaitReached("work on a device that goes on", works.at(i + 1));
    }
  }

  private static void awaitRetired(Device device) {
    awaitStatistics("all operations to retire", device, now -> now.openOperations() == 0);
  }

  @Test
  @Rule({"S9a", "Q7"})
  void losingTheProducersDeviceFailsIssuedConsumers(Cts cts) {
    Chain chain = new Chain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
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

  /** A device with a producer, and what the test holds of it. */
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
  void whicheverProducersDeviceGivesUpFailsWhatIsIssuedBehindIt(Culprits culprits, Cts cts)
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

  /** Though nobody ever signals the other value that it waits for. */
  @Test
  @Rule({"S9a", "Q6", "Q7"})
  void losingTheProducersDeviceFailsParkedConsumers(Cts cts) {
    Chain chain = new Chain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
    cts.allowWarnings();
    cts.controls(chain.first).loseDevice(new HalException(Status.UNAVAILABLE, WHY));
    chain.held.release();
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), WHY);
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.parked, 1), WHY);
    assertPending(chain.unrelated, 1);
  }

  /** The loss is told once, and not to those who come when it is over. */
  @Test
  @Rule({"S9a", "Q7", "S3"})
  void workEnqueuedAfterTheLossFailsWithItsWait(Cts cts) {
    Chain chain = new Chain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
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
    Chain chain = new Chain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
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
    chain.second.close(); // and with it what is parked
    awaitFailure(chain.parked, 1, Status.CANCELLED);
  }

  @Test
  @Rule({"S9a", "Q8"})
  void aTimedOutCloseOfTheProducersDeviceFailsIssuedConsumers(Cts cts) {
    Chain chain =
        new Chain(
            cts,
            cts.open(ROOM, "close-timeout=100ms"),
            cts.openSecond(ROOM, "queues=2", "close-timeout=60s"),
            cts.open(ROOM, "close-timeout=60s"));
    cts.allowWarnings();
    chain.first.close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(chain.produced, 1));
    assertStaysPending(chain.consumed.at(1).and(chain.last.at(1)));
    chain.assertDependantsFail(Status.DEADLINE_EXCEEDED, "");
    awaitRetired(chain.second);
    awaitRetired(chain.third);
    assertUsable(cts, chain.second);
    assertUsable(cts, chain.third);
  }

  @Test
  @Rule({"S9a", "Q7", "Q8"})
  void aStreamThatDoesNotPassAnEventInTimeLosesItsDevice(Cts cts) {
    Chain chain =
        new Chain(
            cts,
            cts.open(ROOM, "close-timeout=100ms"),
            cts.openSecond(ROOM, "queues=2", "close-timeout=100ms"),
            cts.open(ROOM, "close-timeout=60s"));
    cts.allowWarnings();
    cts.allowLeftovers();
    chain.first.close();
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), "did not end within");
    awaitTrue("the device that is stuck to be lost", () -> chain.second.lostCause() != null);
    TimelineSemaphore refused = cts.semaphore();
    assertHal(Status.UNAVAILABLE, () -> chain.second.queue(0).barrier(Fence.NONE, refused.at(1)));
    assertNull(chain.third.lostCause(), "why a device with more patience is lost");
    assertPending(chain.last, 1);
    chain.held.release();
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.last, 1), "did not end within");
    awaitRetired(chain.third);
    assertUsable(cts, chain.third);
  }

  /** The time counts once, from the end of the first one's close-timeout. */
  @Test
  @Rule({"S9a", "Q8"})
  void aChainOfDevicesEndsWithinOneTimeout(Cts cts) throws Exception {
    Duration patience = Duration.ofSeconds(4);
    String option = "close-timeout=" + patience.toSeconds() + "s";
    Chain chain =
        new Chain(
            cts,
            cts.open(ROOM, "close-timeout=100ms"),
            cts.openSecond(ROOM, "queues=2", option),
            cts.open(ROOM, option));
    cts.allowWarnings();
    cts.allowLeftovers();
    long begin = System.nanoTime();
    Task<?> closing = Task.run("close", chain.first::close);
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.consumed, 1), "did not end within");
    assertHal(Status.UNAVAILABLE, awaitFailure(chain.last, 1), "did not end within");
    Duration waited = Duration.ofNanos(System.nanoTime() - begin);
    assertTrue(waited.compareTo(patience) >= 0, () -> "it has taken only " + waited);
    assertTrue(waited.compareTo(patience.multipliedBy(2)) < 0, () -> "it has taken " + waited);
    closing.join();
    chain.held.release();
  }

  @Test
  @Rule({"S9a", "S4"})
  void aHostWaitBehindADeviceThatIsGoneEndsAtItsDeadline(Cts cts) {
    Chain chain =
        new Chain(
            cts,
            cts.open(ROOM, "close-timeout=100ms"),
            cts.openSecond(ROOM, "queues=2", "close-timeout=60s"),
            cts.open(ROOM, "close-timeout=60s"));
    cts.allowWarnings();
    chain.first.close();
    assertHal(
        Status.DEADLINE_EXCEEDED, () -> chain.last.await(1, Duration.ofMillis(100)), "waited");
    chain.assertDependantsFail(Status.DEADLINE_EXCEEDED, "did not end within");
  }

  @Test
  @Rule({"S9a", "Q8"})
  void closingTheConsumersDeviceWaitsForTheProducer(Cts cts) throws Exception {
    Chain chain = new Chain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
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
  @Rule({"S9a", "Q8"})
  void aTimedOutCloseOfTheConsumersDeviceDoesNotAffectTheProducer(Cts cts) {
    Chain chain =
        new Chain(
            cts,
            cts.open(ROOM),
            cts.openSecond(ROOM, "queues=2", "close-timeout=100ms"),
            cts.open(ROOM, "close-timeout=60s"));
    cts.allowWarnings();
    cts.allowLeftovers();
    chain.elsewhere.release();
    awaitReached(chain.unrelated, 1);
    chain.second.close();
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(chain.consumed, 1));
    assertPending(chain.produced, 1);
    chain.held.release();
    awaitReached(chain.produced, 1);
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(chain.last, 1));
    awaitRetired(chain.first);
    awaitRetired(chain.third);
    assertUsable(cts, chain.first);
    assertUsable(cts, chain.third);
  }

  @Test
  @Rule({"S9a", "Q7"})
  void losingTheConsumersDeviceDoesNotAffectTheProducer(Cts cts) throws Exception {
    Chain chain = new Chain(cts, cts.open(ROOM), cts.openSecond(ROOM, "queues=2"), cts.open(ROOM));
    cts.allowWarnings();
    // A driver may wait for what is on the device when it plays the loss.
    Task<?> losing =
        Task.run(
            "lose",
            () -> cts.controls(chain.second).loseDevice(new HalException(Status.UNAVAILABLE, WHY)));
    boolean ignored = Waits.becomesTrue(CHANCE, () -> chain.second.lostCause() != null);
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
    Chain.awaitIssued(other, hops / 2);
    Chain.awaitIssued(lost, hops / 2 + 1);
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
                    (i % 2 == 0 ? ending : other)
                        .queue(0)
                        .barrier(timeline.at(i), timeline.at(i + 1));
                  } catch (HalException refused) {
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
