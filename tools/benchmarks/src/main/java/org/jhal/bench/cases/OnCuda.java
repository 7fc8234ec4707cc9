// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases;

import java.util.Map;
import org.jhal.bench.baselines.CudaCompiler;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.measure.Bench;

/** Shared by the cases that compare CUDA devices with a program in C. */
public final class OnCuda {
  /** The driver whose devices they are for. */
  public static final String DRIVER = "cuda";

  private OnCuda() {}

  /** The program in C for the device of {@code bench}. */
  public static CudaRaw raw(Bench bench) {
    return bench
        .shared()
        .get(
            "raw",
            CudaRaw.class,
            () ->
                new CudaRaw(
                    () -> CudaCompiler.find(System.getenv()),
                    Map.of(),
                    bench.device().info().pciAddress()));
  }
}
