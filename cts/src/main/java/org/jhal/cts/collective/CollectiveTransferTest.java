// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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
import org.jhal.cts.Controls;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Collectives;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Transfers of a collective through the host that fail, whichever of them does, on whichever rank
 * (rules G3 and G4).
 */
@CtsSuite(deadlineSeconds = 120)
@Needs({Need.SECOND_DEVICE, Need.CONTROLS})
class CollectiveTransferTest {
  /** The native calls of a transfer. */
  private static final List<String> CALLS = List.of("issue", "execute", "hostCompletion");

  /** How the transfers of each rank fail. */
  private static final List<Status> STATUSES =
      List.of(Status.RESOURCE_EXHAUSTED, Status.DATA_LOSS, Status.INTERNAL);

  private static final int GUARD_BYTES = 16;

  // Bytes of more chunks than JHAL's engine moves at a time, through the host: of four lanes one
  // moves a second chunk. A chunk has 2^20 bytes, or 2^17 elements if these are combined.
  private static final int LONG_TO_MOVE = (4 << 20) + 64;
  private static final int LONG_TO_COMBINE = (4 << 17) + 64;

  /** Those that the driver makes. */
  private static List<String> calls(Cts cts, List<Device> devices) {
    Controls controls = cts.controls(devices.get(0));
    List<String> calls = new ArrayList<>(CALLS);
    calls.retainAll(controls.calls());
    calls.removeIf(call -> !isOfReadbacks(cts, devices.get(0), call));
    if (calls.isEmpty()) {
      throw Cts.unsupported("no native call of a transfer can be made to fail");
    }
    return calls;
  }

  /**
   * Whether readbacks take such a call: not every device ends one on the host, and some do so for
   * memory on the heap only, which a collective does not use.
   */
  private static boolean isOfReadbacks(Cts cts, Device device, String call) {
    cts.controls(device).failNext(call, 1, Status.INTERNAL, false);
    return failedReadbacks(cts, device, 1) == 1;
  }

  /** A collective, and the memory of its ranks between guards. */
  private static final class Run {
    private final Cts cts;
    private final Kind kind;
    private final List<Device> devices;
    private final int ranks;
    private final CollectiveGroup group;
    private final List<@Nullable DeviceBuffer> sources = new ArrayList<>(); // with guards
    private final List<@Nullable DeviceBuffer> targets = new ArrayList<>(); // likewise
    private final List<TimelineSemaphore> ends = new ArrayList<>(); // one for each rank

    Run(Cts cts, Kind kind, List<Device> devices, int length) {
      this.cts = cts;
      this.kind = kind;
      this.devices = devices;
      this.group = cts.closing(CollectiveGroup.of(devices, Options.DEFAULT.withHostOnly()));
      this.ranks = devices.size();
      int sourceBytes = length * Collectives.sourceParts(kind, ranks);
      int targetBytes = length * Collectives.targetParts(kind, ranks);
      for (int rank = 0; rank < ranks; rank++) {
        boolean reads = Collectives.hasSource(kind, rank, 0);
        boolean writes = Collectives.hasTarget(kind, rank, 0, ranks - 1);
        sources.add(reads ? buffer(rank, sourceBytes, 1) : null);
        targets.add(writes ? buffer(rank, targetBytes, 2) : null);
        ends.add(cts.semaphore(devices.get(rank), 0));
      }
    }

    /** A buffer that holds one value, between guards. */
    private DeviceBuffer buffer(int rank, int length, int value) {
      DeviceBuffer buffer =
          cts.closing(devices.get(rank).allocate(length + 2 * GUARD_BYTES, BufferParams.DEVICE));
      cts.write(buffer, 0, guarded(TestData.filled(length, value)));
      return buffer;
    }

    private static byte[] guarded(byte[] bytes) {
      byte[] guard = TestData.filled(bytes.length + 2 * GUARD_BYTES, TestData.GUARD);
      return TestData.with(guard, GUARD_BYTES, bytes);
    }

    private static @Nullable DeviceBuffer inside(@Nullable DeviceBuffer buffer) {
      return buffer == null ? null : buffer.slice(GUARD_BYTES, buffer.size() - 2 * GUARD_BYTES);
    }

    void start() {
      List<Rank> all = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        all.add(
            new Rank(
                Fence.NONE,
                ends.get(rank).at(1),
                inside(sources.get(rank)),
                inside(targets.get(rank))));
      }
      Collectives.start(group, kind, 0, ranks - 1, Reduction.SUM, ElementType.U8, all);
    }

    /** Waits for all ranks. Returns whether they succeed; all or none must. */
    boolean succeeds() {
      for (TimelineSemaphore end : ends) {
        awaitTrue(kind + " to end for all ranks: " + end.explain(1), () -> Waits.isOver(end, 1));
      }
      boolean fails = ends.get(0).failure() != null;
      for (TimelineSemaphore end : ends) {
        assertEquals(fails, end.failure() != null, "whether a rank fails, as rank 0 does");
      }
      return !fails;
    }

