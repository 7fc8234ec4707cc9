// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.jhal.engine.EngineDevice;
import org.jhal.simulator.fixture.GpuFault;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Collectives that fail while parts of them are in the streams of some devices: each rank keeps its
 * memory until its own part is over, whichever rank has failed (rule G4).
 */
@ParameterizedClass
@MethodSource("org.jhal.simulator.group.CollectiveVersions#newestAnd21800")
class GpuGroupMemoryTest extends SimulatedGroups {
  /** How long we watch for memory that is freed too early. */
  private static final Duration CHANCE = Duration.ofMillis(40);

  /** Whether there are more cases; see the profile {@code long}. */
  private static final boolean MORE = Boolean.getBoolean("jhal.test.long");

  /** The point at which each rank fails. */
  enum Point {
    /** The event behind its part cannot be recorded, as its device is lost. */
    RECORD_LOSES,
    /** That event cannot be recorded. */
    RECORD,
    /** The first rank's stream cannot be made to wait for that event. */
    JOIN,
    /** The same, as the first device is lost. */
    JOIN_LOSES,
    /** That, and the event behind its part cannot be recorded: only its abort shows its end. */
    RECORD_AND_JOIN_LOSES,
    /** The library fails to launch its part. */
    LAUNCH,
    /** The engine loses its device. */
    ELSEWHERE;

    /** Whether a rank that has failed keeps a second one from failing as well. */
    boolean isOnce() {
      return this == JOIN_LOSES || this == LAUNCH;
    }
  }

  /** A failure at a point, of one or two of some ranks. */
  record Case(Point point, Culprits culprits) {
    int ranks() {
      return culprits.count();
    }

    /** Whether a rank's part is in its stream, and stays there until it is over or aborted. */
    boolean keeps(int other) {
      return switch (point) {
        case RECORD_LOSES -> !culprits.has(other);
        case JOIN_LOSES, RECORD_AND_JOIN_LOSES -> other != 0;
        case LAUNCH -> other < culprits.which().get(0);
        default -> true;
      };
    }

    /** Whether an event shows when a rank's part is over. */
    boolean hasEvent(int other) {
      return point != Point.RECORD || !culprits.has(other);
    }

    /**
     * Whether the runtime has lost the first device. Otherwise its stream waits for the parts of
     * the others, and the operation keeps the memory of all ranks until those are over.
     */
    boolean losesFirst() {
      return switch (point) {
        case JOIN_LOSES, RECORD_AND_JOIN_LOSES -> true;
        case RECORD_LOSES -> culprits.has(0);
        default -> false;
      };
    }

    /** Whether all parts are in their streams, so that they end by themselves. */
    boolean isWhole() {
      return point == Point.RECORD || point == Point.JOIN || point == Point.ELSEWHERE;
    }
  }

  GpuGroupMemoryTest(int version) {
    super(version);
  }

  /** Two ranks fail only beside a healthy one. */
  static Stream<Case> cases() {
    List<Culprits> culprits = new ArrayList<>();
    for (int rank : new int[] {0, 1}) {
      culprits.add(new Culprits(2, List.of(rank)));
    }
    Culprits.positions(3).filter(some -> MORE || some.which().size() > 1).forEach(culprits::add);
    if (MORE) {
      for (int rank : new int[] {1, 3}) {
        culprits.add(new Culprits(4, List.of(rank)));
      }
    }
    return Stream.of(Point.values())
        .flatMap(
            point ->
                culprits.stream()
                    .filter(some -> some.which().size() == 1 || !point.isOnce())
                    .map(some -> new Case(point, some)));
  }

  static Stream<Case> wholeCases() {
    return cases().filter(Case::isWhole);
  }

