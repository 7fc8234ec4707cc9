// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures a case: warms every subject up, then takes one sample of each in turn, round after
 * round, so that other load of the machine affects all of them alike.
 */
public final class Rounds {
  private static final int STEADY = 3; // samples in a row without progress
  private static final double PROGRESS = 0.95; // a sample below this part of the best is progress
  private static final int PATIENCE = 4; // warming up ends after this many times its least time

  private Rounds() {}

  /** A subject, and its samples by metric, then by round; they are not numbers if it fails. */
  private static final class Sampled {
    final Subject subject;
    final double[][] samples;
    @Nullable Absence absence;

    Sampled(Subject subject, int metrics, int rounds) {
      this.subject = subject;
      this.samples = new double[metrics][rounds];
    }

    void warmUp(long nanos) throws InterruptedException {
      guard(subject::prepare);
      guard(() -> Rounds.warmUp(subject, nanos));
    }

    void take(int round) throws InterruptedException {
      guard(
          () -> {
            double[] sample = subject.sample();
            for (int metric = 0; metric < sample.length; metric++) {
              samples[metric][round] = sample[metric];
            }
          });
    }

    /** Takes no more samples once the subject has failed; the others may still work. */
    private void guard(Step step) throws InterruptedException {
      if (absence != null) {
        return;
      }
      try {
        step.run();
      } catch (InterruptedException e) {
        throw e;
      } catch (NotAvailableException e) {
        isAbsent(String.valueOf(e.getMessage()), false);
      } catch (Exception e) {
        isAbsent(Absence.why(e), true);
      }
    }

    private void isAbsent(String why, boolean isFailure) {
      absence = new Absence(why, isFailure);
      for (double[] ofMetric : samples) {
        Arrays.fill(ofMetric, Double.NaN);
      }
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  /** The rows of {@code benchCase}, by series, then by metric. */
  public static List<Row> measure(BenchCase benchCase, Bench bench, Duration warmUp, int rounds)
      throws Exception {
    List<Series> allSeries = benchCase.maker().make(bench);
    try {
      List<Sampled> all = new ArrayList<>(); // by series: JHAL, then the baselines
      for (Series series : allSeries) {
        int metrics = benchCase.metrics().size();
        all.add(new Sampled(series.jhal(), metrics, rounds));
        series.baselines().forEach(baseline -> all.add(new Sampled(baseline, metrics, rounds)));
      }
      for (Sampled sampled : all) {
        sampled.warmUp(warmUp.toNanos());
      }
      for (int round = 0; round < rounds; round++) {
        for (Sampled sampled : all) {
          sampled.take(round);
        }
      }
      return rows(benchCase, allSeries, all);
    } finally {
      allSeries.forEach(Series::close);
    }
  }

  /** Samples for at least {@code nanos}, and on until that gains nothing more. */
  private static void warmUp(Subject subject, long nanos) throws Exception {
    long start = System.nanoTime();
    double best = Double.POSITIVE_INFINITY;
    int steady = 0;
    long elapsed;
    do {
      double first = subject.sample()[0];
      steady = first < best * PROGRESS ? 0 : steady + 1;
      best = Math.min(best, first);
      elapsed = System.nanoTime() - start;
    } while (elapsed < nanos || (steady < STEADY && elapsed < PATIENCE * nanos));
  }

  private static List<Row> rows(BenchCase benchCase, List<Series> allSeries, List<Sampled> all) {
    List<Row> rows = new ArrayList<>();
    int at = 0;
    for (Series series : allSeries) {
      int end = at + 1 + series.baselines().size();
      for (int metric = 0; metric < benchCase.metrics().size(); metric++) {
        List<Row.Baseline> baselines = new ArrayList<>();
        for (Sampled baseline : all.subList(at + 1, end)) {
          baselines.add(
              new Row.Baseline(
                  baseline.subject.name(), baseline.samples[metric], baseline.absence));
        }
        String name = benchCase.metrics().get(metric);
        rows.add(
            new Row(
                series.label(),
                name,
                all.get(at).samples[metric],
                all.get(at).absence,
                benchCase.scales() ? all.get(0).samples[metric] : null,
                baselines,
                series.aims().stream().filter(aim -> aim.metric().equals(name)).toList()));
      }
      at = end;
    }
    return rows;
  }
}