    /**
     * Checks that all have failed with the failure of one of {@code culprits}, and that this has
     * ended the group.
     *
     * @param culprits the rank whose transfer fails with a status
     */
    void checkFailed(Map<Status, Integer> culprits) {
      HalException first = awaitFailure(ends.get(0), 1);
      assertTrue(culprits.containsKey(first.status()), () -> "the cause " + first);
      FailedOperation failed = GroupFixture.collective(kind, first);
      for (TimelineSemaphore end : ends) {
        HalException failure = awaitFailure(end, 1);
        assertHal(
            first.status(),
            failure,
            "was made to fail",
            "a transfer of rank " + culprits.get(first.status()));
        assertEquals(failed, failure.operation());
        assertEquals(Controls.INJECTED, failure.nativeCode());
      }
      HalException ended = Objects.requireNonNull(group.failure(), "the group goes on");
      assertEquals(first.getMessage(), ended.getMessage(), "why the group has ended");
      assertEquals(failed, ended.operation(), "the operation whose failure ended the group");
    }

    /** Checks that nothing was written but targets, and that the targets have the results. */
    void checkBytes(boolean hasSucceeded) {
      for (int rank = 0; rank < ranks; rank++) {
        DeviceBuffer source = sources.get(rank);
        if (source != null) {
          byte[] expected = guarded(TestData.filled(size(source), 1));
          assertBytes(expected, cts.read(source), "the source of rank " + rank);
        }
        DeviceBuffer target = targets.get(rank);
        if (target != null) {
          byte[] found = cts.read(target);
          byte[] expected = found;
          if (hasSucceeded) {
            expected = TestData.filled(size(target), kind.isReduction() ? ranks : 1);
          } else {
            expected = new byte[size(target)];
            System.arraycopy(found, GUARD_BYTES, expected, 0, expected.length);
          }
          assertBytes(guarded(expected), found, "the target of rank " + rank + ", with guards");
        }
      }
    }

    private static int size(DeviceBuffer guarded) {
      return (int) guarded.size() - 2 * GUARD_BYTES;
    }

    /** Waits until nothing of it is left on any device. */
    void awaitIdle() {
      devices.forEach(Waits::awaitRetired);
    }

    void closeBuffers() {
      for (int rank = 0; rank < ranks; rank++) {
        for (DeviceBuffer buffer :
            new @Nullable DeviceBuffer[] {sources.get(rank), targets.get(rank)}) {
          if (buffer != null) {
            buffer.close();
          }
        }
      }
    }

    /** Ends all that it has, and checks that the devices keep nothing. */
    void close(List<Long> buffers) {
      awaitIdle();
      closeBuffers();
      group.close();
      for (int rank = 0; rank < ranks; rank++) {
        long before = buffers.get(rank);
        awaitStatistics(
            "the buffers of rank " + rank + " to be freed",
            devices.get(rank),
            now -> now.buffers() <= before); // buffers of an earlier test may be freed late
      }
    }

