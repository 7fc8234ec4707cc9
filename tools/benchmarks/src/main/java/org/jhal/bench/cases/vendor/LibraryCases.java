// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import java.util.ArrayList;
import java.util.List;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.OnCuda;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/** Work of a vendor's library as external work, beside the same calls in C. */
public final class LibraryCases {
  private static final int[] ROWS = {64, 1024, 4096};
  private static final int SMALL = 64; // what JHAL adds to each call dominates
  private static final int PRODUCTS = 50;
  private static final int SMALL_PRODUCTS = 500; // so that both ends of a chain hardly count
  private static final int LARGE = 4096; // from here on, the library's own time dominates
  private static final double MOST = 1.02;
  private static final double MOST_SMALL = 1.4;

  private LibraryCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return List.of(
        new BenchCase(
            "external-gemm",
            "matrix products by cuBLAS that wait for the one before them, all submitted up front",
            "ns",
            List.of("time"),
            false,
            OnCuda.DRIVER,
            bench -> bench.sizes(ROWS).stream().map(rows -> series(bench, rows)).toList()));
  }

  /** A chain of products of matrices with {@code rows} rows. */
  static Series series(Bench bench, int rows) {
    int steps = bench.steps(rows == SMALL ? SMALL_PRODUCTS : PRODUCTS);
    List<Subject> baselines = new ArrayList<>();
    baselines.add(OnCuda.raw(bench).subject("gemm", rows, steps, all -> new double[] {all[0]}));
    Bench peer = bench.peer();
    if (peer != null) {
      baselines.add(chain(peer.uri(), peer, rows, steps));
    }
    return new Series(
        rows + " rows", chain(Subject.JHAL, bench, rows, steps), baselines, aims(rows));
  }

  private static Subject chain(String name, Bench bench, int rows, int steps) {
    return new LibraryChain(name, bench.deviceThatSpins(DispatchWork.SPINNING), rows, steps);
  }

  private static List<Aim> aims(int rows) {
    if (rows == SMALL) {
      return List.of(Aim.atMost("time", CudaRaw.NAME, MOST_SMALL));
    }
    return rows < LARGE ? List.of() : List.of(Aim.atMost("time", CudaRaw.NAME, MOST));
  }
}
