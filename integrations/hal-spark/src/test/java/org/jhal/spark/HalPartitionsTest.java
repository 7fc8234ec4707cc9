// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.MappedPartition.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.TaskKilledException;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions of arrays through kernels, on the mock. */
@Timeout(120)
class HalPartitionsTest {
  private static final HalPartitions<int[], int[]> NEXT =
      HalPartitions.arrays(KERNELS, "next_i32", int[].class, int[].class);

  private final MappedPartition partition = new MappedPartition("mock://?queues=2");

  @AfterEach
  void close() {
    TestKernels.gate = () -> {};
    partition.end();
    partition.awaitNothingLeft();
    partition.close();
  }

  /** Arrays with the values from 0 on. */
  private static List<int[]> arrays(int... lengths) {
    List<int[]> arrays = new ArrayList<>();
    int from = 0;
    for (int length : lengths) {
      arrays.add(IntStream.range(from, from + length).toArray());
      from += length;
    }
    return arrays;
  }

  private static void assertNext(List<int[]> input, List<int[]> output) {
    assertEquals(input.size(), output.size(), "arrays");
    for (int i = 0; i < input.size(); i++) {
      int[] expected = IntStream.of(input.get(i)).map(value -> value + 1).toArray();
      assertArrayEquals(expected, output.get(i), "array " + i);
    }
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void mapsArraysOfEachType(ElementType type) {
    PrimitiveArray kind = PrimitiveArray.of(type);
    Object array = kind.newArray(100);
    Object expected = kind.newArray(100);
    for (int i = 0; i < 100; i++) {
      if (type == ElementType.F16 || type == ElementType.BF16) {
        boolean isHalf = type == ElementType.F16;
        Array.setShort(array, i, isHalf ? Float16.of(i) : BFloat16.of(i));
        Array.setShort(expected, i, isHalf ? Float16.of(i + 1) : BFloat16.of(i + 1));
      } else {
        Array.setByte(array, i, (byte) i);
        Array.setByte(expected, i, (byte) (i + 1));
      }
    }
    List<Object> results = map("next_" + type.label(), array.getClass(), array);
    assertEquals(1, results.size());
    assertTrue(Objects.deepEquals(expected, results.get(0)), type.label());
  }

  @SuppressWarnings("unchecked")
  private List<Object> map(String kernel, Class<?> array, Object value) {
    Class<Object> type = (Class<Object>) array;
    return partition.toList(HalPartitions.arrays(KERNELS, kernel, type, type), List.of(value));
  }

  @Test
  void mapsToAnotherType() {
    HalPartitions<float[], double[]> scale =
        HalPartitions.arrays(KERNELS, "scale", float[].class, double[].class)
            .withConstant("factor", 2)
            .withConstant("factor", 0.5);
    List<double[]> results = partition.toList(scale, List.of(new float[] {1, 2}, new float[] {5}));
    assertArrayEquals(new double[] {0.5, 1}, results.get(0));
    assertArrayEquals(new double[] {2.5}, results.get(1));
  }

  @Test
  void anEmptyPartitionUsesNoDevice() {
    Iterator<int[]> results =
        NEXT.map(
            Collections.emptyIterator(),
            () -> {
              throw new AssertionError("asked for a device");
            },
            end -> {
              throw new AssertionError("waits for the end of the task");
            });
    assertFalse(results.hasNext());
    assertThrows(NoSuchElementException.class, results::next);
  }

  @Test
  void mapsEmptyArraysToEmptyArrays() {
    List<int[]> input = arrays(0, 0, 0);
    assertNext(input, partition.toList(NEXT, input));
    input = arrays(0, 5, 0, 0, 40, 0);
    assertNext(input, partition.toList(NEXT.withBatchBytes(40), input));
  }

  /** Batches of 16 elements: arrays are joined, go alone, or in parts. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void keepsTheOrderAndLengthsOfArrays(long seed) {
    Random random = new Random(seed);
    int[] lengths = {0, 1, 15, 16, 17, 40, 3, 3, 3, 3, 3, 3, 32, 33, 2, 160, 0};
    for (int round = 0; round < 20; round++) {
      List<int[]> input = arrays(lengths);
      assertNext(input, partition.toList(NEXT.withBatchBytes(64), input));
      for (int i = 0; i < lengths.length; i++) {
        lengths[i] = random.nextInt(50);
      }
    }
  }

  @Test
  void aBatchHasAtLeastOneElement() {
    List<int[]> input = arrays(3, 0, 2);
    assertNext(input, partition.toList(NEXT.withBatchBytes(1), input));
  }

  @Test
  void mapsMoreTinyArraysThanFitIntoABatch() {
    List<int[]> input = arrays(new int[3 * BatchPipeline.MOST_ITEMS + 5]);
    assertNext(input, partition.toList(NEXT, input));
    input = arrays(IntStream.range(0, BatchPipeline.MOST_ITEMS + 5).map(i -> i % 2).toArray());
    assertNext(input, partition.toList(NEXT, input));
  }

  /** The first kernel does not end before the third batch has been made from the input. */
  @Test
  void threeBatchesAreInFlight() throws Exception {
    CountDownLatch thirdIsPulled = new CountDownLatch(1);
    AtomicInteger pulled = new AtomicInteger();
    TestKernels.gate =
        () -> await(thirdIsPulled, "the kernel of the first batch for the input of the third one");
    Iterator<int[]> input =
        IntStream.range(0, 10)
            .mapToObj(
                i -> {
                  if (pulled.incrementAndGet() == 3) {
                    thirdIsPulled.countDown();
                  }
                  return new int[] {i, i, i, i};
                })
            .iterator();
    HalPartitions<int[], int[]> gated =
        HalPartitions.arrays(KERNELS, "gated", int[].class, int[].class).withBatchBytes(16);
    Iterator<int[]> results = partition.map(gated, input);
    assertEquals(0, pulled.get(), "nothing is pulled before a result is asked for");
    for (int i = 0; i < 10; i++) {
      int[] result = results.next();
      assertArrayEquals(new int[] {i + 1, i + 1, i + 1, i + 1}, result);
      assertEquals(Math.min(10, i + 4), pulled.get(), "pulled when result " + i + " is there");
    }
    assertFalse(results.hasNext());
  }

  private static void await(CountDownLatch latch, String who) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("30 s over: " + who);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted: " + who, e);
    }
  }

  @Test
  void mapsTheResultsOfAnotherMapping() {
    List<int[]> input = arrays(5, 20, 0, 70, 3);
    HalPartitions<int[], int[]> small = NEXT.withBatchBytes(64);
    Iterator<int[]> twice = partition.map(small, partition.map(small, input.iterator()));
    List<int[]> results = new ArrayList<>();
    twice.forEachRemaining(
        array -> results.add(IntStream.of(array).map(value -> value - 1).toArray()));
    assertNext(input, results);
  }

  @Test
  void countsBatchesAndBytes() {
    HalPartitions<float[], double[]> scale =
        HalPartitions.arrays(KERNELS, "scale", float[].class, double[].class)
            .withConstant("factor", 2.0)
            .withBatchBytes(40);
    List<float[]> input = List.of(new float[25], new float[0], new float[7]);
    assertEquals(3, partition.toList(scale, input).size());
    assertEquals(4, partition.counts.batches()); // 10, 10, 5 and the empty one, 7
    assertEquals(4 * 32, partition.counts.bytesToDevice());
    assertEquals(8 * 32, partition.counts.bytesFromDevice());
    assertEquals(0, partition.counts.halvings());
  }

  // The end.

  @Test
  void releasesEverythingAfterTheLastResult() {
    assertNext(arrays(3), partition.toList(NEXT, arrays(3)));
    partition.awaitNothingLeft(); // though the task goes on
  }

  @Test
  void releasesEverythingIfTheTaskEndsEarly() {
    Iterator<int[]> results =
        partition.map(NEXT.withBatchBytes(16), arrays(4, 4, 4, 4, 4, 4).iterator());
    assertArrayEquals(new int[] {1, 2, 3, 4}, results.next());
    partition.end();
    partition.awaitNothingLeft();
    HalException e = assertThrows(HalException.class, results::next);
    assertEquals(Status.FAILED_PRECONDITION, e.status());
  }

  @Test
  void releasesEverythingIfTheTaskIsKilled() throws Exception {
    CountDownLatch isRunning = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    TestKernels.gate =
        () -> {
          isRunning.countDown();
          await(mayEnd, "a kernel that outlives its task for the end of the test");
        };
    HalPartitions<int[], int[]> gated =
        HalPartitions.arrays(KERNELS, "gated", int[].class, int[].class).withBatchBytes(16);
    Iterator<int[]> results = partition.map(gated, arrays(4, 4, 4, 4, 4).iterator());
    Thread killer =
        new Thread(
            () -> {
              await(isRunning, "the killer for a kernel");
              partition.isKilled.set(true);
            });
    killer.start();
    assertThrows(TaskKilledException.class, results::next);
    killer.join();
    partition.end();
    assertTrue(partition.device.statistics().openOperations() > 0, "the kernel still runs");
    mayEnd.countDown();
    partition.awaitNothingLeft();
  }

  /** Even if each batch is done at once, so that no wait could notice the kill. */
  @Test
  void aKilledTaskMapsNothingMore() {
    Iterator<int[]> results =
        partition.map(NEXT.withBatchBytes(16), Collections.nCopies(1000, new int[4]).iterator());
    assertArrayEquals(new int[] {1, 1, 1, 1}, results.next());
    partition.isKilled.set(true);
    assertThrows(TaskKilledException.class, () -> results.forEachRemaining(array -> {}));
    partition.end();
    partition.awaitNothingLeft();
  }

  @Test
  void passesOnAFailureOfTheInput() {
    IllegalStateException broken = new IllegalStateException("broken input");
    Iterator<int[]> input =
        IntStream.range(0, 5)
            .mapToObj(
                i -> {
                  if (i == 4) {
                    throw broken;
                  }
                  return new int[4];
                })
            .iterator();
    Iterator<int[]> results = partition.map(NEXT.withBatchBytes(16), input);
    results.next();
    assertEquals(broken, assertThrows(IllegalStateException.class, results::next));
    partition.awaitNothingLeft();
    assertFalse(results.hasNext());
  }

  @Test
  void aFailingKernelFailsTheTask() {
    HalPartitions<int[], int[]> failing =
        HalPartitions.arrays(KERNELS, "failing", int[].class, int[].class)
            .withConstant("at", 13)
            .withBatchBytes(16);
    Iterator<int[]> results = partition.map(failing, arrays(4, 4, 4, 4, 4).iterator());
    results.next();
    results.next();
    results.next();
    HalException e = assertThrows(HalException.class, results::next);
    assertEquals(Status.ABORTED, e.status());
    assertTrue(e.getMessage().contains("kernel failing, in one of the last batches"), e::toString);
    assertTrue(e.getMessage().contains("the value 13"), e::toString);
    partition.awaitNothingLeft();
  }

  @Test
  void aThrownFailureCanBeSerialized() throws Exception {
    HalException thrown =
        new HalException(Status.RESOURCE_EXHAUSTED, "nothing left", new IllegalStateException("x"))
            .again();
    HalException read = copy(thrown);
    assertEquals(Status.RESOURCE_EXHAUSTED, read.status());
    assertEquals("nothing left", read.getMessage());
    assertEquals(thrown.toString(), read.toString());
  }

  @Test
  void anUnserializableCauseIsDropped() throws Exception {
    Exception odd =
        new Exception("odd") {
          @SuppressWarnings("unused")
          private final Object field = new Object();
        };
    HalException thrown = new HalException(Status.ABORTED, "a kernel threw " + odd, odd);
    HalException read = copy(BatchPipeline.forTheWire(thrown));
    assertEquals(thrown.toString(), read.toString());
    assertArrayEquals(thrown.getStackTrace(), read.getStackTrace());
    HalException plain = new HalException(Status.ABORTED, "x", new IllegalStateException("y"));
    assertSame(plain, BatchPipeline.forTheWire(plain));
  }

  @Test
  void aMappingCanBeSerialized() throws Exception {
    HalPartitions<float[], double[]> scale =
        HalPartitions.arrays(KERNELS, "scale", float[].class, double[].class)
            .withConstant("factor", 3.0);
    assertArrayEquals(
        new double[] {6}, partition.toList(copy(scale), List.of(new float[] {2})).get(0));
  }

  @SuppressWarnings("unchecked")
  private static <T> T copy(T object) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (T) in.readObject();
    }
  }

  /** 3 GiB in a heap of 1 GiB: mapped arrays are released. */
  @Test
  @Timeout(300)
  void mapsAPartitionLargerThanTheHeap() {
    int length = 1 << 19; // longs, so 4 MiB
    int arrays = 3 << 8;
    Iterator<long[]> input =
        IntStream.range(0, arrays)
            .mapToObj(
                i -> {
                  long[] array = new long[length];
                  array[0] = i;
                  array[length / 2] = -i;
                  return array;
                })
            .iterator();
    Iterator<long[]> results =
        partition.map(
            HalPartitions.arrays(KERNELS, "next_of_some", long[].class, long[].class), input);
    for (int i = 0; i < arrays; i++) {
      long[] result = results.next();
      assertEquals(length, result.length);
      assertEquals(i + 1, result[0]);
      assertEquals(1 - i, result[length / 2]);
      assertEquals(1, result[length - 4096]);
    }
    assertFalse(results.hasNext());
  }
}
