// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Signals of operations that are overtaken by other signals (rule S1a). */
@CtsSuite
class SignalOrderTest {
  @Test
  @Rule("S1a")
  @Needs(Need.TWO_QUEUES)
  void twoQueuesMaySignalOneTimelineOutOfOrder(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore beside = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    cts.queue(0).barrier(blocker.timepoint(), Fence.of(timeline.at(1), beside.at(1)));
    cts.queue(1).barrier(Fence.NONE, timeline.at(2));
    awaitReached(timeline, 2);
    assertPending(beside, 1);
    blocker.release();
    awaitReached(beside, 1);
    assertEquals(2, timeline.value(), "a signal of less must not lower the value");
  }

  @Test
  @Rule("S1a")
  void aHostSignalMayOvertakeAnOperation(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    HeldOperation held =
        new HeldOperation(
            cts, cts.queue(), Fence.NONE, Fence.of(before.at(1), timeline.at(5), after.at(1)));
    held.awaitRunning();
    timeline.signal(10);
    held.complete();
    awaitReached(Fence.of(before.at(1), after.at(1)));
    assertEquals(10, timeline.value());
    timeline.signal(11);
  }

  @Test
  @Rule({"S1a", "S3"})
  void aSignalToAFailedSemaphoreIsDroppedAndOthersGoOn(Cts cts) {
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    HeldOperation held =
        new HeldOperation(
            cts, cts.queue(), Fence.NONE, Fence.of(before.at(1), failed.at(1), after.at(1)));
    held.awaitRunning();
    failed.fail(new HalException(Status.DATA_LOSS, "meanwhile"));
    held.complete();
    awaitReached(Fence.of(before.at(1), after.at(1)));
    assertHal(Status.DATA_LOSS, failed::value, "meanwhile");
  }

  @Test
  @Rule({"S1a", "S8"})
  void aSignalToAClosedSemaphoreIsDroppedAndOthersGoOn(Cts cts) {
    TimelineSemaphore closed = cts.semaphore();
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    HeldOperation held =
        new HeldOperation(
            cts, cts.queue(), Fence.NONE, Fence.of(before.at(1), closed.at(1), after.at(1)));
    held.awaitRunning();
    closed.close();
    held.complete();
    awaitReached(Fence.of(before.at(1), after.at(1)));
  }

  @Test
  @Rule("S1a")
  void signalsAreAppliedInListOrder(Cts cts) {
    List<TimelineSemaphore> semaphores = new ArrayList<>();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 8; i++) {
      int place = i;
      TimelineSemaphore semaphore = cts.semaphore();
      semaphore.onReach(1, failure -> order.add(place));
      semaphores.add(semaphore);
    }
    cts.queue().barrier(Fence.NONE, Fence.of(semaphores.stream().map(s -> s.at(1)).toList()));
    awaitTrue("all callbacks of one operation's signals", () -> order.size() == 8);
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7), order);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S1a")
  void everySignalOfAnOperationRaisesItsOwnValue(OperationKind kind, Cts cts) {
    kind.need(cts);
    DeviceBuffer buffer = cts.buffer(16);
    for (boolean isParked : new boolean[] {false, true}) {
      TimelineSemaphore go = cts.semaphore();
      List<Timepoint> signals = new ArrayList<>();
      for (long value : new long[] {1, 7, 2, 1L << 40, 3}) {
        signals.add(cts.semaphore().at(value));
      }
      kind.enqueue(cts, cts.queue(), isParked ? go.at(1) : Fence.NONE, Fence.of(signals), buffer);
      go.signal(1);
      awaitReached(Fence.of(signals));
      for (Timepoint signal : signals) {
        assertEquals(signal.value(), signal.semaphore().value(), "the value that was signalled");
      }
    }
  }

  @Test
  @Rule("S1a")
  void theLargerOfTwoSignalsToOneSemaphoreCounts(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<Long> seen = Collections.synchronizedList(new ArrayList<>());
    semaphore.onReach(1, failure -> seen.add(semaphore.value()));
    cts.queue().barrier(Fence.NONE, Fence.of(semaphore.at(3), semaphore.at(1)));
    awaitReached(semaphore, 3);
    awaitTrue("the callback", () -> !seen.isEmpty());
    assertEquals(List.of(3L), seen);
  }

  @Test
  @Rule("S1a")
  void theLargerOfTwoWaitsForOneSemaphoreCounts(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(Fence.of(semaphore.at(3), semaphore.at(1)), done.at(1));
    semaphore.signal(2);
    cts.flush(cts.queue());
    assertPending(done, 1);
    semaphore.signal(3);
    awaitReached(done, 1);
  }

  @Test
  @Rule({"S1a", "Q10"})
  void manyOperationsRaceOnOneTimeline(Cts cts) throws Exception {
    int perThread = 300;
    TimelineSemaphore timeline = cts.semaphore();
    List<TimelineSemaphore> own = Collections.synchronizedList(new ArrayList<>());
    TimelineSemaphore go = cts.semaphore();
    List<Task<?>> submitters = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      int thread = t;
      submitters.add(
          Task.run(
              "submitter",
              () -> {
                DeviceQueue queue = cts.queue(thread % cts.device().queueCount());
                for (int i = 1; i <= perThread; i++) {
                  TimelineSemaphore mine = cts.semaphore();
                  own.add(mine);
                  queue.barrier(go.at(1), Fence.of(timeline.at(i), mine.at(1)));
                }
              }));
    }
    for (Task<?> submitter : submitters) {
      submitter.join();
    }
    go.signal(1);
    awaitReached(Fence.of(own.stream().map(s -> s.at(1)).toList()));
    awaitReached(timeline, perThread);
    assertEquals(perThread, timeline.value());
  }
}
