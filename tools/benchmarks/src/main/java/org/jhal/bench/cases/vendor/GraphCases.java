// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jhal.Device;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.OnCuda;
import org.jhal.bench.cases.vendor.GraphWork.Plan;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Reusable command buffers, which a driver may run as graphs of its native runtime. On CUDA devices
 * they are compared with graphs and streams in C, and on all devices that have a setting {@code
 * graph} with the same device without graphs. The host polls on all sides.
 */
public final class GraphCases {
  /** The name of the device that issues the commands one by one. */
  static final String REPLAY = "JHAL, graph=off";

  private static final String SETTING = "graph";
  private static final List<String> TIME = List.of("time");

  private static final int DISPATCHES = 1_000;
  private static final int EXECUTES = 20;
  private static final int WAITS = 1_000;
  private static final int[] WAITED = {1, 10, 100};
  private static final int[] LENGTHS = {1, 2, 3, 4, 6, 10, 30, 100, 1_000};
  private static final int[] CHAINS = {1, 4, 6, 8, 16};
  private static final int[] TABLES = {2, 3};

  /**
   * A sample of short command buffers has about this many dispatches, in at most this many
   * executes.
   */
  private static final int SAMPLE = 20_000;

  private static final int MOST_EXECUTES = 1_000;

  private static final double MOST = 1.15;
  private static final double MOST_WIDE = 1.25;

  /** "Never slower than one by one", plus the difference between two samples of the same work. */
  private static final double MOST_REPLAY = 1.05;

  private final Bench bench;
  private final boolean isBesideC;

