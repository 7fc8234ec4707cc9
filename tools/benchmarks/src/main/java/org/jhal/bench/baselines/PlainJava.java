// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.util.Objects;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a workload as plain loops over arrays, on the measuring thread; a sample is the
 * nanoseconds of one of {@code count} in a row.
 */
public final class PlainJava implements Subject {
  private final Workload workload;
  private final int count;
  private @Nullable Runnable task; // once it is prepared

  /** Makes no arrays yet. */
  public PlainJava(Workload workload, int count) {
    this.workload = workload;
    this.count = count;
  }

  @Override
  public String name() {
    return "Java";
  }

  @Override
  public void prepare() {
    task = JavaLoops.task(workload);
  }

  @Override
  public double[] sample() {
    Runnable run = Objects.requireNonNull(task);
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      run.run();
    }
    return new double[] {(System.nanoTime() - start) / (double) count};
  }
}
