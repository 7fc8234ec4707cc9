// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When operations are accepted and issued: rules Q1, Q4 and Q5. */
@CtsSuite
class QueueOrderTest {
  @ParameterizedTest
  @EnumSource
  @Rule("Q1")
  void enqueueingDoesNotBlockOnAnOpenWait(OperationKind kind, Cts cts) throws Exception {
    kind.need(cts);
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    Task.run("submitter", () -> kind.enqueue(cts, cts.queue(), go.at(1), done.at(1), buffer))
        .join();
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("Q1")
  void enqueueingDoesNotBlockOnAFullStream(OperationKind kind, Cts cts) throws Exception {
    kind.need(cts);
    int count = 2_000; // more than a queue has in flight
    DeviceBuffer buffer = cts.buffer(16 * count);
    List<TimelineSemaphore> done = new ArrayList<>();
    Blocker blocker = new Blocker(cts, cts.queue());
    Task.run(
            "submitter",
            () -> {
              for (int i = 0; i < count; i++) {
                TimelineSemaphore one = cts.semaphore();
                DeviceBuffer own = buffer.slice(16L * i, 16);
                kind.enqueue(cts, cts.queue(), blocker.timepoint(), one.at(1), own);
                done.add(one);
              }
            })
        .join();
    done.forEach(one -> assertPending(one, 1));
    blocker.release();
    awaitReached(Fence.of(done.stream().map(s -> s.at(1)).toList()));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("Q4")
  void aParkedOperationDoesNotDelayOthers(OperationKind kind, Cts cts) {
    kind.need(cts);
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore parked = cts.semaphore();
    TimelineSemaphore free = cts.semaphore();
    kind.enqueue(cts, cts.queue(), go.at(1), parked.at(1), buffer);
    kind.enqueue(cts, cts.queue(), Fence.NONE, free.at(1), buffer);
    awaitReached(free, 1);
    assertPending(parked, 1);
    go.signal(1);
    awaitReached(parked, 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 10})
  @Rule("Q4")
  @Needs(Need.CONTROLS)
  @FreshDevice("inflight=1")
  void readyOperationsAreIssuedInEnqueueOrder(int failing, Cts cts) {
    int count = 10;
    DeviceBuffer buffer = cts.buffer(16 * count);
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> done = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TimelineSemaphore one = cts.semaphore();
      cts.queue().fill(go.at(count - i), one.at(1), buffer, 16L * i, 16, FillPattern.ZERO);
      done.add(one);
    }
    Blocker blocker = new Blocker(cts, cts.queue());
    for (int value = 1; value <= count; value++) {
      go.signal(value); // the last one enqueued becomes ready first
    }
    assertEquals(count, cts.device().statistics().ready());
    cts.controls().failNext("issue", failing, Status.ABORTED, false);
    blocker.release();
    for (int i = 0; i < count; i++) {
      if (i == failing - 1) {
        awaitFailure(done.get(i), 1, Status.ABORTED);
      } else {
        awaitReached(done.get(i), 1);
      }
    }
  }

  @Test
  @Rule("Q4")
  @Needs({Need.CONTROLS, Need.THREE_QUEUES})
  @FreshDevice({"inflight=4", "queues=3"})
  void aNewOperationDoesNotOvertakeAReadyOne(Cts cts) {
    Blocker soon = new Blocker(cts, cts.queue(1));
    Blocker late = new Blocker(cts, cts.queue(2));
    DeviceQueue queue = cts.queue(0);
    List<Timepoint> inFlight = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Timepoint end = cts.semaphore().at(1);
      queue.barrier(i == 0 ? soon.timepoint() : late.timepoint(), end);
      inFlight.add(end);
    }
    TimelineSemaphore ready = cts.semaphore();
    TimelineSemaphore newcomer = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(cts.device(), 16, BufferParams.DEVICE);
    queue.fill(Fence.NONE, ready.at(1), buffer, 0, 8, FillPattern.of8(1));
    assertEquals(1, cts.device().statistics().ready());
    long retired = cts.device().statistics().retired();
    // Whichever is issued first. It may be issued as soon as there is room, before the new one
    // comes.
    cts.controls().failNext("issue", 1, Status.ABORTED, false);
    soon.release();
    awaitStatistics(
        "the briefly held operations to make room in the stream",
        cts.device(),
        now -> now.retired() >= retired + 2);
    queue.fill(Fence.NONE, newcomer.at(1), buffer, 8, 8, FillPattern.of8(2));
    late.release();
    awaitFailure(ready, 1, Status.ABORTED);
    awaitReached(newcomer, 1);
    awaitReached(Fence.of(inFlight));
  }

