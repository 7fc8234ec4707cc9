// SPDX-License-Identifier: Apache-2.0
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
 * Transfers of ordinary memory of the JVM. On CUDA devices they are compared with programs in C:
 * small ones through one pinned slot, larger ones through a ring of slots that as many threads fill
 * or empty, with plain stores and with streaming ones, and all by a single call. The host polls on
 * all sides.
 */
public final class PageableCases {
  private static final String SLOT = "C slot";
  private static final String RING = "C ring";
  private static final String STREAMING = "C ring, streaming";
  private static final String PLAIN = "C, one call";

  static final int KIB = 1 << 10;
  static final int MIB_OF_KIB = 1 << 10;

  /**
   * In KiB, each of which counts as one towards {@code --max}: the last one needs a larger {@code
   * --max}.
   */
  private static final int[] UPLOADS = {256, MIB_OF_KIB, 64 * MIB_OF_KIB, 1024 * MIB_OF_KIB};

  private static final int[] READBACKS = {
    4, 64, 256, MIB_OF_KIB, 64 * MIB_OF_KIB, 1024 * MIB_OF_KIB
  };

  private static final int LEAST_IN_RING = 256; // smaller ones are one chunk
  private static final int MOST_IN_SLOT = MIB_OF_KIB;
  static final int LARGE = 64 * MIB_OF_KIB; // from here on, the aims are throughputs

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
    Bench peer = bench.peer();
    List<Series> all = new ArrayList<>();
    for (int kibs : bench.sizes(kind == Kind.UPLOAD ? UPLOADS : READBACKS)) {
      int bytes = kibs * KIB;
      int steps = steps(bench, bytes);
      for (Memory memory : Memory.values()) {
        String label = size(kibs) + ", " + memory.label;
        Subject jhal = new PageableTransfers(Subject.JHAL, device, kind, memory, bytes, steps);
        List<Subject> baselines = new ArrayList<>();
        if (isBesideC) {
          baselines.addAll(inC(bench, kind, kibs, steps));
        }
        if (peer != null) {
          Device beside = peer.deviceThatSpins(DispatchWork.SPINNING);
          baselines.add(new PageableTransfers(peer.uri(), beside, kind, memory, bytes, steps));
        }
        all.add(new Series(label, jhal, baselines, isBesideC ? aims(kind, kibs) : List.of()));
      }
    }
    return all;
  }

  private static List<Subject> inC(Bench bench, Kind kind, int kibs, int steps) {
    int bytes = kibs * KIB;
    List<Subject> all = new ArrayList<>();
    if (kibs <= MOST_IN_SLOT) {
      all.add(inC(bench, SLOT, "slot-" + kind.label(), bytes, steps));
    }
    if (kibs >= LEAST_IN_RING) {
      all.add(ring(bench, kind, bytes, steps));
    }
    if (kibs >= LARGE) {
      String name = "streaming-" + kind.label() + "-" + copyThreads(bench);
      all.add(inC(bench, STREAMING, name, bytes, steps));
    }
    all.add(inC(bench, PLAIN, "plain-" + kind.label(), bytes, steps));
    return all;
  }

  /** The ring in C, with as many threads as copy for the device. */
  static Subject ring(Bench bench, Kind kind, int bytes, int steps) {
    return inC(bench, RING, "ring-" + kind.label() + "-" + copyThreads(bench), bytes, steps);
  }

  private static Subject inC(Bench bench, String title, String asked, int bytes, int steps) {
    return OnCuda.raw(bench).subject(title, asked, bytes, steps, throughput(bytes));
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
    boolean isUpload = kind == Kind.UPLOAD;
    String median = Transfers.METRICS.get(0);
    if (kibs >= LARGE) {
      return isUpload
          ? List.of(Aim.atLeast(Transfers.THROUGHPUT, RING, 0.8))
          : List.of(
              Aim.atLeast(Transfers.THROUGHPUT, RING, 0.95),
              Aim.atLeast(Transfers.THROUGHPUT, STREAMING, 0.95));
    }
    if (kibs >= MIB_OF_KIB) {
      Aim plain = Aim.atLeast(Transfers.THROUGHPUT, PLAIN, 0.9);
      return isUpload ? List.of(plain) : List.of(Aim.atMost(median, RING, 1.2), plain);
    }
    if (isUpload) {
      return kibs >= LEAST_IN_RING ? List.of(Aim.atMost(median, RING, 1.1)) : List.of();
    }
    return List.of(Aim.atMost(median, SLOT, 1.25), Aim.atMost(median, PLAIN, 1));
  }
}
