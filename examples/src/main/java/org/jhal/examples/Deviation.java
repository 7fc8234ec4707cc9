// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

/**
 * How far a result is from the reference.
 *
 * @param largest the largest {@code |result - reference| / scale} of all elements; NaN if a result
 *     is NaN
 * @param bound the largest value that passes
 */
record Deviation(double largest, double bound) {
  /** Half of the distance from 1 to the next {@code float}: the largest error of one rounding. */
  static final double ROUNDING = 0x1p-24;

  /**
   * Compares element by element.
   *
   * @param scale the unit of each element's error
   */
  static Deviation of(float[] result, double[] reference, double[] scale, double bound) {
    double largest = 0;
    for (int i = 0; i < reference.length; i++) {
      double error = Math.abs(result[i] - reference[i]);
      largest = Math.max(largest, error == 0 ? 0 : error / scale[i]);
    }
    return new Deviation(largest, bound);
  }

  /** The largest error of a chain of {@code count} roundings, relative to the sum of magnitudes. */
  static double roundings(long count) {
    return count * ROUNDING / (1 - count * ROUNDING);
  }

  /** Whether the result is within the bound. */
  boolean isWithin() {
    return largest <= bound;
  }
}
