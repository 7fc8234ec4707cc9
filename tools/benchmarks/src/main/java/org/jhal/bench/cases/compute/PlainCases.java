// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jhal.Device;
import org.jhal.bench.baselines.PlainC;
import org.jhal.bench.kernel.PlainKernel;
import org.jhal.bench.kernel.PlainKernels;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/** Kernels as CUDA programmers write them, beside the same in plain C. */
final class PlainCases {
  private PlainCases() {}

  static BenchCase kernels() {
    return new BenchCase(
        "kernels-plain",
        "a kernel as CUDA programmers write it, by one thread, with its dispatch",
        "ns",
        List.of(ComputeCases.TIME),
        false,
        ComputeCases.DRIVER,
        PlainCases::series);
  }

  private static List<Series> series(Bench bench) {
    List<Series> all = new ArrayList<>();
    PlainC peer = inC(bench);
    for (PlainKernel kernel : PlainKernels.all()) {
      all.add(
          series(
              kernel.style().file() + " " + kernel.kernel(),
              () -> ComputeCases.withThreads(bench, 1),
              kernel,
              peer,
              bench.steps(kernel.repeats()),
              Aim.atMost(ComputeCases.TIME, PlainC.NAME, kernel.style().most())));
    }
    return all;
  }

  /** A kernel on a device, beside the same in C. */
  private static Series series(
      String label, Supplier<Device> device, PlainKernel kernel, PlainC peer, int count, Aim aim) {
    return new Series(
        label,
        new DeviceRuns(
            Subject.JHAL,
            device,
            kernel,
            result -> kernel.check(peer.result(kernel), result),
            count),
        List.of(peer.subject(kernel, count)),
        List.of(aim));
  }

  /** The kernels that are also measured while they are checked, which differ in what they do. */
  private static final Set<String> CHECKED =
      Set.of("scale_add", "blur", "sgemm_tiled", "block_sums", "warp_scan", "histogram_shared");

  /** By what is checked, the largest time that is wanted, as a ratio to scalar C. */
  private enum Checks {
    MEMORY(4),
    ALL(15);

    final double most;

    Checks(double most) {
      this.most = most;
    }

    String option() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static BenchCase checked() {
    return new BenchCase(
        "kernels-checked",
        "a kernel as CUDA programmers write it, by one thread that checks it",
        "ns",
        List.of(ComputeCases.TIME),
        false,
        ComputeCases.DRIVER,
        PlainCases::checkedSeries);
  }

  private static List<Series> checkedSeries(Bench bench) {
    List<Series> all = new ArrayList<>();
    PlainC peer =
        bench
            .shared()
            .get(
                "plain-c-scalar",
                PlainC.class,
                () -> PlainC.scalar(System.getenv(), ComputeCases.compiler(bench)));
    for (PlainKernel kernel : PlainKernels.all()) {
      for (Checks checks : Checks.values()) {
        if (!CHECKED.contains(kernel.kernel())) {
          continue;
        }
        Map<String, String> options = Map.of(ComputeCases.THREADS, "1", "check", checks.option());
        all.add(
            series(
                checks.option() + " " + kernel.kernel(),
                () -> bench.deviceWith(options),
                kernel,
                peer,
                bench.steps(1 + kernel.repeats() / 10),
                Aim.atMost(ComputeCases.TIME, PlainC.SCALAR, checks.most)));
      }
    }
    return all;
  }

  private static PlainC inC(Bench bench) {
    return bench
        .shared()
        .get(
            "plain-c",
            PlainC.class,
            () -> new PlainC(System.getenv(), ComputeCases.compiler(bench)));
  }
}
