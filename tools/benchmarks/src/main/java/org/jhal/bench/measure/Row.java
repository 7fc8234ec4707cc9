// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a result: the samples of one metric, in the order of the rounds.
 *
 * @param label of the series
 * @param metric what was measured
 * @param jhal the samples
 * @param absence why {@code jhal} are not numbers, or null
 * @param smallest the samples of the case's first series, or null if they are not to be compared
 * @param baselines the samples of the baselines
 * @param aims of this metric
 */
public record Row(
    String label,
    String metric,
    double[] jhal,
    @Nullable Absence absence,
    double @Nullable [] smallest,
    List<Baseline> baselines,
    List<Aim> aims) {
  /**
   * The samples of a baseline.
   *
   * @param name of the baseline
   * @param samples in the order of the rounds
   * @param absence why {@code samples} are not numbers, or null
   */
  public record Baseline(String name, double[] samples, @Nullable Absence absence) {}

  /** Whether any side failed. */
  public boolean hasFailure() {
    return isFailure(absence)
        || baselines.stream().anyMatch(baseline -> isFailure(baseline.absence()));
  }

  private static boolean isFailure(@Nullable Absence absence) {
    return absence != null && absence.isFailure();
  }
}
