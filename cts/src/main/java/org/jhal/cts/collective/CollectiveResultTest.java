// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The results of collectives (rule G5). */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveResultTest {
  private static final int MILLION = 1_000_003;

  /** One collective of a group, with the data of each rank and the expected results. */
  private static final class Run {
    private final Cts cts;
    private final List<Device> devices;
    private final CollectiveGroup group;
    private final boolean inPlace;
    private final List<@Nullable DeviceBuffer> sources = new ArrayList<>();
    private final List<@Nullable DeviceBuffer> targets = new ArrayList<>();

    Run(Cts cts, int ranks, boolean inPlace) {
      this(cts, ranks, inPlace, Options.DEFAULT);
    }

    Run(Cts cts, int ranks, boolean inPlace, Options options) {
      this(cts, cts.ranks(ranks), inPlace, options);
    }

    Run(Cts cts, List<Device> devices, boolean inPlace, Options options) {
      this.cts = cts;
      this.devices = devices;
      this.group = cts.closing(CollectiveGroup.of(devices, options));
      this.inPlace = inPlace;
    }

    /** Adds the buffers of rank {@code sources.size()}. */
    void add(byte @Nullable [] source, int targetBytes, int shift) {
      Device device = devices.get(sources.size());
      DeviceBuffer in = null;
      DeviceBuffer out = null;
      if (source != null && targetBytes >= 0 && inPlace) {
        int sourceBytes = source.length;
        DeviceBuffer both =
            cts.buffer(device, Math.max(sourceBytes, targetBytes), BufferParams.DEVICE);
        in = sourceBytes < targetBytes ? both.slice(shift, sourceBytes) : both;
        out = targetBytes < sourceBytes ? both.slice(shift, targetBytes) : both;
      } else {
        if (source != null) {
          in = cts.buffer(device, source.length, BufferParams.DEVICE);
        }
        if (targetBytes >= 0) {
          out = cts.buffer(device, targetBytes, BufferParams.DEVICE);
        }
      }
      if (out != null && targetBytes > 0) {
        cts.write(out, 0, TestData.filled(targetBytes, 0x5A));
      }
      if (in != null && source != null && source.length > 0) {
        cts.write(in, 0, source);
      }
      sources.add(in);
      targets.add(out);
    }

    void run(Consumer<List<Rank>> collective) {
      TimelineSemaphore done = cts.semaphore();
      List<Rank> ranks = new ArrayList<>();
      Fence all = Fence.NONE;
      for (int rank = 0; rank < devices.size(); rank++) {
        TimelineSemaphore own = cts.semaphore(devices.get(rank), 0);
        all = all.and(own.at(1));
        ranks.add(
            new Rank(Fence.NONE, done.at(1).and(own.at(1)), sources.get(rank), targets.get(rank)));
      }
      collective.accept(ranks);
      awaitReached(all.and(done.at(1)));
    }

    void check(int rank, byte[] expected) {
      assertBytes(
          expected,
          cts.read(Objects.requireNonNull(targets.get(rank))),
          "target of rank " + rank + " of " + devices.size());
    }
  }

  private static byte[] part(byte[] all, int rank, int bytes) {
    return Arrays.copyOfRange(all, rank * bytes, (rank + 1) * bytes);
  }

  private static byte[] shifted(int rank, int length) {
    byte[] data = bytes(length + rank);
    return Arrays.copyOfRange(data, rank, rank + length);
  }

  private static void check(
      Cts cts,
      Kind kind,
      @Nullable Reduction reduction,
      @Nullable ElementType type,
      int count,
      int ranks,
      boolean inPlace) {
    Run run = new Run(cts, ranks, inPlace && kind != Kind.ALL_TO_ALL); // which cannot be
    int last = ranks - 1;
    int length = count * (type == null ? 1 : type.bytes());
    switch (kind) {
      case BROADCAST -> {
        IntStream.range(0, ranks)
            .forEach(rank -> run.add(rank == last ? shifted(rank, length) : null, length, 0));
        run.run(all -> run.group.broadcast(last, all));
        IntStream.range(0, ranks).forEach(rank -> run.check(rank, shifted(last, length)));
      }
      case GATHER -> {
        byte[] expected = new byte[length * ranks];
        for (int rank = 0; rank < ranks; rank++) {
          byte[] own = shifted(rank, length);
          System.arraycopy(own, 0, expected, rank * length, length);
          run.add(own, rank == last ? length * ranks : -1, rank * length);
        }
        run.run(all -> run.group.gather(last, all));
        run.check(last, expected);
      }
      case SCATTER -> {
        byte[] all = bytes(length * ranks);
        IntStream.range(0, ranks)
            .forEach(rank -> run.add(rank == last ? all : null, length, rank * length));
        run.run(parts -> run.group.scatter(last, parts));
        IntStream.range(0, ranks).forEach(rank -> run.check(rank, part(all, rank, length)));
      }
      case ALL_TO_ALL -> {
        for (int rank = 0; rank < ranks; rank++) {
          run.add(shifted(rank, length * ranks), length * ranks, 0);
        }
        run.run(run.group::allToAll);
        for (int rank = 0; rank < ranks; rank++) {
          byte[] expected = new byte[length * ranks];
          for (int from = 0; from < ranks; from++) {
            byte[] own = part(shifted(from, length * ranks), rank, length);
            System.arraycopy(own, 0, expected, from * length, length);
          }
          run.check(rank, expected);
        }
      }
      case SEND_RECEIVE -> {
        IntStream.range(0, ranks)
            .forEach(
                rank ->
                    run.add(
                        rank == last ? shifted(rank, length) : null, rank == 0 ? length : -1, 0));
        run.run(all -> run.group.sendReceive(last, 0, all));
        run.check(0, shifted(last, length));
      }
      case ALL_GATHER -> {
        byte[] expected = new byte[length * ranks];
        for (int rank = 0; rank < ranks; rank++) {
          byte[] own = shifted(rank, length);
          System.arraycopy(own, 0, expected, rank * length, length);
          run.add(own, length * ranks, rank * length);
        }
        run.run(run.group::allGather);
        IntStream.range(0, ranks).forEach(rank -> run.check(rank, expected));
      }
      case REDUCE, ALL_REDUCE, REDUCE_SCATTER -> {
        Reduction how = Objects.requireNonNull(reduction);
        ElementType of = Objects.requireNonNull(type);
        boolean isScattered = kind == Kind.REDUCE_SCATTER;
        int elements = isScattered ? count * ranks : count;
        byte[] expected = Elements.reduced(how, of, ranks, elements);
        for (int rank = 0; rank < ranks; rank++) {
          boolean hasTarget = kind != Kind.REDUCE || rank == last;
          run.add(Elements.of(of, rank, elements), hasTarget ? length : -1, rank * length);
        }
        run.run(
            all -> {
              switch (kind) {
                case REDUCE -> run.group.reduce(last, how, of, all);
                case ALL_REDUCE -> run.group.allReduce(how, of, all);
                default -> run.group.reduceScatter(how, of, all);
              }
            });
        for (int rank = 0; rank < ranks; rank++) {
          if (isScattered) {
            run.check(rank, part(expected, rank, length));
          } else if (kind == Kind.ALL_REDUCE || rank == last) {
            run.check(rank, expected);
          }
        }
      }
    }
  }

  static Stream<Arguments> shapes() {
    return Stream.of(Kind.values())
        .flatMap(
            kind ->
                IntStream.rangeClosed(kind == Kind.SEND_RECEIVE ? 2 : 1, 4)
                    .boxed()
                    .flatMap(
                        ranks ->
                            Stream.of(0, 1, 37)
                                .flatMap(
                                    count ->
                                        Stream.of(false, true)
                                            .map(in -> Arguments.of(kind, ranks, count, in)))));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  @Rule("G5")
  void everyRankGetsItsPart(Kind kind, int ranks, int count, boolean inPlace, Cts cts) {
    boolean reduces = kind.isReduction();
    check(
        cts,
        kind,
        reduces ? Reduction.SUM : null,
        reduces ? ElementType.I32 : null,
        count,
        ranks,
        inPlace);
  }

  static Stream<Arguments> reductions() {
    return Stream.of(Reduction.values())
        .flatMap(
            reduction ->
                Stream.of(ElementType.values())
                    .filter(type -> reduction != Reduction.AVERAGE || !Elements.isInteger(type))
                    .flatMap(
                        type ->
                            Stream.of(Kind.values())
                                .filter(Kind::isReduction)
                                .map(kind -> Arguments.of(kind, reduction, type))));
  }

  @ParameterizedTest
  @MethodSource("reductions")
  @Rule("G5")
  void twoRanksOfEveryTypeAreReduced(Kind kind, Reduction reduction, ElementType type, Cts cts) {
    check(cts, kind, reduction, type, 1001, 2, false);
  }

  /** One test covers all types, because it opens a device. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AVERAGE") // a third is not exact
  @Rule("G5")
  void threeRanksOfEveryTypeAreReduced(Reduction reduction, Cts cts) {
    List<Device> devices = cts.ranks(3);
    for (ElementType type : ElementType.values()) {
      Run run = new Run(cts, devices, false, Options.DEFAULT);
      for (int rank = 0; rank < 3; rank++) {
        run.add(Elements.of(type, rank, 257), 257 * type.bytes(), 0);
      }
      run.run(all -> run.group.allReduce(reduction, type, all));
      for (int rank = 0; rank < 3; rank++) {
        run.check(rank, Elements.reduced(reduction, type, 3, 257));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SUM", "PRODUCT", "AVERAGE"})
  @Rule("G5")
  void theHostFormRounds16BitFloatsOnceAndTiesToEven(Reduction reduction, Cts cts) {
    List<Device> devices = cts.ranks(3);
    for (ElementType type : List.of(ElementType.F16, ElementType.BF16)) {
      Run run = new Run(cts, devices, false, Options.DEFAULT.withHostOnly());
      for (int rank = 0; rank < 3; rank++) {
        run.add(Elements.tiesOf(reduction, type, rank, 1001), 1001 * type.bytes(), 0);
      }
      run.run(all -> run.group.allReduce(reduction, type, all));
      for (int rank = 0; rank < 3; rank++) {
        run.check(rank, Elements.tiesReduced(reduction, type, 1001));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("G5")
  void fourRanksAreReduced(Reduction reduction, Cts cts) {
    check(cts, Kind.REDUCE_SCATTER, reduction, ElementType.F32, 257, 4, true);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("G5")
  void largeCollectivesAreExact(Kind kind, Cts cts) {
    boolean reduces = kind.isReduction();
    check(
        cts,
        kind,
        reduces ? Reduction.SUM : null,
        reduces ? ElementType.I32 : null,
        reduces ? MILLION : 3 * MILLION,
        2,
        false);
  }

  @Test
  @Rule("G5")
  void largeInPlaceCollectivesAreExact(Cts cts) {
    check(cts, Kind.REDUCE_SCATTER, Reduction.MAX, ElementType.U16, MILLION, 3, true);
    check(cts, Kind.ALL_GATHER, null, null, MILLION, 3, true);
    check(cts, Kind.GATHER, null, null, MILLION, 3, true);
    check(cts, Kind.SCATTER, null, null, MILLION, 3, true);
  }

  /** A sum in another order, or in higher precision, would differ. */
  @Test
  @Rule("G5")
  void theHostFormSumsInRankOrder(Cts cts) {
    float[] values = {1e8f, 3, -1e8f, 3};
    float expected = ((values[0] + values[1]) + values[2]) + values[3];
    Run run = new Run(cts, 4, false, Options.DEFAULT.withHostOnly());
    for (float value : values) {
      run.add(floats(value), 4, 0);
    }
    for (int i = 0; i < 20; i++) {
      run.run(ranks -> run.group.allReduce(Reduction.SUM, ElementType.F32, ranks));
      for (int rank = 0; rank < 4; rank++) {
        run.check(rank, floats(expected));
      }
    }
  }

  @Test
  @Rule("G5")
  void aSumWithANanIsNan(Cts cts) {
    Run run = new Run(cts, 2, false);
    run.add(floats(1, Float.NaN, Float.POSITIVE_INFINITY), 12, 0);
    run.add(floats(2, 1, Float.NEGATIVE_INFINITY), 12, 0);
    run.run(ranks -> run.group.allReduce(Reduction.SUM, ElementType.F32, ranks));
    byte[] first = cts.read(Objects.requireNonNull(run.targets.get(0)));
    float[] sums = TestData.toFloats(first);
    assertEquals(3, sums[0]);
    assertTrue(Float.isNaN(sums[1]) && Float.isNaN(sums[2]), () -> Arrays.toString(sums));
    run.check(1, first);
  }

  /** Also of one rank, whose elements are combined with nothing. */
  @ParameterizedTest
  @EnumSource
  @Rule("G5")
  void theHostFormReturnsCanonicalNans(Reduction reduction, Cts cts) {
    List<Device> devices = cts.ranks(2);
    for (ElementType type :
        List.of(ElementType.F16, ElementType.BF16, ElementType.F32, ElementType.F64)) {
      Run both = new Run(cts, devices, false, Options.DEFAULT.withHostOnly());
      for (int rank = 0; rank < 2; rank++) {
        both.add(Elements.nansOf(type, rank, 1200), 1200 * type.bytes(), 0);
      }
      both.run(all -> both.group.allReduce(reduction, type, all));
      for (int rank = 0; rank < 2; rank++) {
        both.check(rank, Elements.canonicalNans(type, 1200));
      }
      Run one = new Run(cts, devices.subList(0, 1), false, Options.DEFAULT.withHostOnly());
      one.add(Elements.nansOf(type, 0, 1), type.bytes(), 0);
      one.run(all -> one.group.allReduce(reduction, type, all));
      one.check(0, Elements.canonicalNans(type, 1));
    }
  }

  @Test
  @Rule("G5")
  void theRootOfABroadcastNeedsNoTarget(Cts cts) {
    Run run = new Run(cts, 2, false);
    run.add(bytes(5), -1, 0);
    run.add(null, 5, 0);
    run.run(ranks -> run.group.broadcast(0, ranks));
    run.check(1, bytes(5));
  }

  /** The bytes around a slice do not change. */
  @Test
  @Rule("G5")
  void collectivesOnSlicesChangeOnlyTheSlices(Cts cts) {
    Run run = new Run(cts, 2, false);
    List<DeviceBuffer> whole = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      DeviceBuffer buffer = cts.buffer(run.devices.get(rank), 20, BufferParams.DEVICE);
      cts.write(buffer, 0, floats(9, rank, 2 * rank, 9, 9));
      whole.add(buffer);
      run.sources.add(buffer.slice(4, 8));
      run.targets.add(buffer.slice(4, 8));
    }
    run.run(ranks -> run.group.allReduce(Reduction.SUM, ElementType.F32, ranks));
    for (DeviceBuffer buffer : whole) {
      assertBytes(floats(9, 1, 2, 9, 9), cts.read(buffer), "the buffer around a slice");
    }
  }
}
