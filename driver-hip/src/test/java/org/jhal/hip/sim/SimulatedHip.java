// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.sim;

import java.util.List;
import org.jhal.simulator.SimulatedLibrary;

/** The simulated libraries; each is built at its first use on a machine. */
public final class SimulatedHip {
  private static final List<String> RUNTIME =
      List.of(
          "hip_face.h",
          "hip_device.c",
          "hip_stream.c",
          "hip_memory.c",
          "hip_module.c",
          "hip_graph.c",
          "hip_errors.c");

  private SimulatedHip() {}

  /** The runtime, {@code libamdhip64.so.7}, with devices that are a gfx90a. */
  public static SimulatedLibrary library() {
    return SimulatedLibrary.driver("libamdhip64.so.7", SimulatedHip.class, RUNTIME, List.of());
  }

  /** The run-time compiler, {@code libhiprtc.so.7}. Its code is for {@link #library}. */
  public static SimulatedLibrary compiler() {
    return SimulatedLibrary.compiler("libhiprtc.so.7", SimulatedHip.class, List.of("hiprtc.c"));
  }

  /** Collectives for {@link #library}, {@code librccl.so.1}. */
  static SimulatedLibrary collectives(int version) {
    return SimulatedLibrary.collectives("librccl.so.1", "libamdhip64.so.7", version);
  }
}