  private GraphCases(Bench bench, boolean isBesideC) {
    this.bench = bench;
    this.isBesideC = isBesideC;
  }

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return all(bench -> bench.device().info().driver().equals(OnCuda.DRIVER));
  }

  /** Those that are compared with C where {@code isBesideC} says so. */
  static List<BenchCase> all(Predicate<Bench> isBesideC) {
    return List.of(
        of(
            "graph-chain",
            "a reusable command buffer with a barrier after each dispatch, 20 times in a row",
            TIME,
            isBesideC,
            GraphCases::chain),
        of(
            "graph-tables",
            "the same with another binding table each time",
            TIME,
            isBesideC,
            GraphCases::tables),
        of("graph-wide", "the same without barriers", TIME, isBesideC, GraphCases::wide),
        of(
            "graph-wait",
            "a reusable command buffer with a barrier after each dispatch, and a host wait",
            Quartiles.METRICS,
            isBesideC,
            GraphCases::waits),
        of(
            "graph-lengths",
            "reusable command buffers from 1 dispatch on, with a barrier after each, in a row",
            TIME,
            isBesideC,
            GraphCases::lengths));
  }

  /** Makes the series of a case. */
  private interface Maker {
    List<Series> make(GraphCases cases);
  }

  private static BenchCase of(
      String name,
      String description,
      List<String> metrics,
      Predicate<Bench> isBesideC,
      Maker maker) {
    return new BenchCase(
        name,
        description,
        "ns",
        metrics,
        false,
        bench -> maker.make(new GraphCases(bench, isBesideC.test(bench))));
  }

  /**
   * A baseline in C.
   *
   * @param asked its name in the program
   * @param most the aim: the largest ratio of JHAL's time to its time, or null
   */
  private record Raw(String title, String asked, @Nullable Double most) {}

  private List<Series> chain() {
    Plan plan = Plan.inRow(bench.steps(DISPATCHES), Plan.Order.CHAIN, EXECUTES);
    return List.of(
        series(
            String.valueOf(plan.dispatches()),
            plan,
            List.of(new Raw("C graph", "graph-1", MOST), new Raw("C stream", "stream", null))));
  }

  private List<Series> tables() {
    List<Series> all = new ArrayList<>();
    for (int tables : TABLES) {
      int dispatches = bench.steps(DISPATCHES);
      all.add(
          series(
              dispatches + ", " + tables + " tables",
              new Plan(dispatches, Plan.Order.CHAIN, tables, EXECUTES, Plan.Waits.AT_THE_END),
              List.of(
                  new Raw("C graph, nodes set", "graph-tables-" + tables, MOST),
                  new Raw("C graph for each table", "graph-instances-" + tables, MOST))));
    }
    return all;
  }

  /** Beside the best shape in C: JHAL meets that aim if it meets all of those with chains. */
  private List<Series> wide() {
    Plan plan = Plan.inRow(bench.steps(DISPATCHES), Plan.Order.WIDE, EXECUTES);
    List<Raw> raws = new ArrayList<>();
    for (int chains : CHAINS) {
      raws.add(
          new Raw("C graph, chains: " + chains, "graph-" + chains, chains == 1 ? null : MOST_WIDE));
    }
    return List.of(series(String.valueOf(plan.dispatches()), plan, raws));
  }

  private List<Series> waits() {
    List<Series> all = new ArrayList<>();
    for (int dispatches : bench.sizes(WAITED)) {
      all.add(
          series(
              String.valueOf(dispatches),
              new Plan(dispatches, Plan.Order.CHAIN, 1, bench.steps(WAITS), Plan.Waits.FOR_EACH),
              List.of(
                  new Raw("C graph", "graph-wait", MOST),
                  new Raw("C stream", "stream-wait", null))));
    }
    return all;
  }

  private List<Series> lengths() {
    List<Series> all = new ArrayList<>();
    for (int dispatches : bench.sizes(LENGTHS)) {
      int executes = Math.max(EXECUTES, Math.min(MOST_EXECUTES, SAMPLE / dispatches));
      all.add(
          series(
              String.valueOf(dispatches),
              Plan.inRow(dispatches, Plan.Order.CHAIN, bench.steps(executes)),
              List.of(
                  new Raw("C graph", "graph-1", mostInRow(dispatches)),
                  new Raw("C stream", "stream", null))));
    }
    return all;
  }

  /** What a submission costs besides the launch weighs most in the shortest ones. */
  private static @Nullable Double mostInRow(int dispatches) {
    return switch (dispatches) {
      case 1 -> 1.7;
      case 2 -> 1.3;
      case 3 -> MOST;
      default -> null;
    };
  }

  private Series series(String label, Plan plan, List<Raw> raws) {
    boolean isTimed = plan.waits() == Plan.Waits.FOR_EACH;
    String metric = isTimed ? Quartiles.METRICS.get(0) : TIME.get(0);
    UnaryOperator<double[]> convert =
        isTimed
            ? UnaryOperator.identity()
            : quartiles -> new double[] {quartiles[0] / plan.dispatches()};
    List<Subject> baselines = new ArrayList<>();
    List<Aim> aims = new ArrayList<>();
    if (isBesideC) {
      for (Raw raw : raws) {
        baselines.add(
            OnCuda.raw(bench)
                .subject(raw.title(), raw.asked(), plan.dispatches(), plan.executes(), convert));
        if (raw.most() != null) {
          aims.add(Aim.atMost(metric, raw.title(), raw.most()));
        }
      }
    }
    Device device = bench.deviceThatSpins(DispatchWork.SPINNING);
    if (bench.hasSetting(SETTING)) {
      Device replaying = bench.deviceWith(Map.of("spin", DispatchWork.SPINNING, SETTING, "off"));
      baselines.add(new GraphWork(REPLAY, replaying, bench.kernels(), plan));
      aims.add(Aim.atMost(metric, REPLAY, MOST_REPLAY));
    }
    Bench peer = bench.peer();
    if (peer != null) {
      Device beside = peer.deviceThatSpins(DispatchWork.SPINNING);
      baselines.add(new GraphWork(peer.uri(), beside, peer.kernels(), plan));
    }
    return new Series(
        label, new GraphWork(Subject.JHAL, device, bench.kernels(), plan), baselines, aims);
  }
}
