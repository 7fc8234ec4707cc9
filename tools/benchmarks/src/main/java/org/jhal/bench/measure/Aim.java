package org.jhal.bench.measure;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a number is meant to be. It is printed beside the number, and nothing depends on it.
 *
 * @param metric of the row that it is about
 * @param of what is compared
 * @param baseline its name, if a baseline is what JHAL is compared with
 * @param isLeast whether the limit is the least that is wanted, not the most
 * @param limit in the unit of what is compared
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

  /** JHAL is to give at most {@code limit}. */
  public static Aim atMost(String metric, double limit) {
    return new Aim(metric, Of.VALUE, null, false, limit);
  }

  /** JHAL is to give at most {@code limit} times what the baseline gives. */
  public static Aim atMost(String metric, String baseline, double limit) {
    return new Aim(metric, Of.RATIO, baseline, false, limit);
  }

  /** JHAL is to give at least {@code limit} times what the baseline gives. */
  public static Aim atLeast(String metric, String baseline, double limit) {
    return new Aim(metric, Of.RATIO, baseline, true, limit);
  }

  /**
   * JHAL is to give at least {@code limit} times what that baseline gives whose median is the
   * lowest. It is not known which one that is unless all were measured.
   */
  public static Aim atLeastOfLowest(String metric, double limit) {
    return new Aim(metric, Of.LOWEST, null, true, limit);
  }

  /** JHAL is to give at most {@code limit} times what it gives for the case's first series. */
  public static Aim growsAtMost(String metric, double limit) {
    return new Aim(metric, Of.GROWTH, null, false, limit);
  }

  /** What is compared with the limit: a median; not a number if it was not measured. */
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
