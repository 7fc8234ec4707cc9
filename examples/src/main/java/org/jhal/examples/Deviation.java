package org.jhal.examples;

/**
 * How far a result is from what it should be.
 *
 * @param largest of {@code |result - reference| / scale} over all elements; NaN if a result is none
 * @param bound what that may be
 */
record Deviation(double largest, double bound) {
  /** Half of the distance from 1 to the next {@code float}: what rounding once may be off by. */
  static final double ROUNDING = 0x1p-24;

  /**
   * Compares element by element.
   *
   * @param scale what the error of each element is measured in
   */
  static Deviation of(float[] result, double[] reference, double[] scale, double bound) {
    double largest = 0;
    for (int i = 0; i < reference.length; i++) {
      double error = Math.abs(result[i] - reference[i]);
      largest = Math.max(largest, error == 0 ? 0 : error / scale[i]);
    }
    return new Deviation(largest, bound);
  }

  /** What a chain of so many roundings may be off by, in the sum of the magnitudes. */
  static double roundings(long count) {
    return count * ROUNDING / (1 - count * ROUNDING);
  }

  /** Whether the result is as good as it must be. */
  boolean isWithin() {
    return largest <= bound;
  }
}
