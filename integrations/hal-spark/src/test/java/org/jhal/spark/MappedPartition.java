// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jhal.Device;
import org.jhal.Hal;

/**
 * The environment of a partition without Spark: a device, and a task that can be killed and ended.
 */
final class MappedPartition implements AutoCloseable {
  static final SparkBundle KERNELS = SparkBundle.ofResources(TestKernels.class, "kernels");

  static final HalPartitions<int[], double[]> HALVES =
      HalPartitions.arrays(KERNELS, "scale_i32", int[].class, double[].class);

  final AtomicBoolean isKilled = new AtomicBoolean();
  final Counts counts = new Counts();
  final Device device;
  private final TaskDevice task;
  private final List<Runnable> atEnd = new ArrayList<>();

  MappedPartition(String uri) {
    device = Hal.openDevice(uri);
    task = new TaskDevice("a task", device.queue(0), isKilled::get, counts, new MemoryLine());
  }

  /** The results are halves of the input. */
  static void checkHalves(List<int[]> input, List<double[]> results, String what) {
    assertEquals(input.size(), results.size(), what);
    for (int i = 0; i < results.size(); i++) {
      double[] expected = IntStream.of(input.get(i)).mapToDouble(x -> 0.5 * x).toArray();
      assertArrayEquals(expected, results.get(i), what + ", array " + i);
    }
  }

  <I, O> Iterator<O> map(HalPartitions<I, O> mapping, Iterator<I> input) {
    return mapping.map(input, () -> task, atEnd::add);
  }

  <I, O> List<O> toList(HalPartitions<I, O> mapping, List<I> input) {
    List<O> results = new ArrayList<>();
    map(mapping, input.iterator()).forEachRemaining(results::add);
    return results;
  }

  /** The end of the task. */
  void end() {
    for (int i = atEnd.size() - 1; i >= 0; i--) {
      atEnd.get(i).run();
    }
    atEnd.clear();
  }

  /** Waits until the task has released everything of the device. */
  void awaitNothingLeft() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (device.statistics().openOperations() + device.statistics().liveResources() > 0) {
      if (System.nanoTime() - end > 0) {
        fail("still open after 30 s: " + device.statistics() + "\n" + Hal.explain());
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public void close() {
    end();
    device.close();
  }
}