  @Test
  @Rule("Q5")
  @FreshDevice("inflight=64")
  void aConsumerIsIssuedBeforeItsProducerEnds(Cts cts) {
    Blocker blocker = new Blocker(cts, cts.queue(0));
    long issued = cts.device().statistics().issued();
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    DeviceBuffer buffer = cts.buffer(16);
    other.fill(blocker.timepoint(), first.at(1), buffer, 0, 16, FillPattern.of8(1));
    other.fill(first.at(1), second.at(1), buffer, 0, 16, FillPattern.of8(2));
    awaitStatistics(
        "two consumers of unfinished work to be issued",
        cts.device(),
        now -> now.issued() >= issued + 2);
    assertEquals(0, cts.device().statistics().parked());
    assertPending(first, 1);
    blocker.release();
    awaitReached(second, 1);
    assertBytes(filled(16, 2), cts.read(buffer), "filled twice");
  }

  @Test
  @Rule("Q5")
  @FreshDevice("inflight=64")
  void aParkedConsumerIsIssuedWithItsProducer(Cts cts) {
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    other.barrier(produced.at(1), done.at(1));
    cts.queue(0).barrier(go.at(1), produced.at(1));
    assertEquals(2, cts.device().statistics().parked());
    Blocker blocker = new Blocker(cts, cts.queue(0));
    long issued = cts.device().statistics().issued();
    cts.queue(0).barrier(blocker.timepoint(), go.at(1));
    awaitTrue(
        "a chain behind unfinished work to be issued",
        () -> cts.device().statistics().issued() >= issued + 3);
    assertPending(done, 1);
    blocker.release();
    awaitReached(done, 1);
  }

  @Test
  @Rule("Q5")
  @FreshDevice("inflight=64")
  void aWaitIsCoveredByTheProducerOfALargerValue(Cts cts) {
    Blocker blocker = new Blocker(cts, cts.queue(0));
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue(0).barrier(blocker.timepoint(), timeline.at(10));
    long issued = cts.device().statistics().issued();
    cts.queue(0).barrier(timeline.at(3), done.at(1));
    awaitTrue(
        "a wait for less than an unfinished producer signals to be issued",
        () -> cts.device().statistics().issued() > issued);
    blocker.release();
    awaitReached(done, 1);
    assertEquals(10, timeline.value());
  }

  @Test
  @Rule({"Q5", "Q9"})
  @Needs(Need.THREE_QUEUES)
  @FreshDevice({"inflight=64", "queues=3"})
  void aConsumerDoesNotWaitForLaterProducers(Cts cts) {
    Blocker first = new Blocker(cts, cts.queue(0));
    Blocker second = new Blocker(cts, cts.queue(1));
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    for (int i = 1; i <= 3; i++) {
      cts.queue(i == 1 ? 0 : 1)
          .barrier(i == 1 ? first.timepoint() : second.timepoint(), timeline.at(i));
    }
    cts.queue(2).barrier(timeline.at(1), consumed.at(1));
    Task<?> waiter = Task.run("waiter", () -> timeline.await(1, Waits.LIMIT));
    assertStaysPending(consumed.at(1));
    first.release();
    awaitReached("a consumer of the first of three producers", consumed.at(1));
    assertNull(waiter.joined(), "a host wait for the first of three producers");
    assertPending(timeline, 2);
    second.release();
    awaitReached(timeline, 3);
  }

