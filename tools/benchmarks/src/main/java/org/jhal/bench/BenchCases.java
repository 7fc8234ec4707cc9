// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.ExecutableSource;
import org.jhal.bench.cases.bulk.FileCases;
import org.jhal.bench.cases.bulk.PageableCases;
import org.jhal.bench.cases.compute.ComputeCases;
import org.jhal.bench.cases.host.DispatchCases;
import org.jhal.bench.cases.host.HostCases;
import org.jhal.bench.cases.peer.CollectiveCases;
import org.jhal.bench.cases.peer.PeerCases;
import org.jhal.bench.cases.peer.SplitCases;
import org.jhal.bench.cases.vendor.CudaCases;
import org.jhal.bench.cases.vendor.GraphCases;
import org.jhal.bench.cases.vendor.HipCalls;
import org.jhal.bench.cases.vendor.LibraryCases;
import org.jhal.bench.cases.vendor.VulkanCases;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.BenchCase;
import org.jspecify.annotations.Nullable;

/** All cases. */
public final class BenchCases {
  private BenchCases() {}

  /** In the order in which they run; not all are for all devices. */
  public static List<BenchCase> all() {
    return Stream.of(
            HostCases.all(),
            DispatchCases.all(),
            GraphCases.all(),
            PageableCases.all(),
            FileCases.all(),
            LibraryCases.all(),
            PeerCases.all(),
            CollectiveCases.all(),
            SplitCases.all(),
            ComputeCases.all(),
            CudaCases.all(),
            HipCalls.all(),
            VulkanCases.all())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * The bundle with the kernel of the cases, with further variants of it.
   *
   * @param kernels the bundle; null for that of the benchmarks
   * @throws org.jhal.HalException NOT_FOUND if there are no variants in the folder
   */
  public static ExecutableSource withVariants(@Nullable ExecutableSource kernels, Path variants) {
    return (kernels == null ? Touch.BUNDLE : kernels).withVariants(variants);
  }
}
