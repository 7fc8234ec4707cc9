// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The limit that a number should keep. It is printed beside the number, and nothing depends on it.
 *
 * @param metric of the row that it is about
 * @param of what is compared with the limit
 * @param baseline the name of the baseline that JHAL is compared with, if any
 * @param isLeast whether the limit is a lower bound, not an upper one
 * @param limit in the unit of the compared number
 */
public record Aim(String metric, Of of, @Nullable String baseline, boolean isLeast, double limit) {
  /** What an aim compares with its limit. */
  public enum Of {
    /** JHAL's own number. */
    VALUE,
    /** JHAL's number divided by the baseline's. */
    RATIO,
    /** JHAL's number divided by that of the baseline whose median is the lowest. */
    LOWEST,
    /** JHAL's number divided by that of the case's first series. */
    GROWTH
  }

  /** JHAL's number should be at most {@code limit}. */
  public static Aim atMost(String metric, double limit) {
    return new Aim(metric, Of.VALUE, null, false, limit);
  }

  /** JHAL's number should be at most {@code limit} times that of the baseline. */
  public static Aim atMost(String metric, String baseline, double limit) {
    return new Aim(metric, Of.RATIO, baseline, false, limit);
  }

  /** JHAL's number should be at least {@code limit} times that of the baseline. */
  public static Aim atLeast(String metric, String baseline, double limit) {
    return new Aim(metric, Of.RATIO, baseline, true, limit);
  }

  /**
   * JHAL's number should be at least {@code limit} times that of the baseline whose median is the
   * lowest. That baseline is not known unless all were measured.
   */
  public static Aim atLeastOfLowest(String metric, double limit) {
    return new Aim(metric, Of.LOWEST, null, true, limit);
  }

  /** JHAL's number should be at most {@code limit} times that of the case's first series. */
  public static Aim growsAtMost(String metric, double limit) {
    return new Aim(metric, Of.GROWTH, null, false, limit);
  }

  /** The median that is compared with the limit; NaN if it was not measured. */
  public double measured(Row row) {
    return switch (of) {
      case VALUE -> Spread.of(row.jhal()).median();
      case GROWTH ->
          row.smallest() == null
              ? Double.NaN
              : Spread.ofRatios(row.jhal(), row.smallest()).median();
      case LOWEST -> ratioToLowest(row);
      case RATIO ->
          row.baselines().stream()
              .filter(side -> side.name().equals(baseline))
              .mapToDouble(side -> Spread.ofRatios(row.jhal(), side.samples()).median())
              .findFirst()
              .orElse(Double.NaN);
    };
  }

  private static double ratioToLowest(Row row) {
    double ratio = Double.NaN;
    double lowest = Double.POSITIVE_INFINITY;
    for (Row.Baseline side : row.baselines()) {
      double median = Spread.of(side.samples()).median();
      if (Double.isNaN(median)) {
        return Double.NaN;
      }
      if (median < lowest) {
        lowest = median;
        ratio = Spread.ofRatios(row.jhal(), side.samples()).median();
      }
    }
    return ratio;
  }

  /** Whether it is met, or null if that was not measured. */
  public @Nullable Boolean isMet(Row row) {
    double measured = measured(row);
    if (Double.isNaN(measured)) {
      return null;
    }
    return isLeast ? measured >= limit : measured <= limit;
  }

  /** Such as {@code "<= 1.15: met"}. */
  public String text(Row row) {
    Boolean isMet = isMet(row);
    return String.format(
        Locale.ROOT,
        "%s%s %s: %s",
        of == Of.GROWTH ? "growth " : of == Of.LOWEST ? "lowest peer " : "",
        isLeast ? ">=" : "<=",
        limit == Math.rint(limit) ? String.valueOf((long) limit) : String.valueOf(limit),
        isMet == null ? "not measured" : isMet ? "met" : "missed");
  }
}
