package org.jhal.examples;

import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;

/**
 * The kernel of {@code examples/reduction} in Java; {@code reduction.cpp} beside it is its twin and
 * adds in the same order.
 */
public final class Reduction {
  /** How many work items a workgroup has. */
  static final int ITEMS = 256;

  private Reduction() {}

  /**
   * {@code sums[g]} is the sum of the values of workgroup g. Parameters: n, groups, values, sums.
   */
  public static void reduction(Workgroup group) {
    long n = group.i64(0);
    KernelMemory values = group.memory(2);
    KernelMemory sums = group.memory(3);
    float[] partial = new float[ITEMS];
    long step = group.i64(1) * ITEMS;
    for (long begin = (long) group.groupX() * ITEMS; begin < n; begin += step) {
      int count = (int) Math.min(ITEMS, n - begin);
      for (int item = 0; item < count; item++) {
        partial[item] += values.getFloat(4 * (begin + item));
      }
    }
    for (int half = ITEMS / 2; half > 0; half /= 2) {
      for (int item = 0; item < half; item++) {
        partial[item] += partial[item + half];
      }
    }
    sums.putFloat(4L * group.groupX(), partial[0]);
  }
}