  @Test
  @Rule("Q9")
  void noSignalIsVisibleBeforeItsWorkIsDone(Cts cts) {
    List<OperationKind> kinds = OperationKind.of(cts, cts.device());
    DeviceBuffer buffer = cts.buffer(filled(16 * kinds.size(), 0));
    cts.awaitIdle(); // later operations may reuse the event of the upload
    Blocker blocker = new Blocker(cts, cts.queue());
    List<Timepoint> ends = new ArrayList<>();
    for (OperationKind kind : kinds) {
      TimelineSemaphore done = cts.semaphore();
      DeviceBuffer own = buffer.slice(16L * ends.size(), 16);
      kind.enqueue(cts, cts.queue(), blocker.timepoint(), done.at(1), own);
      ends.add(done.at(1));
    }
    assertStaysPending(blocker.timepoint());
    assertStaysPending(Fence.of(ends));
    blocker.release();
    awaitReached(Fence.of(ends));
  }

  @Test
  @Rule({"Q5", "Q9"})
  @Needs(Need.TWO_QUEUES)
  void aConsumerOnAnotherQueueSeesTheWritesOfItsProducer(Cts cts) {
    DeviceBuffer source = cts.buffer(filled(16, 1));
    DeviceBuffer target = cts.buffer(filled(16, 0));
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore consumed = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    cts.queue(0).fill(blocker.timepoint(), produced.at(1), source, 0, 16, FillPattern.of8(2));
    cts.queue(1).copy(produced.at(1), consumed.at(1), source, 0, target, 0, 16);
    assertStaysPending(consumed.at(1)); // long enough for a copy that does not wait
    blocker.release();
    awaitReached(consumed, 1);
    assertBytes(filled(16, 2), cts.read(target), "the bytes that a copy on another queue saw");
  }

  @Test
  @Rule({"Q5", "S5"})
  @Needs(Need.THREE_QUEUES)
  @FreshDevice("queues=3")
  void aConsumerWaitsForAllOfManyUnfinishedProducers(Cts cts) {
    TimelineSemaphore consumed = cts.semaphore();
    Blocker most = new Blocker(cts, cts.queue(0));
    Blocker last = new Blocker(cts, cts.queue(1));
    List<Timepoint> produced = new ArrayList<>();
    for (int i = 0; i < 100; i++) { // more than a native call may accept at a time
      Timepoint own = cts.semaphore().at(1);
      cts.queue(0).barrier(most.timepoint(), own);
      produced.add(own);
    }
    cts.queue(2).barrier(Fence.of(produced).and(last.timepoint()), consumed.at(1));
    most.release();
    awaitReached(Fence.of(produced));
    assertStaysPending(consumed.at(1));
    last.release();
    awaitReached(consumed, 1);
  }

  @Test
  @Rule({"Q9", "Q5"})
  void aVisibleValueImpliesTheValuesItDependsOn(Cts cts) throws Exception {
    DeviceQueue other = cts.queue(cts.device().queueCount() - 1);
    for (int round = 0; round < 200; round++) {
      TimelineSemaphore produced = cts.device().createSemaphore(0);
      TimelineSemaphore done = cts.device().createSemaphore(0);
      cts.queue(0).barrier(Fence.NONE, produced.at(1));
      other.barrier(produced.at(1), done.at(1));
      done.await(1, Waits.LIMIT);
      assertEquals(1, produced.value(), "seen through a dependant");
      produced.close();
      done.close();
    }
  }

  @Test
  @Rule("Q1")
  void rejectsAnAbsentQueueIndex(Cts cts) {
    int count = cts.device().queueCount();
    assertHal(Status.OUT_OF_RANGE, () -> cts.queue(count), String.valueOf(count));
    assertHal(Status.OUT_OF_RANGE, () -> cts.queue(-1), "-1");
    for (int i = 0; i < count; i++) {
      assertEquals(i, cts.queue(i).index());
    }
  }
}
