// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Collectives;
import org.jhal.cts.support.Cts;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Collectives that are called again and again with the same buffers. A driver may keep what it has
 * prepared for them, as long as nobody sees a difference.
 */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveRepeatTest {
  /** More often than a driver lets pass before it keeps something. */
  private static final int TIMES = 6;

  private static final int RANKS = 2;
  private static final int ROOT = 1;

  /** Elements for each rank. */
  private static final int COUNT = 5;

  /** What each rank has at first, in ints; the gathered and scattered kinds have more. */
  private static int[] source(int round, int rank) {
    return IntStream.range(0, RANKS * COUNT).map(i -> 1000 * round + 100 * rank + i).toArray();
  }

  private static int[] sum(int round) {
    return IntStream.range(0, RANKS * COUNT)
        .map(i -> source(round, 0)[i] + source(round, 1)[i])
        .toArray();
  }

  /** What a rank has afterwards; empty if the collective gives it nothing. */
  private static int[] expected(Kind kind, int round, int rank) {
    return switch (kind) {
      case BROADCAST -> source(round, ROOT);
      case SCATTER -> part(source(round, ROOT), rank);
      case GATHER -> rank == ROOT ? gathered(round) : new int[0];
      case ALL_TO_ALL ->
          IntStream.range(0, RANKS)
              .flatMap(of -> IntStream.of(part(source(round, of), rank)))
              .toArray();
      case SEND_RECEIVE -> rank == 0 ? source(round, ROOT) : new int[0];
      case ALL_REDUCE -> sum(round);
      case REDUCE -> rank == ROOT ? sum(round) : new int[0];
      case ALL_GATHER -> gathered(round);
      case REDUCE_SCATTER -> part(sum(round), rank);
    };
  }

  private static int[] part(int[] all, int rank) {
    return IntStream.of(all).skip((long) rank * COUNT).limit(COUNT).toArray();
  }

  private static int[] gathered(int round) {
    return IntStream.range(0, RANKS).flatMap(of -> IntStream.of(source(round, of))).toArray();
  }

  @ParameterizedTest
  @EnumSource
  @Rule("G5")
  void eachTimeMovesTheContentOfThatTime(Kind kind, Cts cts) {
    List<Device> devices = cts.ranks(RANKS);
    CollectiveGroup group = cts.closing(CollectiveGroup.of(devices, Options.DEFAULT));
    List<@Nullable DeviceBuffer> sources = new ArrayList<>();
    List<@Nullable DeviceBuffer> targets = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      Device device = devices.get(rank);
      boolean gives = Collectives.hasSource(kind, rank, ROOT);
      int gets = Integer.BYTES * expected(kind, 0, rank).length;
      int bytes = Integer.BYTES * RANKS * COUNT;
      sources.add(gives ? cts.buffer(device, bytes, BufferParams.DEVICE) : null);
      targets.add(gets > 0 ? cts.buffer(device, gets, BufferParams.DEVICE) : null);
    }
    TimelineSemaphore done = cts.semaphore();
    for (int round = 1; round <= TIMES; round++) {
      List<Rank> ranks = new ArrayList<>();
      for (int rank = 0; rank < RANKS; rank++) {
        DeviceBuffer source = sources.get(rank);
        if (source != null) {
          cts.write(source, 0, ints(source(round, rank)));
        }
        Fence signals = rank == 0 ? done.at(round) : Fence.NONE;
        ranks.add(new Rank(Fence.NONE, signals, source, targets.get(rank)));
      }
      Collectives.start(group, kind, ROOT, 0, Reduction.SUM, ElementType.I32, ranks);
      awaitReached(done, round);
      for (int rank = 0; rank < RANKS; rank++) {
        DeviceBuffer target = targets.get(rank);
        if (target != null) {
          byte[] found = cts.read(target);
          assertBytes(ints(expected(kind, round, rank)), found, "time " + round + ", rank " + rank);
        }
      }
    }
  }

  /** A driver may keep what it has made for a group, but not for one with another first rank. */
  @ParameterizedTest
  @EnumSource
  @Rule({"G1", "G5"})
  void groupsMayHaveTheSameDevicesInAnotherOrder(Kind kind, Cts cts) {
    List<Device> devices = new ArrayList<>(cts.ranks(RANKS));
    for (int round = 1; round <= 4; round++) {
      try (CollectiveGroup group = CollectiveGroup.of(devices, Options.DEFAULT)) {
        runOnce(cts, group, kind, round);
      }
      if (round != 2) { // so that each order comes after itself, and after the other one
        Collections.reverse(devices);
      }
    }
  }

  private static void runOnce(Cts cts, CollectiveGroup group, Kind kind, int round) {
    TimelineSemaphore done = cts.semaphore();
    List<Rank> ranks = new ArrayList<>();
    List<@Nullable DeviceBuffer> targets = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      Device device = group.devices().get(rank);
      DeviceBuffer source = null;
      if (Collectives.hasSource(kind, rank, ROOT)) {
        source = cts.buffer(device, Integer.BYTES * RANKS * COUNT, BufferParams.DEVICE);
        cts.write(source, 0, ints(source(round, rank)));
      }
      int gets = Integer.BYTES * expected(kind, round, rank).length;
      targets.add(gets > 0 ? cts.buffer(device, gets, BufferParams.DEVICE) : null);
      ranks.add(
          new Rank(Fence.NONE, rank == 0 ? done.at(1) : Fence.NONE, source, targets.get(rank)));
    }
    Collectives.start(group, kind, ROOT, 0, Reduction.SUM, ElementType.I32, ranks);
    awaitReached(done, 1);
    for (int rank = 0; rank < RANKS; rank++) {
      DeviceBuffer target = targets.get(rank);
      if (target != null) {
        assertBytes(
            ints(expected(kind, round, rank)),
            cts.read(target),
            "time " + round + ", rank " + rank);
      }
    }
  }

  /** Enqueued ahead, with one timeline, and in place: each doubles what is there. */
  @Test
  @Rule({"G2", "G5"})
  void aChainOfRepeatsKeepsItsOrder(Cts cts) {
    List<Device> devices = cts.ranks(RANKS);
    CollectiveGroup group = cts.closing(CollectiveGroup.of(devices, Options.DEFAULT));
    List<DeviceBuffer> buffers = new ArrayList<>();
    for (Device device : devices) {
      DeviceBuffer buffer = cts.buffer(device, 4, BufferParams.DEVICE);
      cts.write(buffer, 0, ints(1));
      buffers.add(buffer);
    }
    TimelineSemaphore done = cts.semaphore();
    for (int time = 1; time <= 20; time++) {
      Fence waits = time == 1 ? Fence.NONE : done.at(time - 1);
      List<Rank> ranks = new ArrayList<>();
      for (int rank = 0; rank < RANKS; rank++) {
        Fence signals = rank == 0 ? done.at(time) : Fence.NONE;
        ranks.add(new Rank(waits, signals, buffers.get(rank), buffers.get(rank)));
      }
      group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    }
    awaitReached(done, 20);
    for (DeviceBuffer buffer : buffers) {
      assertBytes(ints(1 << 20), cts.read(buffer), "after 20 sums");
    }
  }

  /** The new buffer may be where the closed one was. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule("G5")
  void aBufferThatReplacesAClosedOneIsUsed(int replaced, Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(RANKS));
    Device device = group.devices.get(replaced);
    for (int time = 0; time < 3 * TIMES; time++) {
      if (time % TIMES == TIMES - 1) {
        group.targets.get(replaced).close();
        group.targets.set(replaced, cts.buffer(device, 4, BufferParams.DEVICE));
      }
      group.checkWorks();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Rule({"G3", "G4"})
  @Needs(Need.CONTROLS)
  void theDeadlineFailsAllRanksOfARepeat(int late, Cts cts) {
    List<Device> devices = cts.ownRanks(RANKS, "validate=off"); // two repeats at once are a hazard
    GroupFixture first = new GroupFixture(cts, devices);
    first.checkWorks(); // a library takes longer the first time, and is then kept for the next one
    first.group.close();
    Duration deadline = Duration.ofSeconds(3); // even a slow machine ends the others within it
    GroupFixture group = new GroupFixture(cts, devices, Options.DEFAULT.withDeadline(deadline));
    assertEquals(first.isNative(), group.isNative());
    for (int time = 0; time < TIMES; time++) {
      group.checkWorks();
    }
    group.hold(late);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    group.sum(Fence.NONE, done.at(1));
    group.sum(Fence.NONE, next.at(1));
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(done, 1), DurationText.of(deadline));
    assertHal(Status.DEADLINE_EXCEEDED, awaitFailure(next, 1), DurationText.of(deadline));
    group.letGo(late);
    group.awaitIdle();
    GroupFixture other = new GroupFixture(cts, devices);
    for (int time = 0; time < TIMES; time++) {
      other.checkWorks(); // the devices are as they were
    }
  }

  /** A failed wait skips one of them, and the others are not affected. */
  @Test
  @Rule({"G3", "Q6"})
  void aFailedWaitSkipsOneRepeat(Cts cts) {
    GroupFixture group = new GroupFixture(cts, cts.ranks(RANKS));
    for (int time = 0; time < 3 * TIMES; time++) {
      if (time % TIMES == TIMES - 1) {
        TimelineSemaphore start = cts.semaphore();
        TimelineSemaphore done = cts.semaphore();
        group.sum(start.at(1), done.at(1));
        start.fail(new HalException(Status.DATA_LOSS, "nothing to add"));
        assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "nothing to add");
      } else {
        group.checkWorks();
      }
    }
  }
}
