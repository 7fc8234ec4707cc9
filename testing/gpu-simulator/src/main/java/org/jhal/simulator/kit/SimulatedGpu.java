// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.util.Optional;
import org.jhal.gpu.GpuDriver;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;

/** A driver over simulated devices, in the tests of this process. */
public interface SimulatedGpu {
  /** A new driver, which has not looked for devices yet. */
  GpuDriver driver();

  /** Why this process has no such devices; empty if it has. */
  Optional<String> unavailable();

  /** The simulator under the driver. */
  Simulator simulator();

  /**
   * A library of collectives for it.
   *
   * @param version as in {@link SimulatedLibrary#collectives}
   */
  SimulatedLibrary collectives(int version);

  /** The driver's property that names the file of {@link #collectives}. */
  String collectivesProperty();

  /** Resets everything; all native objects are gone. */
  default void reset() {
    simulator().reset();
  }

  /** Whether the context of a device stays when all of its users have closed it. */
  default boolean keepsContexts() {
    return false;
  }
}
