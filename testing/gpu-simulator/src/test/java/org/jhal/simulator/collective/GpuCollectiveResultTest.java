// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.collective;

import static org.jhal.simulator.collective.CollectiveCalls.AVERAGE;
import static org.jhal.simulator.collective.CollectiveCalls.BFLOAT16;
import static org.jhal.simulator.collective.CollectiveCalls.FLOAT16;
import static org.jhal.simulator.collective.CollectiveCalls.INT32;
import static org.jhal.simulator.collective.CollectiveCalls.INVALID_USAGE;
import static org.jhal.simulator.collective.CollectiveCalls.SUM;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.collective.CollectiveCalls.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The results of the simulated collectives. */
class GpuCollectiveResultTest extends OnCollectives {
  private static final int[] TYPE_BYTES = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

  private static byte[] encode(int type, double... values) {
    byte[] bytes = new byte[values.length * TYPE_BYTES[type]];
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    for (double value : values) {
      switch (type) {
        case 0, 1 -> buffer.put((byte) value);
        case 2, 3 -> buffer.putInt((int) value);
        case 4, 5 -> buffer.putLong((long) value);
        case 6 -> buffer.putShort(Float16.of(value));
        case 7 -> buffer.putFloat((float) value);
        case 8 -> buffer.putDouble(value);
        default -> buffer.putShort(BFloat16.of(value));
      }
    }
    return bytes;
  }

  private static double[] values(int rank, int count) {
    return IntStream.range(0, count).mapToDouble(i -> (i * 7 + rank * 5) % 4 + 1).toArray();
  }

  private static double[] reduced(int reduction, int ranks, int count) {
    double[] all = values(0, count);
    for (int rank = 1; rank < ranks; rank++) {
      double[] next = values(rank, count);
      for (int i = 0; i < count; i++) {
        all[i] =
            switch (reduction) {
              case 1 -> all[i] * next[i];
              case 2 -> Math.max(all[i], next[i]);
              case 3 -> Math.min(all[i], next[i]);
              default -> all[i] + next[i];
            };
      }
    }
    if (reduction == AVERAGE) {
      Arrays.setAll(all, i -> all[i] / ranks);
    }
    return all;
  }

  private static double[] gathered(int ranks, int count) {
    return IntStream.range(0, ranks)
        .boxed()
        .flatMapToDouble(rank -> Arrays.stream(values(rank, count)))
        .toArray();
  }

  /** The result of a rank; null if it gets none. */
  private static double @Nullable [] expected(
      Kind kind, int reduction, int root, int ranks, int rank, int count) {
    return switch (kind) {
      case ALL_REDUCE -> reduced(reduction, ranks, count);
      case BROADCAST -> values(root, count);
      case REDUCE -> rank == root ? reduced(reduction, ranks, count) : null;
      case ALL_GATHER -> gathered(ranks, count);
      case REDUCE_SCATTER ->
          Arrays.copyOfRange(
              reduced(reduction, ranks, ranks * count), rank * count, (rank + 1) * count);
    };
  }

  private void check(Kind kind, int type, int reduction, int ranks, int count) {
    int root = ranks - 1;
    long[] communicators = nccl().init(IntStream.range(0, ranks).toArray());
    long[] targets = new long[ranks];
    List<Runnable> calls = new ArrayList<>();
    for (int i = 0; i < ranks; i++) {
      int rank = i;
      int elements = kind == Kind.REDUCE_SCATTER ? ranks * count : count;
      long source = memory(rank, encode(type, values(rank, elements)));
      int bytes = (kind == Kind.ALL_GATHER ? ranks : 1) * count * TYPE_BYTES[type];
      targets[rank] = memory(rank, new byte[bytes]);
      calls.add(
          () ->
              assertEquals(
                  0,
                  nccl()
                      .call(
                          kind,
                          source,
                          targets[rank],
                          count,
                          type,
                          reduction,
                          root,
                          communicators[rank],
                          streams[rank])));
    }
    assertEquals(0, nccl().group(calls));
    synchronizeAll(ranks);
    for (int rank = 0; rank < ranks; rank++) {
      double[] expected = expected(kind, reduction, root, ranks, rank, count);
      byte[] bytes =
          expected == null
              ? new byte[count * TYPE_BYTES[type]]
              : encode(type, Arrays.copyOf(expected, expected.length));
      assertArrayEquals(
          bytes,
          new Pointer(targets[rank]).getByteArray(0, bytes.length),
          kind + " of type " + type + " by " + reduction + ": rank " + rank + " of " + ranks);
    }
    nccl().each("ncclCommDestroy", communicators);
  }

  @ParameterizedTest
  @EnumSource
  void computesAllKindsAndTypesForOneToFourRanks(Kind kind) {
    for (int ranks = 1; ranks <= devices; ranks++) {
      for (int type = 0; type < TYPE_BYTES.length; type++) {
        for (int reduction = 0; reduction <= (kind.hasReduction() ? AVERAGE : 0); reduction++) {
          if (reduction != AVERAGE || type >= FLOAT16) {
            check(kind, type, reduction, ranks, type == INT32 ? 1000 : 5);
          }
        }
      }
    }
    assertNoMisuse();
    assertEquals(0, collectives().live());
  }

