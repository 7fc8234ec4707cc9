package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitReached;
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
import org.jhal.simulator.kit.HeldStream;
import org.jhal.simulator.kit.SimulatedGpu;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The communicators of groups: how they are made, kept for the next group, and end, and what hangs
 * meanwhile behind the library's calls. A driver's tests extend this.
 */
public abstract class GpuGroupCommunicatorTest extends SimulatedGroups {
  private static final int REMOTE_ERROR = 6;

  /** For a driver. */
  protected GpuGroupCommunicatorTest(SimulatedGpu gpu) {
    super(gpu);
  }

  /** For a driver, with some version of the library: 22803 for 2.28.3. */
  protected GpuGroupCommunicatorTest(SimulatedGpu gpu, int version) {
    super(gpu, version);
  }

  /** How many communicators of pairs were made. */
  private long made() {
    return collectives().calls().getOrDefault(making(), 0L) * (isBlocking() ? 2 : 1);
  }

  private long destroyed() {
    return collectives().calls().getOrDefault("ncclCommDestroy", 0L);
  }

  private static Form form(CollectiveGroup group) {
    return group.form(Kind.BROADCAST, null, null);
  }

  // Making.

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aRankThatIsNeverReadyLeavesTheGroupToTheHost(int hanging) {
    assumeNotBlocking();
    Device here = open(0);
    Device there = open(1);
    collectives().hang("@init", hanging);
    try (CollectiveGroup group = CollectiveGroup.of(List.of(here, there), SHORT)) {
      assertEquals("host", form(group).name());
      assertTrue(form(group).reason().contains("within PT0.1S"), () -> form(group).reason());
    }
    awaitNoCommunicators();
    collectives().release("@init", hanging);
    SummingGroup.checkUsable(here, there);
  }

  /**
   * What hangs is kept until it returns, and keeps other groups out no longer than its patience.
   */
  @Test
  void aCallThatHangsLeavesTheGroupToTheHost() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup sound = new SummingGroup(there, here);
    collectives().hang(making());
    try (CollectiveGroup group = CollectiveGroup.of(List.of(here, there), SHORT)) {
      assertEquals("host", form(group).name());
      sound.check();
    }
    collectives().release(making());
    awaitTrue("the ranks of the sound group to be left", () -> collectives().live() == 2);
    sound.close();
  }

  // Launching.

  /** Nothing hangs in a call, so nothing is lost. */
  @Test
  void aLaunchThatHangsBehindItsCallIsAborted() {
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

  /** The launch asks by itself, and the library completes what is over for who asks. */
  @Test
  void nobodyAsksTheLibraryBesideALaunch() {
    assumeNotBlocking();
    Device here = open(0);
    Device there = open(1);
    Options beyondALook = Options.DEFAULT.withDeadline(Duration.ofMillis(1500));
    SummingGroup group = new SummingGroup(beyondALook, here, there);
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
  void whatTheLibraryFindsOutEndsTheGroup(int rank) {
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
  void theNextGroupOfTheSameDevicesHasTheCommunicatorsOfTheLastOne() {
    Device here = open(0);
    Device there = open(1);
    for (int i = 0; i < 3; i++) {
      SummingGroup.checkUsable(here, there);
    }
    assertEquals(2, made());
    assertEquals(2, collectives().live());
    SummingGroup.checkUsable(there, here); // whose ranks are others
    assertEquals(4, made());
    try (SummingGroup one = new SummingGroup(here, there);
        SummingGroup two = new SummingGroup(here, there)) { // at the same time
      one.check();
      two.check();
    }
    assertEquals(6, made());
    assertEquals(4, collectives().live());
    there.close();
    awaitNoCommunicators();
    assertEquals(6, destroyed());
    assertEquals(0, aborts());
  }

  @Test
  void aGroupThatHasFailedLeavesNoCommunicators() {
    Device here = open(0);
    Device there = open(1);
    SummingGroup group = new SummingGroup(SHORT, here, there);
    collectives().stall(1);
    assertAllFail(group.start(Fence.NONE), Status.DEADLINE_EXCEEDED, "PT0.1S");
    awaitNoCommunicators();
    collectives().go(1);
    group.close();
    SummingGroup.checkUsable(here, there);
    assertEquals(4, made());
  }

  /** It failed when nobody asked; what is left of it cannot end in good order. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aGroupThatHasFailedUnseenIsAborted(int rank) {
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
  void closingAGroupBesideLongWorkHoldsUpNobody() {
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
  void oneDeviceIsAGroup() {
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
