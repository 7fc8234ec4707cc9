// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.LIMIT;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;

/** Operations that wait for timelines and signal them. */
@CtsSuite
class SemaphoreSubmissionTest {
  /** Device work with a visible effect: it sets the first int of its buffer to one. */
  private static final class Counter {
    private final Cts cts;
    private final DeviceBuffer buffer;

    Counter(Cts cts) {
      this.cts = cts;
      this.buffer = cts.buffer(TestData.ints(0, 0));
    }

    void enqueue(DeviceQueue queue, Fence waits, Fence signals) {
      queue.copy(waits, signals, one(), 0, buffer, 0, 4);
    }

    private DeviceBuffer one() {
      return cts.buffer(TestData.ints(1));
    }

    boolean hasRun() {
      return TestData.toInts(cts.read(buffer))[0] == 1;
    }
  }

  @Test
  @Rule("Q9")
  void aSubmissionWithoutCommandsWaitsAndSignals(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(go.at(1), done.at(1));
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 1);
  }

  @Test
  @Rule("Q9")
  void effectsAreVisibleWhenWorkSignals(Cts cts) {
    Counter counter = new Counter(cts);
    TimelineSemaphore done = cts.semaphore(100);
    counter.enqueue(cts.queue(), Fence.NONE, done.at(101));
    awaitReached(done, 101);
    assertEquals(true, counter.hasRun());
    assertEquals(101, done.value());
  }

  @Test
  @Rule({"S5", "Q4"})
  void workDoesNotRunBeforeItsWaitIsReached(Cts cts) {
    Counter counter = new Counter(cts);
    TimelineSemaphore go = cts.semaphore(1);
    TimelineSemaphore done = cts.semaphore(100);
    counter.enqueue(cts.queue(), go.at(2), done.at(101));
    cts.flush(cts.queue());
    assertPending(done, 101);
    assertEquals(100, done.value());
    assertEquals(false, counter.hasRun(), "ran before its wait was met");
    go.signal(2);
    awaitReached(done, 101);
    assertEquals(true, counter.hasRun());
  }

  @Test
  @Rule("S5")
  void waitsThatAreAlreadyReachedDoNotDelayWork(Cts cts) {
    TimelineSemaphore go = cts.semaphore(2);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(Fence.of(go.at(1), go.at(2), go.at(0)), done.at(1));
    awaitReached(done, 1);
  }

  @Test
  @Rule({"S5", "Q5"})
  @Needs(Need.TWO_QUEUES)
  void aWaitMayComeBeforeItsSignalOnAnotherQueue(Cts cts) {
    Counter counter = new Counter(cts);
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    counter.enqueue(cts.queue(1), middle.at(1), done.at(1));
    cts.flush(cts.queue(1));
    assertPending(done, 1);
    cts.queue(0).barrier(Fence.NONE, middle.at(1));
    awaitReached(done, 1);
    assertEquals(true, counter.hasRun());
  }

  @Test
  @Rule("S2")
  @Needs(Need.TWO_QUEUES)
  void oneSignalReleasesSeveralQueues(Cts cts) {
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue(0).barrier(middle.at(1), first.at(1));
    cts.queue(1).barrier(middle.at(2), second.at(1));
    cts.flush(cts.queue(0));
    cts.flush(cts.queue(1));
    assertPending(first, 1);
    assertPending(second, 1);
    middle.signal(3);
    awaitReached(Fence.of(first.at(1), second.at(1)));
    assertEquals(3, middle.value());
  }

  @Test
  @Rule({"Q2", "Q3"})
  void aBindingTableIsCapturedAndItsBuffersStayAlive(Cts cts) {
    Device device = cts.device();
    byte[] data = TestData.bytes(256);
    byte[] read = new byte[256];
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    try (DeviceBuffer source = device.allocate(256, BufferParams.DEVICE);
        DeviceBuffer target = device.allocate(256, BufferParams.DEVICE);
        DeviceBuffer decoy = device.allocate(256, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      cts.write(source, 0, data);
      commands.copy(Slot.of(0), 0, Slot.of(1), 0, 256);
      commands.end();
      BindingTable table = BindingTable.of(source, target);
      cts.queue().execute(go.at(1), done.at(1), commands, table);
      cts.queue().readback(done.at(1), done.at(2), target, 0, ByteBuffer.wrap(read));
      table.set(0, decoy).set(1, decoy);
    }
    go.signal(1);
    awaitReached(done, 2);
    assertBytes(data, read, "copied through a table");
  }

  @Test
  @Rule("S5")
  void allWaitsAreRequiredAndAllSignalsRaised(Cts cts) {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore left = cts.semaphore();
    TimelineSemaphore right = cts.semaphore();
    cts.queue().barrier(Fence.of(first.at(1), second.at(1)), Fence.of(left.at(1), right.at(7)));
    first.signal(1);
    cts.flush(cts.queue());
    assertPending(left, 1);
    assertPending(right, 7);
    second.signal(1);
    awaitReached(Fence.of(left.at(1), right.at(7)));
  }

  @Test
  @Rule("S6")
  void hostWaitsForAllOfHostAndDeviceSignals(Cts cts) throws Exception {
    TimelineSemaphore host = cts.semaphore();
    TimelineSemaphore device = cts.semaphore();
    Task<?> waiter = Task.run("waiter", () -> Fence.of(host.at(1), device.at(1)).awaitAll(LIMIT));
    cts.queue().barrier(Fence.NONE, device.at(1));
    awaitReached(device, 1);
    waiter.awaitBlocked();
    host.signal(1);
    waiter.join();
  }

  @Test
  @Rule("S6")
  void hostWaitsForAnyAndTheDeviceSignals(Cts cts) throws Exception {
    TimelineSemaphore host = cts.semaphore();
    TimelineSemaphore device = cts.semaphore();
    cts.queue().barrier(Fence.NONE, device.at(1));
    Fence.of(host.at(1), device.at(1)).awaitAny(LIMIT);
    assertPending(host, 1);
  }

  @Test
  @Rule("S6")
  void hostWaitsForAnyAndTheHostSignals(Cts cts) throws Exception {
    TimelineSemaphore host = cts.semaphore();
    TimelineSemaphore device = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(blocker.timepoint(), device.at(1));
    Task<?> waiter = Task.run("waiter", () -> Fence.of(host.at(1), device.at(1)).awaitAny(LIMIT));
    host.signal(1);
    waiter.join();
    assertPending(device, 1);
    blocker.release();
    awaitReached(device, 1);
  }

  @Test
  @Rule("S5")
  void aConsumerMayBeEnqueuedBeforeItsProducer(Cts cts) {
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    Counter counter = new Counter(cts);
    cts.queue().barrier(middle.at(1), done.at(1));
    counter.enqueue(cts.queue(), Fence.NONE, middle.at(1));
    awaitReached(done, 1);
    assertEquals(true, counter.hasRun(), "the producer's effects behind the consumer's signal");
  }

  @Test
  @Rule("Q4")
  void consumersDoNotWaitForAnUnrelatedProducer(Cts cts) {
    TimelineSemaphore wanted = cts.semaphore();
    TimelineSemaphore unrelated = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue().barrier(wanted.at(1), first.at(1));
    cts.queue().barrier(wanted.at(1), second.at(1));
    cts.queue().barrier(go.at(1), unrelated.at(1));
    cts.queue().barrier(Fence.NONE, wanted.at(1));
    awaitReached(Fence.of(first.at(1), second.at(1)));
    assertPending(unrelated, 1);
    go.signal(1);
    awaitReached(unrelated, 1);
  }

  @Test
  @Rule("S2")
  void aJumpReleasesOperationsThatWaitForLess(Cts cts) {
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue().barrier(middle.at(1), first.at(1));
    cts.queue().barrier(middle.at(2), second.at(1));
    cts.queue().barrier(Fence.NONE, middle.at(3));
    awaitReached(Fence.of(first.at(1), second.at(1)));
  }

  @Test
  @Rule("S5")
  void workMayWaitForTheDeviceAndTheHost(Cts cts) {
    TimelineSemaphore device = cts.semaphore();
    TimelineSemaphore host = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(Fence.NONE, device.at(1));
    cts.queue().barrier(Fence.of(device.at(1), host.at(1)), done.at(1));
    awaitReached(device, 1);
    cts.flush(cts.queue());
    assertPending(done, 1);
    host.signal(1);
    awaitReached(done, 1);
  }

  @Test
  @Rule("S2")
  void oneDeviceSignalWakesWorkAndTheHost(Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(go.at(1), middle.at(1));
    cts.queue().barrier(middle.at(1), done.at(1));
    Task<?> waiter = Task.run("waiter", () -> middle.await(1, LIMIT));
    waiter.awaitBlocked();
    go.signal(1);
    waiter.join();
    awaitReached(done, 1);
  }

  @Test
  @Rule("S2")
  void workMayWaitForLessThanTheValue(Cts cts) {
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    cts.queue().barrier(middle.at(1), before.at(1));
    cts.queue().barrier(Fence.NONE, middle.at(2));
    awaitReached(middle, 2);
    cts.queue().barrier(middle.at(1), after.at(1));
    awaitReached(Fence.of(before.at(1), after.at(1)));
  }

  @Test
  @Rule("Q6")
  void aFailedWaitFailsTheSignals(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(go.at(1), done.at(1));
    go.fail(new HalException(Status.CANCELLED, "not needed"));
    assertHal(Status.CANCELLED, awaitFailure(done, 1), "not needed");
  }

  @Test
  @Rule("S5")
  void thousandsOfOperationsMayWaitForOneTimeline(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    int count = 5_000;
    List<TimelineSemaphore> done = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TimelineSemaphore one = cts.semaphore();
      cts.queue(i % cts.device().queueCount()).barrier(go.at(1 + i % 3), one.at(1));
      done.add(one);
    }
    go.signal(3);
    awaitReached(Fence.of(done.stream().map(s -> s.at(1)).toList()));
  }

  @Test
  @Rule("S1a")
  void aReachedSignalValueIsRejectedWithoutEffect(Cts cts) {
    TimelineSemaphore reached = cts.semaphore(5);
    TimelineSemaphore other = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(TestData.ints(0));
    for (long value : new long[] {5, 4, 0}) {
      assertHal(
          Status.OUT_OF_RANGE,
          () ->
              cts.queue()
                  .fill(
                      Fence.NONE,
                      Fence.of(other.at(1), reached.at(value)),
                      buffer,
                      0,
                      4,
                      FillPattern.of8(7)),
          String.valueOf(value),
          "5");
    }
    cts.flush(cts.queue());
    assertPending(other, 1);
    assertEquals(5, reached.value());
    assertBytes(TestData.ints(0), cts.read(buffer), "the buffer of a refused operation");
  }
}
