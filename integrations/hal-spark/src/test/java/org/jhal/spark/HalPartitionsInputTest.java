// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.MappedPartition.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Inputs that {@link HalPartitions} and {@link SparkBundle} refuse, and their messages. */
@Timeout(60)
class HalPartitionsInputTest {
  private final MappedPartition partition = new MappedPartition("mock");

  @AfterEach
  void close() {
    partition.awaitNothingLeft();
    partition.close();
  }

  private static HalPartitions<int[], int[]> ints(String kernel) {
    return HalPartitions.arrays(KERNELS, kernel, int[].class, int[].class);
  }

  private void refuses(Status status, HalPartitions<int[], ?> mapping, String... says) {
    refuses(status, () -> partition.toList(mapping, List.of(new int[] {1, 2, 3})), says);
  }

  private static void refuses(Status status, Executable call, String... says) {
    HalException e = assertThrows(HalException.class, call);
    assertEquals(status, e.status(), e::toString);
    for (String part : says) {
      assertTrue(e.getMessage().contains(part), () -> "no '" + part + "' in: " + e.getMessage());
    }
  }

  @Test
  void refusesAMissingKernel() {
    refuses(Status.NOT_FOUND, ints("no_such"), "no_such", "next_i32");
  }

  @Test
  void refusesAWrongElementType() {
    refuses(
        Status.INVALID_ARGUMENT,
        ints("next_f32"),
        "kernel next_f32(constant i32 count, in f32 x, out f32 y)",
        "buffer 'x' takes float[], not int[]");
    refuses(
        Status.INVALID_ARGUMENT,
        HalPartitions.arrays(KERNELS, "next_i32", int[].class, long[].class),
        "buffer 'y' takes int[], not long[]");
  }

  @Test
  void refusesOtherClassesOfArrays() {
    refuses(
        Status.INVALID_ARGUMENT,
        () -> HalPartitions.arrays(KERNELS, "next_i32", boolean[].class, int[].class),
        "input boolean[]");
    refuses(
        Status.INVALID_ARGUMENT,
        () -> HalPartitions.arrays(KERNELS, "next_i32", int[].class, String.class),
        "output java.lang.String");
  }

  @Test
  void refusesANullArray() {
    refuses(
        Status.INVALID_ARGUMENT,
        () -> partition.toList(ints("next_i32"), Arrays.asList(new int[1], null)),
        "array 1 of the partition");
  }

  /** The static types of a program may be wrong, such as after a cast of an RDD. */
  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void refusesAnArrayOfAnotherType() {
    refuses(
        Status.INVALID_ARGUMENT,
        () -> partition.toList(ints("next_i32"), (List) List.of(new int[1], new double[1])),
        "array 1 of the partition, counted from 0, is no int[], but a double[]");
  }

  @Test
  void refusesInoutBuffers() {
    refuses(Status.INVALID_ARGUMENT, ints("changing"), "'y' is inout", "declare an in and an out");
  }

  @Test
  void refusesAWrongNumberOfBuffers() {
    refuses(
        Status.INVALID_ARGUMENT,
        ints("two_to_two").withConstant("factor", 1f),
        "it has 2 buffers that are in");
    refuses(Status.INVALID_ARGUMENT, ints("reading_only"), "it has 0 buffers that are out");
  }

  @Test
  void refusesKernelsWithoutACount() {
    refuses(Status.INVALID_ARGUMENT, ints("uncounted"), "needs a constant 'count'");
    refuses(Status.INVALID_ARGUMENT, ints("strangely_counted"), "of type i32, u32, i64 or u64");
    refuses(
        Status.INVALID_ARGUMENT,
        () -> ints("next_i32").withConstant("count", 3),
        "'count' is the number of elements");
  }

  @Test
  void refusesMissingAndUnknownConstants() {
    refuses(Status.INVALID_ARGUMENT, ints("failing"), "'at' has no value", "withConstant");
    refuses(
        Status.INVALID_ARGUMENT,
        ints("failing").withConstant("at", 3).withConstant("to", 4),
        "no constant 'to'");
    refuses(Status.INVALID_ARGUMENT, ints("next_i32").withConstant("x", 4), "no constant 'x'");
  }

  @Test
  void refusesConstantsOfAnotherType() {
    refuses(
        Status.INVALID_ARGUMENT,
        () -> ints("failing").withConstant("at", new BigDecimal(3)),
        "constant 'at'",
        "BigDecimal");
    refuses(
        Status.INVALID_ARGUMENT,
        ints("failing").withConstant("at", 3.5),
        "at: constant of type i32");
    refuses(Status.OUT_OF_RANGE, ints("failing").withConstant("at", 1L << 40), "at");
  }

  @Test
  void refusesBatchesOfAnInvalidSize() {
    refuses(Status.OUT_OF_RANGE, () -> ints("next_i32").withBatchBytes(0), "0 bytes");
    refuses(Status.OUT_OF_RANGE, () -> ints("next_i32").withBatchBytes(1L << 31), "2147483648");
  }

  @Test
  void reportsAMissingBundle(@TempDir Path folder) {
    refuses(
        Status.NOT_FOUND,
        of(SparkBundle.ofResources(TestKernels.class, "no-such-folder")),
        "org.jhal.spark.TestKernels:no-such-folder is not on this executor",
        "--jars, in which it is org/jhal/spark/no-such-folder/");
    refuses(
        Status.NOT_FOUND, of(SparkBundle.ofFile("no-such.zip")), "no-such.zip exists", "--files");
    refuses(
        Status.NOT_FOUND, of(SparkBundle.ofFile(folder.toString())), "there is no manifest.json");
  }

  /** The class is on the driver only. */
  @Test
  void reportsAMissingClass() {
    Thread current = Thread.currentThread();
    ClassLoader own = current.getContextClassLoader();
    try {
      current.setContextClassLoader(ClassLoader.getPlatformClassLoader());
      refuses(
          Status.NOT_FOUND,
          of(KERNELS),
          "its class org.jhal.spark.TestKernels is not there",
          "--jars");
    } finally {
      current.setContextClassLoader(own);
    }
  }

  private static HalPartitions<int[], int[]> of(SparkBundle bundle) {
    return HalPartitions.arrays(bundle, "next_i32", int[].class, int[].class);
  }

  @Test
  void loadsABundleFromAFile() throws Exception {
    URL folder = Objects.requireNonNull(TestKernels.class.getResource("kernels"), "resources");
    SparkBundle bundle = SparkBundle.ofFile(Path.of(folder.toURI()).toString());
    assertEquals(2, partition.toList(of(bundle), List.of(new int[] {1, 2, 3})).get(0)[0]);
  }
}
