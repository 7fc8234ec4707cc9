// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jhal.bench.baselines.CudaJcuda;
import org.jhal.bench.baselines.CudaJcudaBaselines;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.OnCuda;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * The cases for CUDA devices: JHAL beside the same work as raw calls in C and through JCuda, both
 * sides of a row waiting in the same way.
 */
public final class CudaCases {
  private static final String PARKED = "0ns";

  /** C that launches no kernel, but a graph of one, whose only node it sets before. */
  private static final String NODES = "C, one-node graphs";

  /** C that asks for the event again and again, and does not leave that to the native runtime. */
  private static final String QUERYING = "C, querying";

  /** The aim beside one-node graphs. */
  private static final double MOST_NODES = 1.7;

  /** The aim for dispatches whose grid is in memory. */
  private static final double MOST_INDIRECT = 1.1;

  private static final int HOPS = 10_000;
  private static final int COPIES = 10_000;
  private static final int COPIED = 4 << 10;
  private static final int ALLOCATIONS = 2_000;
  private static final int ALLOCATED = 1 << 20;
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int[] TRANSFERS = {
    KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB
  };

  private static final int LARGE = 64 * MIB; // from here on, the aim is a throughput
  private static final long SAMPLE_BYTES = 4L << 30;
  private static final int MOST_TRANSFERS = 200;
  private static final int FEWEST_TRANSFERS = 5;

