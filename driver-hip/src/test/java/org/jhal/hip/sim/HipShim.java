// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.sim;

import com.sun.jna.NativeLibrary;
import java.util.List;
import org.jhal.simulator.SimulatedLibrary;

/**
 * The HIP runtime that forwards to CUDA, and the simulated libraries of CUDA for its tests, whose
 * sources are those of driver-cuda's tests.
 */
public final class HipShim {
  private static final List<String> SHIM =
      List.of("hip_shim.h", "hip_shim.c", "hip_shim_graph.c", "hip_shim_rtc.c", "hip_errors.c");
  private static final List<String> DRIVER =
      List.of(
          "cuda_face.h",
          "cuda_device.c",
          "cuda_stream.c",
          "cuda_memory.c",
          "cuda_copy.c",
          "cuda_module.c",
          "cuda_graph.c",
          "cuda_green.c",
          "cuda_errors.c");

  private HipShim() {}

  /**
   * The shim, {@code libamdhip64.so.7}, with HIPRTC in it. It opens the libraries of CUDA that the
   * variables {@code JHAL_SHIM_CUDA} and {@code JHAL_SHIM_NVRTC} name, else those that the system
   * finds. Its version is ROCm 7.0, or that in {@code JHAL_SHIM_VERSION}.
   */
  public static SimulatedLibrary library() {
    return SimulatedLibrary.of("libamdhip64.so.7", HipShim.class, SHIM);
  }

  /** The simulated CUDA driver. */
  public static SimulatedLibrary driver() {
    return SimulatedLibrary.driver("libcuda.so.1", HipShim.class, DRIVER, List.of());
  }

  static SimulatedLibrary compiler() {
    return SimulatedLibrary.compiler("libnvrtc.so.13", HipShim.class, List.of("nvrtc.c"));
  }

  /** Collectives for {@link #driver}, whose streams and addresses the shim passes on. */
  static SimulatedLibrary collectives(int version) {
    return SimulatedLibrary.collectives("librccl.so.1", "libcuda.so.1", version);
  }

  /** To be called when the simulated driver has ended all contexts. */
  static void forget() {
    NativeLibrary.getInstance(library().path().toString())
        .getFunction("hip_shim_forget")
        .invokeVoid(new Object[0]);
  }
}
