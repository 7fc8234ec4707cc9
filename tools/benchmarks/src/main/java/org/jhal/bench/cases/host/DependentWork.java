// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * Work that is submitted while it cannot start, and is released later. A sample has, per
 * submission, the time of both steps together, the time of each, the processor time of the whole
 * process, and how long the garbage collector stopped all threads.
 */
abstract class DependentWork implements Subject {
  /** What the work waits for. */
  enum Shape {
    /** A value each; all are reached one after the other. */
    ONE_BY_ONE,
    /** A value each; one signal reaches all. */
    ALL_AT_ONCE,
    /** The one before it. */
    CHAIN
  }

  static final List<String> METRICS = List.of("whole", "park", "release", "processor", "collector");

  /** The limit of the time of a submission with many parked, relative to the fewest. */
  private static final double MOST_GROWTH = 3;

  final Shape shape;
  final int size;
  private final int repeats;

  DependentWork(Shape shape, int size, int repeats) {
    this.shape = shape;
    this.size = size;
    this.repeats = repeats;
  }

  /** JHAL beside futures, for all sizes. */
  static List<Series> series(Bench bench, Shape shape) {
    List<Series> all = new ArrayList<>();
    for (int size : bench.sizes()) {
      int repeats = bench.repeats(size);
      all.add(
          new Series(
              String.valueOf(size),
              new DependentSubmissions(bench.device(), shape, size, repeats),
              List.of(new DependentFutures(shape, size, repeats)),
              all.isEmpty() ? List.of() : List.of(Aim.growsAtMost("whole", MOST_GROWTH))));
    }
    return all;
  }

  /** Prepares one run; not measured. */
  abstract void begin();

  /** Submits the work. */
  abstract void park();

  /** Releases the work, and waits until all of it is done. */
  abstract void release() throws Exception;

  /** Releases all resources. */
  abstract void end();

  @Override
  public double[] sample() throws Exception {
    long parking = 0;
    long releasing = 0;
    long processor = -processorNanos();
    long collecting = -collectorNanos();
    for (int i = 0; i < repeats; i++) {
      begin();
      try {
        long start = System.nanoTime();
        park();
        long parked = System.nanoTime();
        release();
        releasing += System.nanoTime() - parked;
        parking += parked - start;
      } finally {
        end();
      }
    }
    processor += processorNanos();
    collecting += collectorNanos();
    double count = (double) repeats * size;
    return new double[] {
      (parking + releasing) / count,
      parking / count,
      releasing / count,
      processor <= 0 ? Double.NaN : processor / count,
      collecting / count
    };
  }

  /**
   * Of all threads, in steps of the system's clock; constant where the system does not report it.
   */
  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  private static long collectorNanos() {
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      millis += Math.max(0, collector.getCollectionTime());
    }
    return 1_000_000 * millis;
  }
}
