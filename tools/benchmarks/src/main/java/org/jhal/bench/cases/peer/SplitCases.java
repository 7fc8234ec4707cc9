// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.List;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/** Work that is split over two devices, beside the same work on one of them. */
public final class SplitCases {
  private static final String ONE = "JHAL, one device";
  private static final int[] WIDTHS = {1024};
  private static final int[] WIDTHS_ON_GPUS = {1024, 4096};

  private SplitCases() {}

  /** In the order in which they run. */
  public static List<BenchCase> all() {
    return List.of(
        new BenchCase(
                "split",
                "a picture whose bands are computed by two devices, and the host waits",
                "ns",
                SplitPicture.METRICS,
                false,
                bench ->
                    bench.sizes(widths(bench)).stream().map(width -> series(bench, width)).toList())
            .forTwo());
  }

  /** The widths; the host's processors would take minutes for the large one. */
  private static int[] widths(Bench bench) {
    return isOnGpus(bench) ? WIDTHS_ON_GPUS : WIDTHS;
  }

  /** If not, both devices share the host's processors. */
  private static boolean isOnGpus(Bench bench) {
    return bench.device().info().pciAddress() != null;
  }

  private static Series series(Bench bench, int width) {
    return new Series(
        width + " columns",
        new SplitPicture(Subject.JHAL, bench, true, width),
        List.of(new SplitPicture(ONE, bench, false, width)),
        isOnGpus(bench) ? List.of(Aim.atLeast(SplitPicture.SPEED, ONE, 1.9)) : List.of());
  }
}
