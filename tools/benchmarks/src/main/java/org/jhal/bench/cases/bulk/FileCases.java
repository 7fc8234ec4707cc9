// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jhal.Device;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.cases.bulk.FileTransfers.Kind;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * Transfers between a file, which is in the page cache, and a buffer. They are compared with the
 * two halves of their way: the same file read or written without a device, and memory of the same
 * size uploaded or read back.
 */
public final class FileCases {
  private static final int[] SIZES = {PageableCases.LARGE, 1024 * PageableCases.MIB_OF_KIB}; // KiB
  private static final double LEAST = 0.8;

  private FileCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return all(PageableCases::isBesideC);
  }

  /**
   * Those that are compared with the ring in C where {@code isBesideC} says so, and elsewhere with
   * JHAL's own transfers of a direct buffer.
   */
  static List<BenchCase> all(Predicate<Bench> isBesideC) {
    List<BenchCase> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      all.add(
          new BenchCase(
              "file-" + kind.label(),
              kind == Kind.READ
                  ? "reads of a file in the page cache, and the host waits for each"
                  : "writes to a file in the page cache, and the host waits for each",
              "ns",
              Transfers.METRICS,
              false,
              bench -> series(bench, kind, isBesideC.test(bench))));
    }
    return all;
  }

  private static List<Series> series(Bench bench, Kind kind, boolean isBesideC) {
    Device device = bench.deviceThatSpins(DispatchWork.SPINNING);
    List<Series> all = new ArrayList<>();
    for (int kibs : bench.sizes(SIZES)) {
      int bytes = kibs * PageableCases.KIB;
      int steps = PageableCases.steps(bench, bytes);
      PatternFile file = new PatternFile(bytes);
      all.add(
          new Series(
              PageableCases.size(kibs),
              new FileTransfers(device, kind, file, steps),
              List.of(
                  new FileChannelTransfers(kind, file, steps),
                  isBesideC
                      ? PageableCases.ring(bench, kind.half, bytes, steps)
                      : ownHalf(device, kind, bytes, steps)),
              kibs < PageableCases.LARGE
                  ? List.of()
                  : List.of(Aim.atLeastOfLowest(Transfers.THROUGHPUT, LEAST))));
    }
    return all;
  }

  private static Subject ownHalf(Device device, Kind kind, int bytes, int steps) {
    return new PageableTransfers(
        "JHAL, " + kind.half.label(),
        device,
        kind.half,
        PageableTransfers.Memory.DIRECT,
        bytes,
        steps);
  }
}