    static List<Long> buffers(List<Device> devices) {
      return devices.stream().map(device -> device.statistics().buffers()).toList();
    }
  }

  /**
   * Cancels a requested failure that has not happened.
   *
   * @param nth which use of {@code call} it was, counted from the request
   */
  private static void checkIsPending(Cts cts, Device device, String call, int nth, Kind kind) {
    assertEquals(
        1,
        failedReadbacks(cts, device, nth),
        () ->
            "failures left: use " + nth + " of " + call + " failed, and the " + kind + " did not");
  }

  /** Reads back {@code count} times, and cancels requested failures that have not happened. */
  private static int failedReadbacks(Cts cts, Device device, int count) {
    try (DeviceBuffer buffer = device.allocate(4, BufferParams.DEVICE)) {
      int failed = 0;
      for (int i = 0; i < count; i++) {
        TimelineSemaphore read = cts.semaphore(device, 0);
        device.queue(0).readback(Fence.NONE, read.at(1), buffer, 0, ByteBuffer.allocateDirect(4));
        awaitTrue("a readback to end", () -> Waits.isOver(read, 1));
        failed += read.failure() == null ? 0 : 1;
      }
      return failed;
    } finally {
      cts.controls(device).reset();
    }
  }

  /**
   * The first one, the second, and so on, until there is none to fail. In two groups, since what
   * comes behind a transfer may hide that its failure was not seen.
   */
  @ParameterizedTest
  @EnumSource
  @Rule({"G3", "G4", "Q7a"})
  void aFailureOfAnyTransferFailsAllRanks(Kind kind, Cts cts) {
    List<Device> devices = cts.ownRanks(3);
    for (String call : calls(cts, devices)) {
      for (int ranks = 2; ranks <= 3; ranks++) {
        int failures = 0;
        for (int rank = 0; rank < ranks; rank++) {
          failures += failEach(cts, kind, devices.subList(0, ranks), 64, rank, call);
        }
        int least = kind == Kind.SEND_RECEIVE ? 2 : ranks; // each that has data has a transfer
        assertTrue(
            failures >= least || call.equals("hostCompletion"), // not every transfer has one
            failures + " uses of " + call + " could fail in a " + kind);
      }
    }
  }

  /** Returns how many transfers of a rank could fail. */
  private static int failEach(
      Cts cts, Kind kind, List<Device> devices, int length, int rank, String call) {
    List<Long> before = Run.buffers(devices);
    Device culprit = devices.get(rank);
    for (int nth = 1; ; nth++) {
      Run run = new Run(cts, kind, devices, length);
      cts.controls(culprit).failNext(call, nth, STATUSES.get(rank), false);
      run.start();
      boolean hasSucceeded = run.succeeds();
      if (hasSucceeded) {
        assertNull(run.group.failure());
        checkIsPending(cts, culprit, call, nth, kind);
      } else {
        run.checkFailed(Map.of(STATUSES.get(rank), rank));
        assertHal(STATUSES.get(rank), run::start, "was made to fail"); // so does a later call
      }
      run.awaitIdle();
      run.checkBytes(hasSucceeded);
      run.close(before);
      if (hasSucceeded) {
        return nth - 1;
      }
    }
  }

  /** Each of them, where the data are so long that each rank has several of either kind. */
  @ParameterizedTest
  @EnumSource(names = {"ALL_REDUCE", "SEND_RECEIVE"})
  @Rule({"G3", "G4", "Q7a"})
  void eachTransferOfLongDataThatFailsFailsAllRanks(Kind kind, Cts cts) {
    List<Device> devices = cts.ownRanks(2);
    List<String> calls = calls(cts, devices);
    String call = calls.contains("execute") ? "execute" : calls.get(0);
    int length = kind.isReduction() ? LONG_TO_COMBINE : LONG_TO_MOVE;
    for (int rank = 0; rank < devices.size(); rank++) {
      int failures = failEach(cts, kind, devices, length, rank, call);
      assertTrue(failures > 0, "uses of " + call + " that could fail on rank " + rank);
    }
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  /** The ranks behind the first read a part of their own each, and are held meanwhile. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"G3", "G4", "Q3"})
  void concurrentTransferFailuresFailAllRanks(Culprits culprits, Cts cts) {
    List<Device> devices = cts.ownRanks(1 + culprits.count());
    List<Device> held = devices.subList(1, devices.size());
    String call = calls(cts, devices).contains("execute") ? "execute" : "hostCompletion";
    if (!calls(cts, devices).contains(call)) {
      throw Cts.unsupported("no transfer that is under way can be made to fail");
    }
    List<Long> before = Run.buffers(devices);
    // Makes the native streams of the transfers: a runtime may wait for an idle device meanwhile.
    Run first = new Run(cts, Kind.ALL_GATHER, devices, 1 << 20);
    first.start();
    assertTrue(first.succeeds(), "whether the devices work beforehand");
    first.close(before);
    Run run = new Run(cts, Kind.ALL_GATHER, devices, 1 << 20);
    for (Device device : held) {
      if (!cts.controls(device).pauseGroups()) {
        throw Cts.unsupported("the streams of groups cannot be held");
      }
    }
    cts.closing(() -> held.forEach(device -> cts.controls(device).resumeGroups()));
    run.start();
    for (Device device : held) {
      Waits.awaitStatistics("a transfer on " + device, device, now -> now.issued() > 0);
    }
    run.closeBuffers();
    Map<Status, Integer> failing = new EnumMap<>(Status.class);
    for (int culprit : culprits.which()) {
      cts.controls(held.get(culprit)).failNext(call, 1, STATUSES.get(culprit), false);
      failing.put(STATUSES.get(culprit), 1 + culprit);
    }
    culprits.which().forEach(culprit -> cts.controls(held.get(culprit)).resumeGroups());
    run.checkFailed(failing); // although the others are still held
    for (int other : culprits.others()) {
      assertEquals(
          before.get(1 + other) + 2,
          held.get(other).statistics().buffers(),
          "buffers of a rank that is held");
      cts.controls(held.get(other)).resumeGroups();
    }
    run.close(before);
    devices.forEach(device -> cts.controls(device).reset());
    Run next = new Run(cts, Kind.ALL_GATHER, devices, 1 << 20);
    next.start();
    assertTrue(next.succeeds(), "whether the devices work afterwards");
    next.checkBytes(true);
    next.close(before);
  }
}
