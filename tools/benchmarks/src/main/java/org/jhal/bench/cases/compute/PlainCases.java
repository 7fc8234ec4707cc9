// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.compute;

import java.util.ArrayList;
import java.util.List;
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
    for (PlainKernel kernel : PlainKernels.all()) {
      int count = bench.steps(kernel.repeats());
      PlainC peer = inC(bench);
      all.add(
          new Series(
              kernel.style().file() + " " + kernel.kernel(),
              new DeviceRuns(
                  Subject.JHAL,
                  () -> ComputeCases.withThreads(bench, 1),
                  kernel,
                  result -> kernel.check(peer.result(kernel), result),
                  count),
              List.of(peer.subject(kernel, count)),
              List.of(Aim.atMost(ComputeCases.TIME, PlainC.NAME, kernel.style().most()))));
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
