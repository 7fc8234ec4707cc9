// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Groups of two devices of one driver, beside the vendor's library in C on CUDA devices. A label
 * has the form that serves the group.
 */
public final class CollectiveCases {
  private static final String TIME = "time";
  private static final String MEDIAN = "median";
  private static final int FEW = 2 * Float.BYTES;
  private static final int MIB = 1 << 20;
  private static final int[] SIZES = {1, 16, 1024}; // MiB
  private static final int CHAIN = 100;
  private static final long SAMPLE_BYTES = 4L << 30;
  private static final int FEWEST = 3;

  private CollectiveCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return all(PeerCases::raw);
  }

  /** The cases, compared with the program that {@code raw} returns, if it returns one. */
  static List<BenchCase> all(Function<Bench, @Nullable CudaRaw> raw) {
    return List.of(
        new BenchCase(
                "all-reduce",
                "sums of floats over two devices, in place, and the host waits for both",
                "ns",
                Transfers.METRICS,
                false,
                bench -> sums(bench, raw.apply(bench)))
            .forTwo(),
        new BenchCase(
                "all-reduce-chain",
                "small sums over two devices that wait for the one before, submitted up front",
                "ns",
                List.of(TIME),
                false,
                bench -> List.of(chain(bench, raw.apply(bench))))
            .forTwo());
  }

  private static List<Series> sums(Bench bench, @Nullable CudaRaw raw) {
    List<Series> all = new ArrayList<>();
    all.add(sums(bench, FEW + " B", FEW, raw, List.of(Aim.atMost(MEDIAN, CudaRaw.NAME, 2))));
    for (int mib : bench.sizes(SIZES)) {
      List<Aim> aims =
          mib < 16
              ? List.of()
              : List.of(Aim.atLeast(Transfers.THROUGHPUT, CudaRaw.NAME, mib < 1024 ? 0.9 : 0.95));
      all.add(sums(bench, mib + " MiB", mib * MIB, raw, aims));
    }
    return all;
  }

  private static Series sums(
      Bench bench, String size, int bytes, @Nullable CudaRaw raw, List<Aim> aims) {
    int steps =
        bench.steps((int) Math.max(FEWEST, Math.min(AllReduces.MOST, SAMPLE_BYTES / bytes)));
    return new Series(
        size + form(bench),
        new AllReduces(bench, bytes, steps, false),
        baselines(raw, "all-reduce", bytes, steps, times -> Transfers.withThroughput(times, bytes)),
        raw == null ? List.of() : aims);
  }

  private static Series chain(Bench bench, @Nullable CudaRaw raw) {
    int steps = bench.steps(CHAIN);
    return new Series(
        steps + " of " + FEW + " B" + form(bench),
        new AllReduces(bench, FEW, steps, true),
        baselines(raw, "all-reduce-chain", FEW, steps, times -> new double[] {times[0]}),
        raw == null ? List.of() : List.of(Aim.atMost(TIME, CudaRaw.NAME, 1.3)));
  }

  private static List<Subject> baselines(
      @Nullable CudaRaw raw, String name, int bytes, int steps, UnaryOperator<double[]> convert) {
    return raw == null ? List.of() : List.of(raw.subject(name, bytes, steps, convert));
  }

  private static String form(Bench bench) {
    try {
      return ", "
          + AllReduces.group(bench)
              .form(CollectiveGroup.Kind.ALL_REDUCE, Reduction.SUM, ElementType.F32)
              .name();
    } catch (NotAvailableException e) {
      return ""; // as the series will say
    }
  }
}
