package org.jhal.examples.pipeline;

import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;

/** The three stages of the pipeline; {@code pipeline.cpp} is their twin. */
public final class PipelineKernels {
  private PipelineKernels() {}

  /** Parameters: n, values. */
  public static void generate(Workgroup group) {
    KernelMemory values = group.memory(1);
    long end = end(group, group.i32(0));
    for (long i = begin(group); i < end; i++) {
      values.putInt(4 * i, (int) (i * i % 1009));
    }
  }

  /**
   * The weighted mean of each value and its neighbours; past the ends the value itself counts.
   * Parameters: n, values, smoothed.
   */
  public static void smooth(Workgroup group) {
    int n = group.i32(0);
    KernelMemory values = group.memory(1);
    KernelMemory smoothed = group.memory(2);
    long end = end(group, n);
    for (long i = begin(group); i < end; i++) {
      int before = values.getInt(4 * Math.max(i - 1, 0));
      int after = values.getInt(4 * Math.min(i + 1, n - 1));
      smoothed.putInt(4 * i, (before + 2 * values.getInt(4 * i) + after) / 4);
    }
  }

  /**
   * Element j of sums is the sum of the j-th block of values; the last block may be shorter.
   * Parameters: n, block, values, sums.
   */
  public static void sum(Workgroup group) {
    long n = group.i32(0);
    long block = group.i32(1);
    KernelMemory values = group.memory(2);
    KernelMemory sums = group.memory(3);
    long end = end(group, (n + block - 1) / block);
    for (long j = begin(group); j < end; j++) {
      int total = 0;
      for (long i = j * block; i < Math.min(n, (j + 1) * block); i++) {
        total += values.getInt(4 * i);
      }
      sums.putInt(4 * j, total);
    }
  }

  private static long begin(Workgroup group) {
    return (long) group.groupX() * group.sizeX();
  }

  private static long end(Workgroup group, long items) {
    return Math.min(items, begin(group) + group.sizeX());
  }
}
