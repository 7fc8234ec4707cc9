// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.pipeline;

import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/** The three stages of the pipeline; {@code pipeline.cpp} is their twin. */
public final class PipelineKernels {
  private PipelineKernels() {}

  /** Values from 0 to 1008. */
  public static void generate(Workgroup group, int n, Ints values) {
    long end = group.endX(n);
    for (long i = group.firstX(); i < end; i++) {
      values.set(i, (int) (i * i % 1009));
    }
  }

  /** The weighted mean of each value and its neighbours; past the ends the value itself counts. */
  public static void smooth(Workgroup group, int n, Ints values, Ints smoothed) {
    long end = group.endX(n);
    for (long i = group.firstX(); i < end; i++) {
      int before = values.get(Math.max(i - 1, 0));
      int after = values.get(Math.min(i + 1, n - 1));
      smoothed.set(i, (before + 2 * values.get(i) + after) / 4);
    }
  }

  /** Element j of sums is the sum of the j-th block of values; the last block may be shorter. */
  public static void sum(Workgroup group, long n, long block, Ints values, Ints sums) {
    long end = group.endX((n + block - 1) / block);
    for (long j = group.firstX(); j < end; j++) {
      int total = 0;
      for (long i = j * block; i < Math.min(n, (j + 1) * block); i++) {
        total += values.get(i);
      }
      sums.set(j, total);
    }
  }
}