  private CudaCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    List<BenchCase> all = new ArrayList<>();
    all.add(
        timed(
            "cuda-round-trip",
            "a dispatch, and the host waits for it",
            Quartiles.METRICS,
            bench -> List.of(roundTrip(bench, false), roundTrip(bench, true))));
    all.add(
        timed(
            "cuda-parked-wait",
            "a dispatch whose end a parked thread sees, beside host functions",
            Quartiles.METRICS,
            bench -> List.of(parkedWait(bench))));
    all.add(
        new BenchCase(
            "cuda-chain",
            "dispatches that wait for the one before them, all submitted up front",
            "ns",
            List.of("time"),
            true,
            OnCuda.DRIVER,
            CudaCases::chains));
    all.add(
        timed(
            "cuda-hop",
            "such dispatches in two queues of the device in turn",
            List.of("time"),
            bench -> List.of(hops(bench))));
    all.add(
        timed(
            "cuda-indirect",
            "dispatches whose grid the one before them has written",
            List.of("time"),
            bench -> List.of(dataDependent(bench))));
    all.add(
        timed(
            "cuda-copy-chain",
            "copies on the device that wait for the one before them, all submitted up front",
            List.of("time"),
            bench -> List.of(copies(bench))));
    all.add(
        timed(
            "cuda-alloca",
            "an alloca and a dealloca, in the order of a timeline",
            List.of("time"),
            bench -> List.of(allocations(bench))));
    for (Transfers.Kind kind : Transfers.Kind.values()) {
      String name = kind.name().toLowerCase(Locale.ROOT);
      all.add(
          timed(
              "cuda-" + name,
              kind.plural + ", and the host waits for each",
              Transfers.METRICS,
              bench -> transfers(bench, kind, TRANSFERS)));
    }
    return List.copyOf(all);
  }

  private static BenchCase timed(
      String name, String description, List<String> metrics, BenchCase.Maker maker) {
    return new BenchCase(name, description, "ns", metrics, false, OnCuda.DRIVER, maker);
  }

  private static Series roundTrip(Bench bench, boolean isBlocking) {
    int steps = bench.steps(DispatchWork.ROUND_TRIPS);
    String label = isBlocking ? "blocking" : "spinning";
    String spin = isBlocking ? PARKED : DispatchWork.SPINNING;
    CudaJcuda jcuda = jcuda(bench);
    List<Subject> baselines = new ArrayList<>();
    baselines.add(OnCuda.raw(bench).subject(label, 0, steps, UnaryOperator.identity()));
    if (!isBlocking) {
      baselines.add(timedInC(bench, QUERYING, "polling", steps));
      baselines.add(timedInC(bench, NODES, "node-polling", steps));
    }
    baselines.add(CudaJcudaBaselines.roundTrip(jcuda, false, isBlocking, steps));
    baselines.add(CudaJcudaBaselines.roundTrip(jcuda, true, isBlocking, steps));
    return series(
        bench,
        label,
        (name, on) -> new DispatchWork.RoundTrip(name, on, spin, steps),
        baselines,
        isBlocking
            ? List.of(Aim.atMost("median", CudaRaw.NAME, 1.0))
            : List.of(
                Aim.atMost("median", CudaRaw.NAME, 0.95),
                Aim.atMost("median", QUERYING, 0.95),
                Aim.atMost("median", CudaJcudaBaselines.DOCUMENTED, 1.0)));
  }

  private static Subject timedInC(Bench bench, String title, String asked, int steps) {
    return OnCuda.raw(bench).subject(title, asked, 0, steps, UnaryOperator.identity());
  }

  /** Creates the subject for a device. */
  private interface Work {
    Subject on(String name, Bench bench);
  }

  /**
   * A series in which the device of {@code --peer} comes after the other baselines: the same GPU
   * with other settings, for example.
   */
  private static Series series(
      Bench bench, String label, Work work, List<Subject> baselines, List<Aim> aims) {
    List<Subject> all = new ArrayList<>(baselines);
    Bench peer = bench.peer();
    if (peer != null) {
      all.add(work.on(peer.uri(), peer));
    }
    return new Series(label, work.on(Subject.JHAL, bench), all, aims);
  }

  private static Series parkedWait(Bench bench) {
    int steps = bench.steps(DispatchWork.ROUND_TRIPS);
    return new Series(
        "parked",
        new DispatchWork.RoundTrip(Subject.JHAL, bench, PARKED, steps),
        List.of(
            OnCuda.raw(bench).subject("host-function", 0, steps, UnaryOperator.identity()),
            CudaJcudaBaselines.hostFunction(jcuda(bench), steps)),
        List.of(
            Aim.atMost("median", CudaRaw.NAME, 0.75),
            Aim.atMost("median", CudaJcudaBaselines.PLAIN, 0.35)));
  }

  private static List<Series> chains(Bench bench) {
    List<Series> all = new ArrayList<>();
    for (int steps : bench.sizes(DispatchWork.CHAINS)) {
      all.add(
          series(
              bench,
              String.valueOf(steps),
              (name, on) -> new DispatchWork.Chain(name, on, DispatchWork.SPINNING, steps),
              List.of(
                  inC(bench, CudaRaw.NAME, "chain", 0, steps),
                  inC(bench, NODES, "node-chain", 0, steps)),
              List.of(
                  Aim.atMost("time", CudaRaw.NAME, 1.0), Aim.atMost("time", NODES, MOST_NODES))));
    }
    return all;
  }

  private static Series hops(Bench bench) {
    int steps = bench.steps(HOPS);
    return series(
        bench,
        String.valueOf(steps),
        (name, on) -> DispatchWork.Chain.hops(name, on, DispatchWork.SPINNING, steps),
        List.of(inC(bench, CudaRaw.NAME, "hop", 0, steps), inC(bench, NODES, "node-hop", 0, steps)),
        List.of(Aim.atMost("time", CudaRaw.NAME, 1.0)));
  }

  private static Series dataDependent(Bench bench) {
    int steps = bench.steps(DispatchWork.DATA_DEPENDENT);
    return series(
        bench,
        String.valueOf(steps),
        (name, on) -> new DispatchWork.DataDependent(name, on, DispatchWork.SPINNING, false, steps),
        List.of(inC(bench, CudaRaw.NAME, "indirect", 0, steps)),
        List.of(Aim.atMost("time", CudaRaw.NAME, MOST_INDIRECT)));
  }

  private static Series copies(Bench bench) {
    int steps = bench.steps(COPIES);
    return series(
        bench,
        COPIED / KIB + " KiB",
        (name, on) ->
            new DispatchWork.Copies(name, on.deviceThatSpins(DispatchWork.SPINNING), COPIED, steps),
        List.of(inC(bench, CudaRaw.NAME, "copy-chain", COPIED, steps)),
        List.of(Aim.atMost("time", CudaRaw.NAME, 1.0)));
  }

  private static Series allocations(Bench bench) {
    int steps = bench.steps(ALLOCATIONS);
    return series(
        bench,
        "1 MiB",
        (name, on) ->
            new DispatchWork.Allocations(
                name, on.deviceThatSpins(DispatchWork.SPINNING), ALLOCATED, steps),
        List.of(
            inC(bench, CudaRaw.NAME, "alloca", ALLOCATED, steps),
            CudaJcudaBaselines.allocations(jcuda(bench), ALLOCATED, steps)),
        List.of(Aim.atMost("time", CudaJcudaBaselines.PLAIN, 1.5)));
  }

  /** A case of the raw program whose sample is the mean of a step. */
  private static Subject inC(Bench bench, String title, String asked, long size, int steps) {
    return OnCuda.raw(bench)
        .subject(title, asked, size, steps, quartiles -> new double[] {quartiles[0]});
  }

  /** Series for each number of bytes. */
  static List<Series> transfers(Bench bench, Transfers.Kind kind, int... sizes) {
    List<Series> all = new ArrayList<>();
    for (int bytes : sizes) {
      int steps =
          bench.steps(
              (int) Math.max(FEWEST_TRANSFERS, Math.min(MOST_TRANSFERS, SAMPLE_BYTES / bytes)));
      all.add(
          new Series(
              bytes < MIB ? bytes / KIB + " KiB" : bytes / MIB + " MiB",
              new Transfers(
                  Subject.JHAL, bench.deviceThatSpins(DispatchWork.SPINNING), kind, bytes, steps),
              List.of(
                  OnCuda.raw(bench)
                      .subject(
                          kind.name().toLowerCase(Locale.ROOT),
                          bytes,
                          steps,
                          quartiles -> Transfers.withThroughput(quartiles, bytes))),
              bytes < LARGE
                  ? List.of()
                  : List.of(Aim.atLeast(Transfers.THROUGHPUT, CudaRaw.NAME, 0.98))));
    }
    return all;
  }

  private static CudaJcuda jcuda(Bench bench) {
    return bench
        .shared()
        .get("jcuda", CudaJcuda.class, () -> new CudaJcuda(bench.device().info().pciAddress()));
  }
}
