// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.PoolRequest.OverBudget;
import org.jhal.bench.cases.BesideLoad;
import org.jhal.bench.cases.CooperativeWork;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * Small work on a device, and the same on a second one if there is one, to compare the costs of two
 * drivers. The host polls on both.
 */
public final class DispatchCases {
  /** The aim: the largest ratio of the device's time to that of the second one. */
  private static final double MOST = 1.15;

  /** The aim for a queue with a share, beside the same without a load. */
  private static final double MOST_BESIDE_LOAD = 1.3;

  /** The aim beside the same work for which the host reads the grids. */
  private static final double MOST_READ = 0.7;

  /** The aim for a round trip on the host's own processors. */
  private static final double MOST_NANOS = 15_000;

  private static final String ROUND_TRIP = "spinning";
  private static final int HOPS = 10_000;
  private static final int COPIES = 10_000;
  private static final int COPIED = 4 << 10;
  private static final int ALLOCATIONS = 2_000;
  private static final int POOLED_ALLOCATIONS = 500;
  private static final int ALLOCATED = 1 << 20;
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int[] TRANSFERS = {KIB, 16 * KIB, 128 * KIB, MIB, 64 * MIB};
  private static final int SMALL_TRANSFERS = 200; // in a sample
  private static final int LARGE_TRANSFERS = 20;

  private static final String NO_POOL = "no pool";
  private static final double POOLED = 1.1; // of the time without a pool

