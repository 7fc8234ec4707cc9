// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Floats;
import org.jhal.kernel.Workgroup;

/**
 * The kernel of {@code examples/reduction} in Java; {@code reduction.cpp} beside it is its twin and
 * adds in the same order.
 */
public final class Reduction {
  /** How many work items a workgroup has. */
  static final int ITEMS = 256;

  private Reduction() {}

  /** {@code sums[g]} is the sum of the values of workgroup g. */
  public static void reduction(Workgroup group, long n, long groups, Floats values, Floats sums) {
    float[] partial = new float[ITEMS];
    long step = groups * ITEMS;
    for (long begin = group.firstX(); begin < n; begin += step) {
      int count = (int) Math.min(ITEMS, n - begin);
      for (int item = 0; item < count; item++) {
        partial[item] += values.get(begin + item);
      }
    }
    for (int half = ITEMS / 2; half > 0; half /= 2) {
      for (int item = 0; item < half; item++) {
        partial[item] += partial[item + half];
      }
    }
    sums.set(group.groupX(), partial[0]);
  }
}
