// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.assertNullRefused;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Form;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.MemoryType;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that groups reject without any effect (rules G1 and M5). */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveRefusalTest {
  /** A group of two ranks with 16 bytes each, and a timeline that no rejected call may raise. */
  private static final class Two {
    final Cts cts;
    final List<Device> devices;
    final CollectiveGroup group;
    final DeviceBuffer a;
    final DeviceBuffer b;
    final TimelineSemaphore timeline;

    Two(Cts cts) {
      this.cts = cts;
      this.devices = cts.ranks(2);
      this.group = cts.closing(CollectiveGroup.of(devices, Options.DEFAULT));
      this.a = buffer(0, 16);
      this.b = buffer(1, 16);
      cts.write(a, 0, bytes(16));
      cts.write(b, 0, bytes(16));
      this.timeline = cts.semaphore();
    }

    DeviceBuffer buffer(int rank, int size) {
      return cts.buffer(devices.get(rank), size, BufferParams.DEVICE);
    }

    Rank rank(@Nullable DeviceBuffer source, @Nullable DeviceBuffer target) {
      return new Rank(Fence.NONE, timeline.at(1), source, target);
    }

    List<Rank> ranks(
        @Nullable DeviceBuffer source0,
        @Nullable DeviceBuffer target0,
        @Nullable DeviceBuffer source1,
        @Nullable DeviceBuffer target1) {
      return List.of(rank(source0, target0), rank(source1, target1));
    }

    void allReduce(List<Rank> ranks) {
      group.allReduce(Reduction.SUM, ElementType.F32, ranks);
    }

    /** Checks that a call is rejected without any effect. */
    void refused(Status status, Executable call, String... parts) {
      var unused = assertHal(status, call, parts);
      for (Device device : devices) {
        cts.flush(device.queue(0));
      }
      assertPending(timeline, 1);
      assertBytes(bytes(16), cts.read(a), "the buffer of rank 0");
      assertBytes(bytes(16), cts.read(b), "the buffer of rank 1");
    }

    void invalid(Executable call, String... parts) {
      refused(Status.INVALID_ARGUMENT, call, parts);
    }
  }

  @Test
  @Rule("G1")
  void wrongNumbersOfRanksAreRejected(Cts cts) {
    Two two = new Two(cts);
    two.invalid(() -> two.allReduce(List.of()), "all-reduce", "0 ranks", "has 2");
    two.invalid(() -> two.allReduce(List.of(two.rank(two.a, two.a))), "1 rank;", "has 2");
    List<Rank> three = new ArrayList<>(two.ranks(two.a, two.a, two.b, two.b));
    three.add(two.rank(two.b, two.b));
    two.invalid(() -> two.allReduce(three), "3 ranks", "has 2");
    two.refused(
        Status.OUT_OF_RANGE,
        () -> two.group.broadcast(2, two.ranks(two.a, two.a, null, two.b)),
        "root 2");
    two.refused(
        Status.OUT_OF_RANGE,
        () -> two.group.sendReceive(-1, 1, two.ranks(two.a, null, null, two.b)),
        "from -1");
    two.refused(
        Status.OUT_OF_RANGE,
        () -> two.group.sendReceive(0, 7, two.ranks(two.a, null, null, two.b)),
        "to 7");
    two.refused(
        Status.OUT_OF_RANGE,
        () -> two.group.gather(2, two.ranks(two.a, null, two.b, null)),
        "root 2");
    two.refused(
        Status.OUT_OF_RANGE,
        () -> two.group.scatter(-1, two.ranks(null, two.a, null, two.b)),
        "root -1");
    two.invalid(() -> two.group.allToAll(List.of(two.rank(two.a, null))), "1 rank;", "has 2");
    two.invalid(() -> two.group.sendReceive(1, 1, two.ranks(null, null, two.b, two.b)), "rank 1");
  }

  @Test
  @Rule("G1")
  void missingAndUnexpectedBuffersAreRejected(Cts cts) {
    Two two = new Two(cts);
    two.invalid(
        () -> two.allReduce(two.ranks(null, two.a, two.b, two.b)), "source of rank 0", "null");
    two.invalid(
        () -> two.allReduce(two.ranks(two.a, two.a, two.b, null)), "target of rank 1", "null");
    two.invalid(
        () -> two.group.broadcast(0, two.ranks(two.a, two.a, two.b, two.b)), "no source of rank 1");
    two.invalid(
        () -> two.group.broadcast(0, two.ranks(two.a, two.a, null, null)), "target of rank 1");
    two.invalid(
        () ->
            two.group.reduce(
                1, Reduction.SUM, ElementType.F32, two.ranks(two.a, two.a, two.b, two.b)),
        "no target of rank 0");
    two.invalid(
        () ->
            two.group.reduce(
                1, Reduction.SUM, ElementType.F32, two.ranks(two.a, null, two.b, null)),
        "target of rank 1");
    two.invalid(
        () -> two.group.sendReceive(0, 1, two.ranks(two.a, two.a, null, two.b)),
        "no target of rank 0");
    two.invalid(
        () -> two.group.gather(0, two.ranks(two.a, two.buffer(0, 32), two.b, two.b)),
        "no target of rank 1");
    two.invalid(() -> two.group.gather(0, two.ranks(two.a, null, two.b, null)), "target of rank 0");
    two.invalid(
        () -> two.group.gather(0, two.ranks(two.a, two.buffer(0, 32), null, null)),
        "source of rank 1");
    two.invalid(
        () -> two.group.scatter(1, two.ranks(two.a, two.a, two.b, two.b)), "no source of rank 0");
    two.invalid(
        () -> two.group.scatter(1, two.ranks(null, two.a, two.buffer(1, 32), null)),
        "target of rank 1");
    two.invalid(
        () -> two.group.allToAll(two.ranks(two.a, two.buffer(0, 16), null, two.b)),
        "source of rank 1");
  }

  @Test
  @Rule("G1")
  void buffersOfOtherDevicesAreRejected(Cts cts) {
    Two two = new Two(cts);
    two.invalid(
        () -> two.allReduce(two.ranks(two.a, two.a, two.a, two.b)),
        "source of rank 1",
        "belongs to another device");
    DeviceBuffer elsewhere = cts.buffer(cts.open(), 16, BufferParams.DEVICE);
    two.invalid(() -> two.allReduce(two.ranks(two.a, elsewhere, two.b, two.b)), "target of rank 0");
  }

  @Test
  @Rule({"G1", "M5"})
  void buffersWithoutTheRequiredUsageAreRejected(Cts cts) {
    Two two = new Two(cts);
    DeviceBuffer onlySource =
        cts.buffer(
            two.devices.get(0),
            16,
            new BufferParams(MemoryType.DEVICE, Set.of(BufferUsage.TRANSFER_SOURCE)));
    DeviceBuffer onlyTarget =
        cts.buffer(
            two.devices.get(1),
            16,
            new BufferParams(MemoryType.DEVICE, Set.of(BufferUsage.TRANSFER_TARGET)));
    two.refused(
        Status.PERMISSION_DENIED,
        () -> two.allReduce(two.ranks(two.a, onlySource, two.b, two.b)),
        "target of rank 0",
        "TRANSFER_TARGET");
    two.refused(
        Status.PERMISSION_DENIED,
        () -> two.allReduce(two.ranks(two.a, two.a, onlyTarget, two.b)),
        "source of rank 1",
        "TRANSFER_SOURCE");
  }

  @Test
  @Rule("G1")
  void mismatchedLengthsAreRejected(Cts cts) {
    Two two = new Two(cts);
    DeviceBuffer eight = two.buffer(1, 8);
    DeviceBuffer six = two.buffer(1, 6);
    two.invalid(
        () -> two.allReduce(two.ranks(two.a, two.a, two.b, eight)),
        "source of rank 0",
        "16",
        "target of rank 1",
        "8");
    two.invalid(() -> two.allReduce(two.ranks(two.a, two.a, six, six)), "multiple of 4", "6");
    DeviceBuffer thirtyTwo = two.buffer(0, 32);
    two.invalid(
        () -> two.group.allGather(two.ranks(two.a, thirtyTwo, two.b, eight)),
        "needs 32 bytes as target of rank 1, 2 times 16, to fit the source of rank 0, which has 16;"
            + " got 8");
    DeviceBuffer seven = two.buffer(1, 7);
    two.invalid(
        () -> two.group.allGather(two.ranks(two.a, thirtyTwo, two.b, seven)), "2 equal parts", "7");
    two.invalid(
        () -> two.group.gather(0, two.ranks(two.a, two.buffer(0, 16), two.b, null)),
        "16",
        "target of rank 0");
    two.invalid(
        () -> two.group.scatter(1, two.ranks(null, two.a, seven, two.b)), "2 equal parts", "7");
    two.invalid(
        () -> two.group.allToAll(two.ranks(two.a, two.buffer(0, 16), two.b, eight)),
        "needs 16 bytes as target of rank 1",
        "got 8");
    two.invalid(
        () -> two.group.allToAll(two.ranks(two.buffer(0, 7), two.buffer(0, 7), seven, seven)),
        "2 equal parts",
        "7");
    two.invalid(
        () ->
            two.group.reduceScatter(
                Reduction.SUM,
                ElementType.F64,
                two.ranks(two.a, two.a.slice(0, 8), two.b, two.buffer(1, 4))),
        "target of rank 1",
        "4");
    two.invalid(
        () ->
            two.group.reduceScatter(
                Reduction.SUM,
                ElementType.F64,
                two.ranks(two.buffer(0, 8), two.buffer(0, 4), eight, two.buffer(1, 4))),
        "multiple of 8");
  }

  @Test
  @Rule("G1")
  void misalignedRangesAreRejected(Cts cts) {
    Two two = new Two(cts);
    DeviceBuffer odd = two.b.slice(2, 8);
    two.invalid(
        () -> two.allReduce(two.ranks(two.a.slice(0, 8), two.a.slice(8, 8), odd, odd)),
        "source of rank 1 begins at 2",
        "multiple of 4");
  }

  @Test
  @Rule("G1")
  void overlappingRangesAreRejected(Cts cts) {
    Two two = new Two(cts);
    DeviceBuffer large = two.buffer(0, 32);
    DeviceBuffer other = two.buffer(1, 32);
    two.invalid(
        () -> two.allReduce(two.ranks(large.slice(0, 16), large.slice(8, 16), two.b, two.b)),
        "rank 0",
        "overlap");
    // In place, but in the part of another rank.
    two.invalid(
        () -> two.group.allGather(two.ranks(large.slice(16, 16), large, two.b, other)),
        "rank 0",
        "overlap");
    two.invalid(
        () ->
            two.group.reduceScatter(
                Reduction.SUM, ElementType.F32, two.ranks(large, two.a, other, other.slice(0, 16))),
        "rank 1",
        "overlap");
    two.invalid(
        () ->
            two.group.broadcast(
                0, two.ranks(large.slice(0, 8), large.slice(4, 8), null, two.b.slice(0, 8))),
        "rank 0",
        "overlap");
    two.invalid(
        () -> two.group.gather(0, two.ranks(large.slice(16, 16), large, two.b, null)),
        "rank 0",
        "overlap");
    two.invalid(
        () -> two.group.scatter(1, two.ranks(null, two.a, other, other.slice(0, 16))),
        "rank 1",
        "overlap");
    two.invalid(
        () -> two.group.allToAll(two.ranks(two.a, two.a, two.b, two.b)), "rank 0", "overlap");
  }

  @Test
  @Rule({"G1", "S9b"})
  @Needs(Need.PEER_MEMORY)
  void overlapsThroughPeerImportsAreRejected(Cts cts) {
    Two two = new Two(cts);
    DeviceBuffer shared = cts.closing(two.devices.get(1).allocator().importPeer(two.a));
    two.invalid(() -> two.allReduce(two.ranks(two.a, two.a, two.b, shared)), "rank", "overlap");
    two.invalid(
        () -> two.allReduce(two.ranks(two.a, two.a.slice(0, 16), shared, two.b)), "overlap");
    two.invalid(() -> two.group.broadcast(0, two.ranks(two.a, null, null, shared)), "overlap");
    // Both ranks may read it.
    two.group.reduce(1, Reduction.SUM, ElementType.U8, two.ranks(two.a, null, shared, two.b));
    awaitReached(two.timeline, 1);
    byte[] twice = bytes(16);
    for (int i = 0; i < twice.length; i++) {
      twice[i] *= 2;
    }
    assertBytes(twice, cts.read(two.b), "the sum");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("G5")
  void averagesOfIntegersAreRejected(ElementType type, Cts cts) {
    Two two = new Two(cts);
    if (!Elements.isInteger(type)) {
      two.group.allReduce(Reduction.AVERAGE, type, two.ranks(two.a, two.a, two.b, two.b));
      awaitReached(two.timeline, 1);
      return;
    }
    List<Rank> ranks = two.ranks(two.a, two.a, two.b, two.b);
    two.invalid(
        () -> two.group.allReduce(Reduction.AVERAGE, type, ranks), "average of " + type.label());
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> two.group.form(Kind.REDUCE, Reduction.AVERAGE, type),
        "average of " + type.label());
  }

  @Test
  @Rule("G1")
  void closedObjectsAndReachedSignalsAreRejected(Cts cts) {
    Two two = new Two(cts);
    DeviceBuffer gone = two.buffer(1, 16);
    gone.close();
    two.refused(
        Status.FAILED_PRECONDITION,
        () -> two.allReduce(two.ranks(two.a, two.a, gone, two.b)),
        "source of rank 1",
        "closed");
    TimelineSemaphore closed = cts.semaphore();
    closed.close();
    two.refused(
        Status.FAILED_PRECONDITION,
        () ->
            two.allReduce(
                List.of(two.rank(two.a, two.a), new Rank(closed.at(1), Fence.NONE, two.b, two.b))),
        "closed");
    TimelineSemaphore reached = cts.semaphore(5);
    two.refused(
        Status.OUT_OF_RANGE,
        () ->
            two.allReduce(
                List.of(two.rank(two.a, two.a), new Rank(Fence.NONE, reached.at(5), two.b, two.b))),
        "5");
  }

  @Test
  @Rule({"G1", "M5"})
  void nullIsRejectedWithTheParameterName(Cts cts) {
    Two two = new Two(cts);
    List<Rank> ranks = two.ranks(two.a, two.a, two.b, two.b);
    assertNullRefused("ranks", () -> two.allReduce(nothing()));
    assertNullRefused("ranks", () -> two.allReduce(Arrays.asList(ranks.get(0), nothing())));
    assertNullRefused("ranks", () -> two.group.broadcast(0, nothing()));
    assertNullRefused("ranks", () -> two.group.allGather(nothing()));
    assertNullRefused("ranks", () -> two.group.sendReceive(0, 1, nothing()));
    assertNullRefused("ranks", () -> two.group.gather(0, nothing()));
    assertNullRefused("ranks", () -> two.group.scatter(0, nothing()));
    assertNullRefused("ranks", () -> two.group.allToAll(nothing()));
    assertNullRefused("reduction", () -> two.group.allReduce(nothing(), ElementType.F32, ranks));
    assertNullRefused("type", () -> two.group.allReduce(Reduction.SUM, nothing(), ranks));
    assertNullRefused("reduction", () -> two.group.reduce(0, nothing(), ElementType.F32, ranks));
    assertNullRefused("type", () -> two.group.reduceScatter(Reduction.SUM, nothing(), ranks));
    assertNullRefused("kind", () -> two.group.form(nothing(), null, null));
    assertNullRefused("devices", () -> CollectiveGroup.of((Device[]) nothing()));
    assertNullRefused("devices", () -> CollectiveGroup.of(nothing(), Options.DEFAULT));
    assertNullRefused(
        "devices",
        () -> CollectiveGroup.of(Arrays.asList(cts.device(), nothing()), Options.DEFAULT));
    assertNullRefused("options", () -> CollectiveGroup.of(two.devices, nothing()));
    assertNullRefused("waits", () -> new Rank(nothing(), Fence.NONE, null, null));
    assertNullRefused("signals", () -> new Rank(Fence.NONE, nothing(), null, null));
    assertNullRefused("deadline", () -> new Options(nothing(), false));
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  @Rule("G1")
  void invalidGroupsAreRejected(Cts cts) {
    assertHal(Status.INVALID_ARGUMENT, () -> CollectiveGroup.of(), "at least one device");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> CollectiveGroup.of(cts.device(), cts.second(), cts.device()),
        "ranks 0 and 2",
        "same device");
    Device closed = cts.open();
    closed.close();
    assertHal(Status.FAILED_PRECONDITION, () -> CollectiveGroup.of(cts.device(), closed), "rank 1");
    for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
      assertHal(Status.OUT_OF_RANGE, () -> new Options(none, false), DurationText.of(none));
      assertHal(
          Status.OUT_OF_RANGE, () -> Options.DEFAULT.withDeadline(none), DurationText.of(none));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("G5")
  void formReportsNameAndReason(Kind kind, Cts cts) {
    List<BiFunction<@Nullable Reduction, @Nullable ElementType, Form>> asked = new ArrayList<>();
    for (Options options : List.of(Options.DEFAULT, Options.DEFAULT.withHostOnly())) {
      CollectiveGroup group = cts.closing(CollectiveGroup.of(cts.ranks(2), options));
      asked.add((reduction, type) -> group.form(kind, reduction, type));
    }
    for (var group : asked) {
      if (kind.isReduction()) {
        Form form = group.apply(Reduction.SUM, ElementType.F32);
        assertFalse(form.reason().isBlank());
        assertHal(Status.INVALID_ARGUMENT, () -> group.apply(null, null), kind.label());
        assertHal(Status.INVALID_ARGUMENT, () -> group.apply(Reduction.SUM, null), kind.label());
      } else {
        assertFalse(group.apply(null, null).reason().isBlank());
        assertHal(
            Status.INVALID_ARGUMENT,
            () -> group.apply(Reduction.SUM, ElementType.F32),
            kind.label());
      }
    }
    var hostOnly = asked.get(1);
    Form form =
        kind.isReduction()
            ? hostOnly.apply(Reduction.MAX, ElementType.BF16)
            : hostOnly.apply(null, null);
    assertEquals("host", form.name());
  }
}