  private DispatchCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    List<BenchCase> all = new ArrayList<>(dispatches());
    all.add(
        timed(
            "copy-chain",
            "copies on the device that wait for the one before them, all submitted up front",
            bench -> List.of(series(bench, COPIED / KIB + " KiB", COPIES, DispatchCases::copies))));
    all.add(
        timed(
            "alloca",
            "an alloca and a dealloca, in the order of a timeline",
            bench ->
                List.of(
                    series(bench, ALLOCATED / MIB + " MiB", ALLOCATIONS, DispatchCases::allocas))));
    all.add(
        timed(
            "pool",
            "allocas and deallocas of a pool that has room for one",
            bench ->
                List.of(
                    pooled(bench, OverBudget.FAIL, List.of(Aim.atMost("time", NO_POOL, POOLED))),
                    pooled(bench, OverBudget.WAIT, List.of()))));
    for (Transfers.Kind kind : Transfers.Kind.values()) {
      all.add(
          new BenchCase(
              "transfer-" + kind.name().toLowerCase(Locale.ROOT),
              kind.plural + ", and the host waits for each",
              "ns",
              Transfers.METRICS,
              false,
              bench -> transfers(bench, kind)));
    }
    return all;
  }

  private static List<BenchCase> dispatches() {
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
                        ROUND_TRIP,
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
        timed(
            "dispatch-hop",
            "such dispatches in two queues of the device in turn",
            bench -> List.of(series(bench, String.valueOf(HOPS), HOPS, DispatchWork.Chain::hops))),
        timed(
            "indirect-chain",
            "dispatches whose grid the one before them has written, all submitted up front",
            bench -> List.of(dataDependent(bench))),
        timed(
            "cooperative-steps",
            "steps of one dispatch, whose workgroups wait for each other behind each",
            bench -> List.of(cooperative(bench))),
        new BenchCase(
            "beside-load",
            "a dispatch, and the host waits for it, beside dispatches that fill the device",
            "ns",
            BesideLoad.METRICS,
            false,
            bench ->
                List.of(
                    besideLoad(bench, "dispatch", false), besideLoad(bench, "recording", true))),
        new BenchCase(
            "marks",
            "how soon a host thread that looks at a timeline sees dispatches",
            "ns",
            Marks.METRICS,
            false,
            DispatchCases::marks));
  }

  /** The best rank that the device has, beside all others. */
  private static Series besideLoad(Bench bench, String label, boolean isRecorded) {
    Set<Capability> offered = bench.device().capabilities();
    BesideLoad.Rank best =
        offered.contains(Capability.QUEUE_SHARE)
            ? BesideLoad.Rank.SHARE
            : offered.contains(Capability.QUEUE_PRIORITY)
                ? BesideLoad.Rank.PRIORITY
                : BesideLoad.Rank.PLAIN;
    int steps = bench.steps(BesideLoad.DISPATCHES);
    List<Subject> baselines = new ArrayList<>();
    for (BesideLoad.Rank rank : BesideLoad.Rank.values()) {
      if (rank.compareTo(best) < 0) {
        baselines.add(new BesideLoad(rank.label, bench, rank, isRecorded, steps));
      }
    }
    return new Series(
        label + ", " + best.label,
        new BesideLoad(Subject.JHAL, bench, best, isRecorded, steps),
        baselines,
        best == BesideLoad.Rank.SHARE
            ? List.of(Aim.atMost("p99", BesideLoad.Rank.ALONE.label, MOST_BESIDE_LOAD))
            : List.of());
  }

  private static Series dataDependent(Bench bench) {
    int steps = bench.steps(DispatchWork.DATA_DEPENDENT);
    List<Subject> baselines = new ArrayList<>();
    baselines.add(dataDependent(DispatchWork.READ_BY_HOST, bench, true, steps));
    Bench peer = bench.peer();
    if (peer != null) {
      baselines.add(dataDependent(peer.uri(), peer, false, steps));
    }
    return new Series(
        String.valueOf(steps),
        dataDependent(Subject.JHAL, bench, false, steps),
        baselines,
        List.of(Aim.atMost("time", DispatchWork.READ_BY_HOST, MOST_READ)));
  }

  private static Series cooperative(Bench bench) {
    int steps = Math.max(2, bench.steps(CooperativeWork.STEPS) / 2 * 2);
    List<Subject> baselines = new ArrayList<>();
    baselines.add(cooperative(CooperativeWork.RECORDED, bench, false, steps));
    Bench peer = bench.peer();
    if (peer != null) {
      baselines.add(cooperative(peer.uri(), peer, true, steps));
    }
    return new Series(
        String.valueOf(steps), cooperative(Subject.JHAL, bench, true, steps), baselines, List.of());
  }

  private static Subject cooperative(String name, Bench bench, boolean isCooperative, int steps) {
    return new CooperativeWork(name, bench, DispatchWork.SPINNING, isCooperative, steps);
  }

  private static Subject dataDependent(String name, Bench bench, boolean isReadByHost, int steps) {
    return new DispatchWork.DataDependent(name, bench, DispatchWork.SPINNING, isReadByHost, steps);
  }

  private static BenchCase timed(String name, String description, BenchCase.Maker maker) {
    return new BenchCase(name, description, "ns", List.of("time"), false, maker);
  }

  private static Series series(Bench bench, String label, int steps, Work work) {
    return series(bench, label, bench.steps(steps), "time", work);
  }

  private static Subject copies(String name, Bench bench, String spin, int steps) {
    return new DispatchWork.Copies(name, bench.deviceThatSpins(spin), COPIED, steps);
  }

  private static Subject allocas(String name, Bench bench, String spin, int steps) {
    return new DispatchWork.Allocations(name, bench.deviceThatSpins(spin), ALLOCATED, steps);
  }

  private static Series pooled(Bench bench, OverBudget overBudget, List<Aim> aims) {
    int steps = bench.steps(POOLED_ALLOCATIONS);
    Device device = bench.deviceThatSpins(DispatchWork.SPINNING);
    return new Series(
        ALLOCATED / MIB + " MiB" + (overBudget == OverBudget.WAIT ? ", waiting" : ""),
        new DispatchWork.Allocations(Subject.JHAL, device, ALLOCATED, steps, overBudget),
        List.of(new DispatchWork.Allocations(NO_POOL, device, ALLOCATED, steps)),
        aims);
  }

  private static List<Series> transfers(Bench bench, Transfers.Kind kind) {
    List<Series> all = new ArrayList<>();
    for (int bytes : TRANSFERS) {
      all.add(
          series(
              bench,
              bytes < MIB ? bytes / KIB + " KiB" : bytes / MIB + " MiB",
              bench.steps(bytes > MIB ? LARGE_TRANSFERS : SMALL_TRANSFERS),
              "median",
              (name, on, spin, steps) ->
                  new Transfers(name, on.deviceThatSpins(spin), kind, bytes, steps)));
    }
    return all;
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
      boolean isAimed = label.equals(ROUND_TRIP) && bench.device().info().driver().equals("cpu");
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
