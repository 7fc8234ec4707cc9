// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.Arrays;

/**
 * The spread of the numbers of several rounds.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the smallest
 * @param max the largest
 */
public record Spread(double median, double min, double max) {
  /** The spread of {@code samples}, of which there is at least one. */
  public static Spread of(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    return new Spread((sorted[last / 2] + sorted[(last + 1) / 2]) / 2, sorted[0], sorted[last]);
  }

  /**
   * The spread of the quotients round by round. Both sides of a round ran one after the other, so
   * that a load which comes and goes disturbs their quotient less than it disturbs either.
   */
  public static Spread ofRatios(double[] above, double[] below) {
    double[] ratios = new double[above.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = above[i] / below[i];
    }
    return of(ratios);
  }
}
