// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;

/**
 * A group, with one int for each rank: the source of rank r is r + 1, and each rank has a separate
 * target, which holds a guard value at first. Collectives on it are short.
 */
final class GroupFixture {
  /** The content of a target that no collective has written. */
  private static final byte[] UNWRITTEN = TestData.filled(4, TestData.GUARD);

  final Cts cts;
  final List<Device> devices;
  final CollectiveGroup group;
  final List<DeviceBuffer> sources = new ArrayList<>();
  final List<DeviceBuffer> targets = new ArrayList<>();
  private boolean hasWorked; // before something was held

  GroupFixture(Cts cts, List<Device> devices, Options options) {
    this.cts = cts;
    this.devices = devices;
    this.group = cts.closing(CollectiveGroup.of(devices, options));
    for (Device device : devices) {
      DeviceBuffer source = cts.buffer(device, 4, BufferParams.DEVICE);
      cts.write(source, 0, TestData.ints(sources.size() + 1));
      sources.add(source);
      targets.add(cts.buffer(device, 4, BufferParams.DEVICE));
    }
    targets.forEach(this::unwrite);
  }

  GroupFixture(Cts cts, List<Device> devices) {
    this(cts, devices, Options.DEFAULT);
  }

  /** A group of the device under test and the second one. */
  GroupFixture(Cts cts) {
    this(cts, cts.ranks(2));
  }

  private void unwrite(DeviceBuffer target) {
    cts.write(target, 0, UNWRITTEN);
  }

  /** Rank 0 waits for {@code waits}; all ranks signal {@code signals}. */
  List<Rank> ranks(Fence waits, Fence signals) {
    List<Rank> ranks = new ArrayList<>();
    for (int i = 0; i < devices.size(); i++) {
      ranks.add(new Rank(i == 0 ? waits : Fence.NONE, signals, sources.get(i), targets.get(i)));
    }
    return ranks;
  }

  /**
   * Checks that a failure names a collective of this kind as the failed operation, exactly once,
   * and returns that operation.
   */
  static FailedOperation collective(Kind kind, HalException failure) {
    FailedOperation failed =
        Objects.requireNonNull(failure.operation(), () -> "no operation in " + failure);
    assertTrue(failed.kind().startsWith(kind.label() + " of "), failure::toString);
    String message = failure.getMessage();
    assertTrue(message.startsWith(failed + ": "), failure::toString);
    assertEquals(2, message.split(" operation \\d+ \\(", -1).length, failure::toString);
    return failed;
  }

  /** Adds the ints of all ranks. */
  void sum(Fence waits, Fence signals) {
    group.allReduce(Reduction.SUM, ElementType.I32, ranks(waits, signals));
  }

  /** Adds the ints of all ranks, and checks the sum. */
  void checkWorks() {
    targets.forEach(this::unwrite);
    TimelineSemaphore done = cts.semaphore(devices.get(0), 0);
    sum(Fence.NONE, done.at(1));
    Waits.awaitReached(done, 1);
    checkSum();
  }

  /**
   * Holds the transfers of collectives on a device until {@link #letGo}, so that a collective
   * begins and does not end. The test is unsupported if the backend cannot hold them.
   */
  void hold(int rank) {
    assertTrue(worksBeforeHold(), () -> "the group has ended: " + group.failure());
    if (!cts.controls(devices.get(rank)).pauseGroups()) {
      throw Cts.unsupported("the streams of groups cannot be held");
    }
    cts.closing(() -> letGo(rank));
  }

  /**
   * Checks that a sum works before something is held: what the first one page-locks may have to
   * wait for that. {@link #hold} calls it first. Returns false if the group has ended meanwhile,
   * like one with a short deadline on a slow machine.
   */
  boolean worksBeforeHold() {
    if (!hasWorked) {
      targets.forEach(this::unwrite);
      TimelineSemaphore done = cts.semaphore(devices.get(0), 0);
      sum(Fence.NONE, done.at(1));
      Waits.awaitTrue("a sum to end", () -> Waits.isOver(done, 1));
      if (group.failure() != null) {
        return false;
      }
      Waits.awaitReached(done, 1);
      checkSum();
      targets.forEach(this::unwrite);
      hasWorked = true;
    }
    return true;
  }

  void letGo(int rank) {
    cts.controls(devices.get(rank)).resumeGroups();
  }

  /** Waits until a collective has work in the stream of a device, where it is held. */
  void awaitUnderWay(int rank) {
    assertTrue(getsUnderWay(rank), () -> "the group has ended: " + group.failure());
  }

  /** The same. Returns false if the group has ended by then. */
  boolean getsUnderWay(int rank) {
    // With the form host, that device issues a transfer; otherwise, the first device issues
    // everything.
    Waits.awaitStatistics(
        "a collective to reach rank " + rank,
        devices.get(isNative() ? 0 : rank),
        now -> now.issued() > 0 || group.failure() != null);
    return group.failure() == null;
  }

  /** Checks that the group has ended with a failure of this status, and refuses calls with it. */
  HalException assertEnded(Status status) {
    Waits.awaitTrue("the group to end", () -> group.failure() != null);
    HalException failure = Objects.requireNonNull(group.failure());
    TestData.assertHal(status, failure);
    TimelineSemaphore unused = cts.semaphore();
    HalException refusal =
        TestData.assertHal(status, () -> sum(Fence.NONE, unused.at(1)), failure.getMessage());
    assertEquals(failure.getMessage(), refusal.getMessage());
    Waits.assertPending(unused, 1);
    return failure;
  }

  /** Whether a library carries out sums. */
  boolean isNative() {
    return group.form(Kind.ALL_REDUCE, Reduction.SUM, ElementType.I32).name().equals("native");
  }

  /** Waits until no operation of a collective is open on any device. */
  void awaitIdle() {
    devices.forEach(Waits::awaitRetired);
  }

  /** Checks that the targets hold the sum. */
  void checkSum() {
    int n = devices.size();
    for (int rank = 0; rank < n; rank++) {
      assertBytes(
          TestData.ints(n * (n + 1) / 2), cts.read(targets.get(rank)), "target of rank " + rank);
    }
  }

  /** Waits until no collective is open, and checks that none has written a target. */
  void checkUnwritten() {
    awaitIdle();
    for (int rank = 0; rank < devices.size(); rank++) {
      checkUnwritten(rank);
    }
  }

  /** The same for one rank; no collective may be open. */
  void checkUnwritten(int rank) {
    assertBytes(UNWRITTEN, cts.read(targets.get(rank)), "target of rank " + rank);
  }
}
