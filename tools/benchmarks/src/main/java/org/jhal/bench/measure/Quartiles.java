// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.Arrays;
import java.util.List;

/** The metrics of a sample whose steps are timed one by one. */
public final class Quartiles {
  /** The names of the numbers that {@link #of} returns, in its order. */
  public static final List<String> METRICS = List.of("median", "p25", "p75");

  private Quartiles() {}

  /** The quartiles of {@code nanos}, of which there is at least one; sorts them. */
  public static double[] of(long[] nanos) {
    Arrays.sort(nanos);
    return new double[] {at(nanos, 2), at(nanos, 1), at(nanos, 3)};
  }

  private static double at(long[] sorted, int quarter) {
    return sorted[(int) ((long) quarter * (sorted.length - 1) / 4)];
  }
}
