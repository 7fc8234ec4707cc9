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
    CudaJcuda jcuda = jcuda(bench);
    return new Series(
        label,
        new DispatchWork.RoundTrip(
            Subject.JHAL, bench, isBlocking ? PARKED : DispatchWork.SPINNING, steps),
        List.of(
            OnCuda.raw(bench).subject(label, 0, steps, UnaryOperator.identity()),
            CudaJcudaBaselines.roundTrip(jcuda, false, isBlocking, steps),
            CudaJcudaBaselines.roundTrip(jcuda, true, isBlocking, steps)),
        isBlocking
            ? List.of(Aim.atMost("median", CudaRaw.NAME, 1.0))
            : List.of(
                Aim.atMost("median", CudaRaw.NAME, 1.15),
                Aim.atMost("median", CudaJcudaBaselines.DOCUMENTED, 1.0)));
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
          new Series(
              String.valueOf(steps),
              new DispatchWork.Chain(Subject.JHAL, bench, DispatchWork.SPINNING, steps),
              List.of(OnCuda.raw(bench).subject("chain", 0, steps, CudaCases::mean)),
              List.of(Aim.atMost("time", CudaRaw.NAME, 1.3))));
    }
    return all;
  }

  private static Series allocations(Bench bench) {
    int steps = bench.steps(ALLOCATIONS);
    return new Series(
        "1 MiB",
        new DispatchWork.Allocations(
            bench.deviceThatSpins(DispatchWork.SPINNING), ALLOCATED, steps),
        List.of(
            OnCuda.raw(bench).subject("alloca", ALLOCATED, steps, CudaCases::mean),
            CudaJcudaBaselines.allocations(jcuda(bench), ALLOCATED, steps)),
        List.of(Aim.atMost("time", CudaJcudaBaselines.PLAIN, 2.5)));
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
              new Transfers(bench.deviceThatSpins(DispatchWork.SPINNING), kind, bytes, steps),
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

  private static double[] mean(double[] quartiles) {
    return new double[] {quartiles[0]};
  }

  private static CudaJcuda jcuda(Bench bench) {
    return bench
        .shared()
        .get("jcuda", CudaJcuda.class, () -> new CudaJcuda(bench.device().info().pciAddress()));
  }
}
