// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.spark;

import static org.apache.spark.sql.functions.sum;

import java.io.IOException;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jhal.ElementType;
import org.jhal.spark.HalColumns;
import org.jhal.spark.SparkBundle;

/**
 * Estimates pi by the share of points of a square that are in a circle: {@code Pi [PARTITIONS
 * [DRAWS]]}. Each partition has 2^16 streams of {@code DRAWS} points. The kernel counts the points
 * of each stream that are in the circle, and Spark adds up.
 *
 * <p>The result is the same for any number of executors and devices. The exit code is 1 if it
 * cannot be right.
 */
public final class Pi {
  private static final int STREAMS = 1 << 16; // of a partition
  private static final int CHECKED = 1000;

  private Pi() {}

  /** Runs the application. */
  public static void main(String[] args) throws IOException {
    int partitions = args.length > 0 ? Integer.parseInt(args[0]) : 64;
    int draws = args.length > 1 ? Integer.parseInt(args[1]) : 256;
    long streams = (long) partitions * STREAMS;
    HalColumns count =
        HalColumns.of(SparkBundle.ofResources(Pi.class, "kernels"), "hits")
            .input("id")
            .output("hits", ElementType.U32)
            .withConstant("draws", draws);
    try (SparkSession spark = SparkSession.builder().appName("JHAL: pi").getOrCreate()) {
      Dataset<Row> hits = count.apply(spark.range(0, streams, 1, partitions));
      spark
          .sparkContext()
          .setJobDescription(
              String.format(Locale.ROOT, "%,d streams of %d points", streams, draws));
      long start = System.nanoTime();
      long inside = hits.agg(sum("hits")).first().getLong(0);
      double seconds = (System.nanoTime() - start) / 1e9;

      spark.sparkContext().setJobDescription("the first streams, to check them");
      for (Row row : hits.limit(CHECKED).collectAsList()) {
        int expected = PiKernels.hits(row.getLong(0), draws);
        if (row.getInt(1) != expected) {
          throw new IllegalStateException(
              "stream " + row.getLong(0) + " has " + row.getInt(1) + " hits, not " + expected);
        }
      }
      report(inside, (double) streams * draws, seconds);
    }
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
