package org.jhal.bench.cases.bulk;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jhal.Device;
import org.jhal.Setting;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.OnCuda;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.cases.bulk.PageableTransfers.Kind;
import org.jhal.bench.cases.bulk.PageableTransfers.Memory;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * Transfers of ordinary memory of the JVM. On CUDA devices they are compared with a program in C
 * that sends them through pinned memory, with as many threads, and with one that makes a single
 * call. The host polls on all sides.
 */
public final class PageableCases {
  private static final String RING = "C ring";
  private static final String PLAIN = "C, one call";

  static final int KIB = 1 << 10;
  static final int MIB_OF_KIB = 1 << 10;

  /**
   * In KiB, each of which counts as one towards {@code --max}: the last one needs a larger {@code
   * --max}.
   */
  private static final int[] SIZES = {4, 64, 256, MIB_OF_KIB, 64 * MIB_OF_KIB, 1024 * MIB_OF_KIB};

  static final int LARGE = 64 * MIB_OF_KIB; // from here on, the aim is relative to the ring
  private static final double LEAST_OF_RING = 0.8;
  private static final double LEAST_OF_PLAIN = 0.9;

  // Of small readbacks. There, the ring is one slot, a mark and a copy by the host.
  private static final double LEAST_OF_SLOT = 0.8;
  private static final double AS_FAST = 1;

  private static final long SAMPLE_BYTES = 1L << 30;
  private static final int MOST_STEPS = 200;
  private static final int FEWEST_STEPS = 3;

  private PageableCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return all(PageableCases::isBesideC);
  }

  /** Those that are compared with C where {@code isBesideC} says so. */
  static List<BenchCase> all(Predicate<Bench> isBesideC) {
    List<BenchCase> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      all.add(
          new BenchCase(
              "pageable-" + kind.label(),
              kind == Kind.UPLOAD
                  ? "uploads from an array or a direct buffer, and the host waits for each"
                  : "readbacks into an array or a direct buffer, and the host waits for each",
              "ns",
              Transfers.METRICS,
              false,
              bench -> series(bench, kind, isBesideC.test(bench))));
    }
    return all;
  }

  /** Whether the program in C runs on the device of {@code bench}. */
  static boolean isBesideC(Bench bench) {
    return bench.device().info().driver().equals(OnCuda.DRIVER);
  }

  private static List<Series> series(Bench bench, Kind kind, boolean isBesideC) {
    Device device = bench.deviceThatSpins(DispatchWork.SPINNING);
    List<Series> all = new ArrayList<>();
    for (int kibs : bench.sizes(SIZES)) {
      int bytes = kibs * KIB;
      int steps = steps(bench, bytes);
      for (Memory memory : Memory.values()) {
        String label = size(kibs) + ", " + memory.label;
        Subject jhal = new PageableTransfers(Subject.JHAL, device, kind, memory, bytes, steps);
        all.add(
            isBesideC
                ? new Series(label, jhal, baselines(bench, kind, bytes, steps), aims(kind, kibs))
                : new Series(label, jhal, List.of()));
      }
    }
    return all;
  }

  private static List<Subject> baselines(Bench bench, Kind kind, int bytes, int steps) {
    String plain = "plain-" + kind.label();
    return List.of(
        ring(bench, kind, bytes, steps),
        OnCuda.raw(bench).subject(PLAIN, plain, bytes, steps, throughput(bytes)));
  }

  /** The ring in C, with as many threads as copy for the device. */
  static Subject ring(Bench bench, Kind kind, int bytes, int steps) {
    String name = "ring-" + kind.label() + "-" + copyThreads(bench);
    return OnCuda.raw(bench).subject(RING, name, bytes, steps, throughput(bytes));
  }

  private static UnaryOperator<double[]> throughput(int bytes) {
    return quartiles -> Transfers.withThroughput(quartiles, bytes);
  }

  /** How many transfers of {@code bytes} a sample has. */
  static int steps(Bench bench, int bytes) {
    return bench.steps((int) Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, SAMPLE_BYTES / bytes)));
  }

  /** {@code kibs} KiB for people. */
  static String size(int kibs) {
    return kibs < MIB_OF_KIB ? kibs + " KiB" : kibs / MIB_OF_KIB + " MiB";
  }

  /** How many threads copy for the device, or 1 if it has no such setting. */
  private static int copyThreads(Bench bench) {
    return bench.device().settings().stream()
        .filter(setting -> setting.name().equals("copy-threads"))
        .map(Setting::value)
        .mapToInt(Integer::parseInt)
        .findFirst()
        .orElse(1);
  }

  private static List<Aim> aims(Kind kind, int kibs) {
    if (kibs >= LARGE) {
      return List.of(Aim.atLeast(Transfers.THROUGHPUT, RING, LEAST_OF_RING));
    }
    if (kibs >= MIB_OF_KIB) {
      return List.of(Aim.atLeast(Transfers.THROUGHPUT, PLAIN, LEAST_OF_PLAIN));
    }
    return kind == Kind.UPLOAD
        ? List.of()
        : List.of(
            Aim.atLeast(Transfers.THROUGHPUT, RING, LEAST_OF_SLOT),
            Aim.atLeast(Transfers.THROUGHPUT, PLAIN, AS_FAST));
  }
}
