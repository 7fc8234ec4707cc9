// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.spark;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jhal.spark.HalPartitions;
import org.jhal.spark.SparkBundle;

/**
 * Estimates pi by the share of points of a square that are in a circle: {@code Pi [PARTITIONS
 * [DRAWS]]}. Each partition has 2^20 streams of {@code DRAWS} points. The kernel counts the points
 * of each stream that are in the circle, and Spark adds up.
 *
 * <p>The result is the same for any number of executors and devices. The exit code is 1 if it
 * cannot be right.
 */
public final class Pi {
  private static final int STREAMS = 1 << 20; // of a partition
  private static final int ARRAY = 1 << 17; // streams, so 1 MiB
  private static final int CHECKED = 1000;

  private Pi() {}

  /** Runs the application. */
  public static void main(String[] args) {
    int partitions = args.length > 0 ? Integer.parseInt(args[0]) : 64;
    int draws = args.length > 1 ? Integer.parseInt(args[1]) : 16;
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("JHAL: pi"))) {
      spark.setJobDescription(
          String.format(
              Locale.ROOT, "%,d streams of %d points", (long) partitions * STREAMS, draws));
      List<Integer> numbers = IntStream.range(0, partitions).boxed().toList();
      JavaRDD<long[]> streams =
          spark.parallelize(numbers, partitions).flatMap(Pi::streamsOfPartition);
      SparkBundle bundle = SparkBundle.ofResources(Pi.class, "kernels");
      JavaRDD<int[]> hits =
          streams.mapPartitions(
              HalPartitions.arrays(bundle, "hits", long[].class, int[].class)
                  .withConstant("draws", draws));
      long start = System.nanoTime();
      long inside = hits.map(array -> Arrays.stream(array).asLongStream().sum()).reduce(Long::sum);
      double seconds = (System.nanoTime() - start) / 1e9;

      spark.setJobDescription("the first array, to check it");
      int[] first = hits.first();
      report(inside, (double) partitions * STREAMS * draws, seconds);
      for (int i = 0; i < CHECKED; i++) {
        int expected = PiKernels.hits(i, draws);
        if (first[i] != expected) {
          throw new IllegalStateException(
              "stream " + i + " has " + first[i] + " hits, not " + expected);
        }
      }
    }
  }

  private static Iterator<long[]> streamsOfPartition(int partition) {
    long from = (long) partition * STREAMS;
    return IntStream.range(0, STREAMS / ARRAY)
        .mapToObj(i -> LongStream.range(0, ARRAY).map(k -> from + (long) i * ARRAY + k).toArray())
        .iterator();
  }

  private static void report(long inside, double points, double seconds) {
    double estimate = 4 * inside / points;
    double deviation = Math.sqrt(Math.PI * (4 - Math.PI) / points);
    System.out.printf(
        Locale.ROOT,
        "pi is about %.8f: %,d of %,.0f points, off by %.1f standard deviations, in %.1f s%n",
        estimate,
        inside,
        points,
        Math.abs(estimate - Math.PI) / deviation,
        seconds);
    if (Math.abs(estimate - Math.PI) > 6 * deviation) {
      throw new IllegalStateException("that is too far off to be chance");
    }
  }
}
