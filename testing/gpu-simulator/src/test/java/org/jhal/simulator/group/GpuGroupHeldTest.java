// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.simulator.fixture.HeldStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Groups end while streams are held by other work, or by another group's collective: nothing has
 * stalled, so nothing is aborted, and no device is lost, before the streams can continue.
 */
class GpuGroupHeldTest extends SimulatedGroups {
  /** How long we watch for an unwanted abort. */
  private static final Duration CHANCE = Duration.ofMillis(300);

  private void assertNothingIsAborted(Device... open) {
    assertNothingIsAborted(CHANCE, open);
  }

  private void assertNothingIsAborted(Duration limit, Device... open) {
    assertFalse(becomesTrue(limit, () -> aborts() > 0), "an abort while the streams are held");
    assertNoneLost(open);
  }

  @Test
  void closesAGroupWithAChainBehindAProducer() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    List<TimelineSemaphore> next = group.start(all(ends));
    awaitLaunched(2);
    group.group.close();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed");
    assertAllFail(next, Status.DEADLINE_EXCEEDED, "was closed");
    assertNothingIsAborted(here, there);
    stream.release();
    group.close();
  }

  @Test
  void closesAGroupBehindAHeldGroup() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    SummingGroup other = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    List<TimelineSemaphore> next = other.start(Fence.NONE);
    awaitLaunched(2);
    other.group.close();
    assertAllFail(next, Status.DEADLINE_EXCEEDED, "was closed");
    assertPending(ends.get(0), 1);
    assertNothingIsAborted(here, there);
    stream.release();
    awaitReached(all(ends));
    group.close();
    other.close();
  }

  /** Its deadline is far away. */
  @Test
  void closesAGroupBehindAStalledGroup() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    SummingGroup other = new SummingGroup(here, there);
    collectives().stall(1);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitLaunched(1);
    List<TimelineSemaphore> next = other.start(Fence.NONE);
    awaitLaunched(2);
    other.group.close();
    assertAllFail(next, Status.DEADLINE_EXCEEDED, "was closed");
    assertNothingIsAborted(here, there);
    collectives().go(1);
    awaitReached(all(ends));
    group.close();
    other.close();
  }

  @Test
  void closesADeviceWithAChainBehindAProducer() {
    Device here = open(0);
    Device there = open(1);
    Device producing = openApart();
    SummingGroup group = new SummingGroup(here, there);
    HeldStream stream = hold(producing);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    List<TimelineSemaphore> next = group.start(all(ends));
    awaitLaunched(2);
    there.close();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed");
    HalException unused = awaitFailure(next.get(0), 1);
    assertNothingIsAborted(here);
    stream.release();
    group.close();
  }

  @Test
  void aCollectiveThatWaitsForAnotherGroupFailsWithIt() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    SummingGroup other = new SummingGroup(here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    List<TimelineSemaphore> next = other.start(all(ends));
    awaitLaunched(2);
    group.group.close();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed");
    assertAllFail(next, Status.DEADLINE_EXCEEDED, "was closed"); // the streams are held still
    assertNothingIsAborted(here, there);
    stream.release();
    group.close();
    other.close();
  }

  // Deadlines of other groups, which are unaffected by the failure.

  @Test
  void theDeadlineDoesNotRunBehindAFailedCollective() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    SummingGroup other = new SummingGroup(SHORT, here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    List<TimelineSemaphore> next = other.start(Fence.NONE);
    awaitLaunched(2);
    group.group.close();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed");
    assertNotLate(other, next);
    stream.release();
    awaitReached(all(next));
    group.close();
    other.close();
  }

  /** An abort takes a while once the stream continues. */
  @Test
  void theDeadlineDoesNotRunBehindAnAbortedCollective() {
    Device here = open(0, "&abort-timeout=60s"); // or the hanging abort would lose it
    Device there = open(1, "&abort-timeout=60s");
    SummingGroup group = new SummingGroup(here, there);
    SummingGroup other = new SummingGroup(SHORT, here, there);
    HeldStream stream = hold(there);
    collectives().stall(1);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    List<TimelineSemaphore> next = other.start(Fence.NONE);
    awaitLaunched(2);
    collectives().hangAbort(1);
    group.group.close();
    assertAllFail(ends, Status.DEADLINE_EXCEEDED, "was closed");
    stream.release();
    awaitTrue("the abort", () -> aborts() == 2);
    assertNotLate(other, next);
    collectives().releaseAbort(1);
    collectives().go(1);
    awaitReached(all(next));
    group.close();
    other.close();
  }

  /** Its other device still waits for a producer, which is unaffected by the loss. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theDeadlineDoesNotRunBehindACollectiveOfALostDevice(boolean isFirst) {
    Device here = open(0);
    Device there = open(1);
    Device lost = openApart();
    SummingGroup group = isFirst ? new SummingGroup(lost, here) : new SummingGroup(here, lost);
    SummingGroup other = new SummingGroup(SHORT, here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    List<TimelineSemaphore> next = other.start(Fence.NONE);
    awaitLaunched(2);
    ((EngineDevice<?>) lost).lose(new HalException(Status.UNAVAILABLE, "enough"));
    assertAllFail(ends, Status.UNAVAILABLE, "enough");
    assertNotLate(other, next);
    stream.release();
    awaitReached(all(next));
    assertNoneLost(here, there);
    group.close();
    other.close();
  }

  /** No part of it is in a stream, and the work there is unrelated to it. */
  @Test
  void aCollectiveThatIsNotLaunchedEndsNothing() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    HeldStream stream = hold(there);
    List<TimelineSemaphore> ends = group.start(stream.producer());
    awaitLaunched(1);
    List<TimelineSemaphore> next = new ArrayList<>();
    try (HeldGate gate = new HeldGate(openApart())) {
      next.addAll(group.start(Fence.NONE));
      assertNothingIsAborted(SHORT.deadline().multipliedBy(2), here, there);
    }
    assertNull(group.group.failure());
    stream.release();
    awaitReached(all(ends));
    assertAllFail(next, Status.DEADLINE_EXCEEDED, "other groups, did not end");
    assertNull(group.group.failure());
    assertNothingIsAborted(here, there);
    group.close();
  }
}
