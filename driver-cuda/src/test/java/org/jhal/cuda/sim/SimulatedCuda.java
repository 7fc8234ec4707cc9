// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import java.util.List;
import org.jhal.simulator.SimulatedLibrary;

/** The simulated libraries; each is built at its first use on a machine. */
public final class SimulatedCuda {
  /** The driver's property that names the file of {@link #collectives}. */
  public static final String COLLECTIVES = "jhal.cuda.nccl";

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
          "cuda_errors.c",
          "cuda_stubs.c");

  private SimulatedCuda() {}

  /** The driver library, {@code libcuda.so.1}, with every function that JCuda refers to. */
  public static SimulatedLibrary library() {
    return driver();
  }

  /**
   * A driver library that lacks functions, as an older one does. A process can have one {@code
   * libcuda.so.1} only, so this is for a separate one; a call of a missing function through JCuda
   * ends it.
   */
  public static SimulatedLibrary driver(String... missing) {
    return SimulatedLibrary.driver("libcuda.so.1", SimulatedCuda.class, DRIVER, List.of(missing));
  }

  /**
   * The run-time compiler, {@code libnvrtc.so.13}. Its code is for {@link #library}, as PTX and as
   * CUBIN, and is binary in both cases.
   */
  public static SimulatedLibrary compiler() {
    return SimulatedLibrary.compiler("libnvrtc.so.13", SimulatedCuda.class, List.of("nvrtc.c"));
  }

  /**
   * A run-time compiler of another version.
   *
   * @param version in the form of the driver library's: 12080 for 12.8
   * @param architectures that it generates code for, such as {@code 80, 90}; ascending
   * @param missing functions that it lacks
   */
  public static SimulatedLibrary compiler(int version, String architectures, String... missing) {
    return SimulatedLibrary.compiler(
        "libnvrtc.so." + version / 1000,
        SimulatedCuda.class,
        List.of("nvrtc.c"),
        List.of(missing),
        List.of("-DNVRTC_VERSION=" + version, "-DNVRTC_ARCHITECTURES=" + architectures));
  }

  /** Collectives for {@link #library}, {@code libnccl.so.2}. */
  public static SimulatedLibrary collectives() {
    return collectives(SimulatedLibrary.NEWEST_COLLECTIVES);
  }

  /** The same of some version: 22803 for 2.28.3. */
  public static SimulatedLibrary collectives(int version) {
    return SimulatedLibrary.collectives("libnccl.so.2", "libcuda.so.1", version);
  }
}