  /** Starts a collective whose parts stall in their streams, and cannot be aborted. */
  private SummingGroup fail(Case failing) {
    if (failing.ranks() > 2) {
      assumeTrue(sim.four() == 4, "this driver counted its devices while there were two");
    }
    for (int rank = 0; rank < failing.ranks(); rank++) {
      var unused = open(rank);
    }
    SummingGroup group = new SummingGroup(opened.toArray(Device[]::new));
    group.broadcast(); // so that the events behind the parts have fired before
    for (int rank = 0; rank < failing.ranks(); rank++) {
      collectives().stall(rank);
      collectives().hangAbort(rank);
    }
    long waits = sim.calls(STREAM_WAIT_EVENT);
    long parts = collectives().reached();
    failing.culprits.which().forEach(rank -> failNext(failing.point, rank));
    if (failing.point == Point.RECORD_AND_JOIN_LOSES) {
      sim.failForGood(STREAM_WAIT_EVENT, 1, GpuFault.STICKY_CODE);
    }
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    if (failing.point == Point.ELSEWHERE) {
      // A launch that is ended before it is complete records no events behind its parts.
      sim.awaitCalls(STREAM_WAIT_EVENT, waits + failing.ranks());
      awaitTrue("all parts", () -> collectives().reached() == parts + failing.ranks());
      for (int rank : failing.culprits.which()) {
        ((EngineDevice<?>) opened.get(rank))
            .lose(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
      }
    }
    for (TimelineSemaphore end : ends) {
      awaitFailure(end, 1);
    }
    group.close(); // also closes the buffers
    return group;
  }

  /** Makes a rank fail at a point. Called for the ranks in ascending order. */
  private void failNext(Point point, int rank) {
    int nth = rank + 1;
    switch (point) {
      case RECORD_LOSES -> sim.failForGood(EVENT_RECORD, nth, GpuFault.STICKY_CODE);
      case RECORD, RECORD_AND_JOIN_LOSES -> sim.fail(EVENT_RECORD, nth, GpuFault.PLAIN_CODE);
      case JOIN -> sim.fail(STREAM_WAIT_EVENT, nth, GpuFault.PLAIN_CODE);
      case JOIN_LOSES -> sim.failForGood(STREAM_WAIT_EVENT, nth, GpuFault.STICKY_CODE);
      case LAUNCH -> collectives().fail("@launch", nth, 1);
      case ELSEWHERE -> {}
    }
  }

  private boolean hasFreed(int rank) {
    return opened.get(rank).statistics().buffers() == 0;
  }

  private void awaitMemory(int rank) {
    awaitTrue("the memory of rank " + rank + " to be freed", () -> hasFreed(rank));
  }

  /** Checks that the memory of the ranks from {@code first} on is kept. */
  private void assertKept(Case failing, int first) {
    assertFalse(
        becomesTrue(
            CHANCE,
            () -> {
              for (int rank = first; rank < failing.ranks(); rank++) {
                if (failing.keeps(rank) && opened.get(rank).statistics().buffers() < 2) {
                  return true;
                }
              }
              return false;
            }),
        "memory is freed that a stream still uses");
  }

  /** With a library that aborts the ranks together, the aborts of all. */
  @ParameterizedTest
  @MethodSource("cases")
  void memoryIsKeptUntilTheAbortOfItsRankHasReturned(Case failing) {
    fail(failing);
    assertKept(failing, 0);
    for (int rank = 0; rank < failing.ranks(); rank++) {
      collectives().releaseAbort(rank);
      int left = failing.ranks() - rank - 1;
      awaitTrue("the abort of rank " + rank, () -> collectives().live() == left);
      if (failing.losesFirst() && !abortsTogether()) {
        awaitMemory(rank);
      }
      if (left > 0) {
        assertKept(failing, rank + 1);
      }
    }
    for (int rank = 0; rank < failing.ranks(); rank++) {
      awaitMemory(rank);
    }
    letAllGo();
    assertEquals(List.of(), collectives().misuses());
  }

  @ParameterizedTest
  @MethodSource("wholeCases")
  void memoryIsKeptUntilTheEventOfItsRankHasFired(Case failing) {
    fail(failing);
    assertKept(failing, 0);
    for (int rank = 0; rank < failing.ranks(); rank++) {
      collectives().go(rank);
    }
    for (int rank = 0; rank < failing.ranks(); rank++) {
      int own = rank;
      if (failing.hasEvent(rank)) {
        awaitMemory(rank);
      } else {
        assertFalse(becomesTrue(CHANCE, () -> hasFreed(own)), "freed before the end was known");
      }
    }
    letAllGo();
    failing.culprits.which().forEach(this::awaitMemory);
    assertEquals(List.of(), collectives().misuses());
  }

  /**
   * The device on whose queue the collective was is lost: the event behind all ranks' parts cannot
   * be recorded, and no operation of a lost device's stream retires before that is closed. Each
   * rank's own event still shows its end.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aDeviceClosesAtOnceAlthoughTheEndOfTheOperationIsUnknown(int closedFirst) throws Exception {
    int ranks = 2;
    for (int rank = 0; rank < ranks; rank++) {
      var unused = openPatient(rank);
    }
    SummingGroup group = new SummingGroup(opened.toArray(Device[]::new));
    sim.fail(EVENT_RECORD, ranks + 1, GpuFault.PLAIN_CODE);
    for (TimelineSemaphore end : group.start(Fence.NONE)) {
      awaitFailure(end, 1);
    }
    awaitTrue("the loss of the first device", () -> opened.get(0).lostCause() != null);
    assertNull(opened.get(1).lostCause());
    for (int rank : new int[] {closedFirst, 1 - closedFirst}) {
      Task<?> closing = Task.run("closing rank " + rank, opened.get(rank)::close);
      awaitTrue(
          "the close of rank " + rank + ", which nothing holds up", () -> !closing.isRunning());
      closing.join();
    }
    log.assertNoErrors();
    group.close();
    assertEquals(List.of(), collectives().misuses());
  }
}