  @Test
  void exchangesDataBothWaysInOneGroup() {
    Pair pair = new Pair();
    List<Runnable> calls = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int rank = i;
      long communicator = pair.communicators[rank];
      calls.add(
          () ->
              nccl()
                  .ok(
                      "ncclSend",
                      pair.from[rank],
                      1L,
                      INT32,
                      1 - rank,
                      communicator,
                      streams[rank]));
      calls.add(
          () ->
              nccl()
                  .ok("ncclRecv", pair.to[rank], 1L, INT32, 1 - rank, communicator, streams[rank]));
    }
    assertEquals(0, nccl().group(calls));
    synchronizeAll(2);
    assertArrayEquals(new int[] {2}, read(pair.to[0], 1));
    assertArrayEquals(new int[] {1}, read(pair.to[1], 1));
    assertNoMisuse();
  }

  @Test
  void computesInPlace() {
    long[] communicators = nccl().init(0, 1);
    long[] both = {ints(0, 1, 2), ints(1, 30, 40)};
    List<Runnable> gather = new ArrayList<>();
    List<Runnable> scatter = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int rank = i;
      long part = both[rank] + 4L * rank;
      gather.add(
          () ->
              nccl()
                  .ok(
                      "ncclAllGather",
                      part,
                      both[rank],
                      1L,
                      INT32,
                      communicators[rank],
                      streams[rank]));
      scatter.add(
          () ->
              nccl()
                  .ok(
                      "ncclReduceScatter",
                      both[rank],
                      part,
                      1L,
                      INT32,
                      SUM,
                      communicators[rank],
                      streams[rank]));
    }
    assertEquals(0, nccl().group(gather));
    synchronizeAll(2);
    assertArrayEquals(new int[] {1, 40}, read(both[0], 2));
    assertArrayEquals(new int[] {1, 40}, read(both[1], 2));
    assertEquals(0, nccl().group(scatter));
    synchronizeAll(2);
    assertArrayEquals(new int[] {2, 40}, read(both[0], 2));
    assertArrayEquals(new int[] {1, 80}, read(both[1], 2));
    assertNoMisuse();
  }

  @ParameterizedTest
  @ValueSource(ints = {FLOAT16, BFLOAT16})
  void roundsShortFloatsToNearestEven(int type) {
    long[] communicators = nccl().init(0, 1);
    double unit = type == FLOAT16 ? 0x1p-10 : 0x1p-7;
    double[] ones = {1, 1 + unit, 1, type == FLOAT16 ? 0x1p-24 : 0x1p-126, 0};
    double[] more = {unit / 2, unit / 2, unit * 3 / 4, type == FLOAT16 ? 0x1p-23 : 0, -0.0};
    double[] sums = new double[ones.length];
    Arrays.setAll(sums, i -> ones[i] + more[i]);
    long[] sources = {memory(0, encode(type, ones)), memory(1, encode(type, more))};
    long[] targets = {memory(0, new byte[10]), memory(1, new byte[10])};
    List<Runnable> calls = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int rank = i;
      calls.add(
          () ->
              nccl()
                  .ok(
                      "ncclAllReduce",
                      sources[rank],
                      targets[rank],
                      5L,
                      type,
                      SUM,
                      communicators[rank],
                      streams[rank]));
    }
    assertEquals(0, nccl().group(calls));
    synchronizeAll(2);
    assertArrayEquals(encode(type, sums), new Pointer(targets[1]).getByteArray(0, 10));
  }

  @Test
  void returnsItsVersionAndTheTextsOfCodes() {
    int[] out = new int[1];
    nccl().ok("ncclGetVersion", out);
    assertEquals(SimulatedLibrary.NEWEST_COLLECTIVES, out[0]);
    assertEquals("invalid usage", nccl().text("ncclGetErrorString", INVALID_USAGE));
    Pair pair = new Pair();
    nccl().ok("ncclCommCount", pair.communicators[1], out);
    assertEquals(2, out[0]);
    assertEquals(2, collectives().live());
    pair.check();
    pair.destroy();
    assertEquals(0, collectives().live());
    assertEquals(Map.of(), onlyCommunicators());
    assertEquals(2, collectives().calls().get("ncclAllReduce"));
    assertNoMisuse();
  }

  private Map<String, Long> onlyCommunicators() {
    Map<String, Long> live = simulator().live();
    live.keySet().retainAll(List.of("communicator"));
    return live;
  }

  @Test
  void doesNothingForNoElements() {
    Pair pair = new Pair();
    assertEquals(
        0, nccl().call(Kind.ALL_REDUCE, 0, 0, 0, INT32, SUM, 0, pair.communicators[0], streams[0]));
    synchronizeAll(2);
    pair.check();
    assertNoMisuse();
  }
}
