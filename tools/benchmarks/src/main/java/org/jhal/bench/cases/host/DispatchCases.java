// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.ArrayList;
import java.util.List;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * Dispatches on a device, and the same on a second one if there is one, to compare the costs of two
 * drivers. The host polls on both.
 */
public final class DispatchCases {
  /** The aim: the largest ratio of the device's time to that of the second one. */
  private static final double MOST = 1.15;

  /** The aim for a round trip on the host's own processors. */
  private static final double MOST_NANOS = 15_000;

  private DispatchCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return List.of(
        new BenchCase(
            "dispatch-round-trip",
            "a dispatch, and the host waits for it",
            "ns",
            Quartiles.METRICS,
            false,
            bench ->
                List.of(
                    series(
                        bench,
                        "spinning",
                        bench.steps(DispatchWork.ROUND_TRIPS),
                        "median",
                        DispatchWork.RoundTrip::new))),
        new BenchCase(
            "dispatch-chain",
            "dispatches that wait for the one before them, all submitted up front",
            "ns",
            List.of("time"),
            true,
            DispatchCases::chains),
        new BenchCase(
            "marks",
            "how soon a host thread that looks at a timeline sees dispatches",
            "ns",
            Marks.METRICS,
            false,
            DispatchCases::marks));
  }

  private static List<Series> chains(Bench bench) {
    List<Series> all = new ArrayList<>();
    for (int steps : bench.sizes(DispatchWork.CHAINS)) {
      all.add(series(bench, String.valueOf(steps), steps, "time", DispatchWork.Chain::new));
    }
    return all;
  }

  private static List<Series> marks(Bench bench) {
    Bench peer = bench.peer();
    List<Series> all = new ArrayList<>();
    for (Marks.Work work : Marks.Work.values()) {
      all.add(
          new Series(
              work.label,
              new Marks(Subject.JHAL, bench, work),
              peer == null ? List.of() : List.of(new Marks(peer.uri(), peer, work))));
    }
    return all;
  }

  /** Creates the subject for a device. */
  private interface Work {
    Subject on(String name, Bench bench, String spin, int steps);
  }

  private static Series series(Bench bench, String label, int steps, String metric, Work work) {
    Subject jhal = work.on(Subject.JHAL, bench, DispatchWork.SPINNING, steps);
    Bench peer = bench.peer();
    if (peer == null) {
      boolean isAimed = metric.equals("median") && bench.device().info().driver().equals("cpu");
      return new Series(
          label, jhal, List.of(), isAimed ? List.of(Aim.atMost(metric, MOST_NANOS)) : List.of());
    }
    return new Series(
        label,
        jhal,
        List.of(work.on(peer.uri(), peer, DispatchWork.SPINNING, steps)),
        List.of(Aim.atMost(metric, peer.uri(), MOST)));
  }
}
