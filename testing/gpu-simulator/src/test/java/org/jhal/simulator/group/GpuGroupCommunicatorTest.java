// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Form;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.simulator.fixture.HeldStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The communicators of groups: their creation, reuse and end, and hangs after the library's calls.
 */
@ParameterizedClass
@MethodSource("org.jhal.simulator.group.CollectiveVersions#all")
class GpuGroupCommunicatorTest extends SimulatedGroups {
  private static final int REMOTE_ERROR = 6;

  /** For communicators that are never made. */
  private static final Options HASTY = Options.DEFAULT.withDeadline(Duration.ofMillis(100));

  GpuGroupCommunicatorTest(int version) {
    super(version);
  }

  /** How many communicators of pairs were created. */
  private long made() {
    return collectives().calls().getOrDefault(making(), 0L) * (isBlocking() ? 2 : 1);
  }

  private long destroyed() {
    return collectives().calls().getOrDefault("ncclCommDestroy", 0L);
  }

  private static Form form(CollectiveGroup group) {
    return group.form(Kind.BROADCAST, null, null);
  }

  // Creation.

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void usesTheHostIfARankIsNeverReady(int hanging) {
    assumeNotBlocking();
    Device here = open(0);
    Device there = open(1);
    collectives().hang("@init", hanging);
    try (CollectiveGroup group = CollectiveGroup.of(List.of(here, there), HASTY)) {
      assertEquals("host", form(group).name());
      assertTrue(form(group).reason().contains("within 0.1 s"), () -> form(group).reason());
    }
    awaitNoCommunicators();
    collectives().release("@init", hanging);
    SummingGroup.checkUsable(here, there);
  }

  /**
   * The hanging call keeps its resources until it returns, and blocks other groups only until the
   * deadline.
   */
  @Test
  void usesTheHostIfTheCallHangs() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup sound = new SummingGroup(there, here);
    collectives().hang(making());
    try (CollectiveGroup group = CollectiveGroup.of(List.of(here, there), HASTY)) {
      assertEquals("host", form(group).name());
      sound.check();
    }
    collectives().release(making());
    awaitTrue("the ranks of the sound group to be left", () -> collectives().live() == 2);
    sound.close();
  }

  // Launches.

  /** No call hangs, so no device is lost. */
  @Test
  void abortsALaunchThatHangsAfterItsCall() {
    assumeNotBlocking();
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    collectives().openGap();
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED);
    awaitNoCommunicators();
    collectives().closeGap();
    group.close();
    SummingGroup.checkUsable(here, there);
  }

  /** The launching thread polls itself, and the library completes calls for the polling thread. */
  @Test
  void doesNotPollTheLibraryDuringALaunch() {
    assumeNotBlocking();
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there); // polls are a second apart
    collectives().openGap();
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED);
    awaitNoCommunicators();
    collectives().closeGap();
    group.close();
    assertEquals(List.of(), collectives().misuses());
  }

  /** Long before the deadline, which is that of a group by default. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anErrorDetectedByTheLibraryEndsTheGroup(int rank) {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    collectives().stall(1 - rank);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    awaitLaunched(1);
    collectives().asynchronousError(rank, REMOTE_ERROR);
    assertAllFail(ends, Status.ABORTED, "rank " + rank + " returned 6", "remote process exited");
    awaitNoCommunicators();
    collectives().go(1 - rank);
    group.close();
    assertNoneLost(here, there);
  }

  // The end.

  @Test
  void theNextGroupOfTheSameDevicesReusesTheCommunicators() {
    Device here = open(0);
    Device there = open(1);
    for (int i = 0; i < 3; i++) {
      try (SummingGroup group = new SummingGroup(here, there)) {
        group.check();
        // Otherwise the communicators are kept only when the last operation has retired.
        awaitRetired(here);
      }
    }
    assertEquals(2, made());
    assertEquals(2, collectives().live());
    SummingGroup.checkUsable(there, here); // with the ranks swapped
    assertEquals(4, made());
    try (SummingGroup one = new SummingGroup(here, there);
        SummingGroup two = new SummingGroup(here, there)) { // at the same time
      one.check();
      two.check();
    }
    assertEquals(6, made());
    // A group whose last operation has not retired when it is closed frees them behind that.
    awaitTrue("one of two groups to free its communicators", () -> collectives().live() == 4);
    there.close();
    awaitNoCommunicators();
    assertEquals(6, destroyed());
    assertEquals(0, aborts());
  }

  @Test
  void aFailedGroupLeavesNoCommunicators() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    collectives().stall(1);
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, LATE);
    awaitNoCommunicators();
    collectives().go(1);
    group.close();
    SummingGroup.checkUsable(here, there);
    assertEquals(4, made());
  }

  /** The failure came between two polls, so its communicators cannot be finalized. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void abortsAGroupWithAnUnnoticedFailureAtItsClose(int rank) {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    group.check();
    collectives().asynchronousError(rank, REMOTE_ERROR);
    group.close();
    awaitNoCommunicators();
    assertEquals(2, aborts());
    assertEquals(0, collectives().calls().getOrDefault("ncclCommFinalize", 0L));
    SummingGroup.checkUsable(here, there);
  }

  @Test
  void closingAGroupBesideLongWorkDoesNotDelayOthers() {
    sim.simulator().waitForQuiet();
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(here, there);
    SummingGroup other = new SummingGroup(there, here);
    HeldStream longWork = hold(there);
    var unused = longWork.producer();
    group.close();
    awaitReached(all(other.start(Fence.NONE)));
    assertEquals(0, destroyed());
    longWork.release();
    other.close();
  }

  // One rank.

  @Test
  void aGroupMayHaveOneDevice() {
    Device here = open(0);
    SummingGroup group = new SummingGroup(here);
    assertEquals("native", form(group.group).name());
    group.check();
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    List<TimelineSemaphore> next = group.start(all(ends));
    awaitReached(all(next), Duration.ofSeconds(20));
    assertNull(group.group.failure());
    group.close();
  }
}
