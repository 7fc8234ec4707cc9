// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.util.Optional;
import org.jhal.gpu.GpuDriver;
import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.SimulatedGpu;

/** The driver over the stand-in for the HIP runtime. */
final class HipOnSimulator implements SimulatedGpu {
  static final HipOnSimulator GPU = new HipOnSimulator();

  private HipOnSimulator() {}

  @Override
  public GpuDriver driver() {
    return new HipDriver();
  }

  @Override
  public Optional<String> unavailable() {
    return StandIn.chosen().unavailable();
  }

  @Override
  public SimulatedLibrary collectives(int version) {
    return StandIn.chosen().collectives(version);
  }

  @Override
  public String collectivesProperty() {
    return StandIn.COLLECTIVES;
  }

  @Override
  public Simulator simulator() {
    return StandIn.chosen().simulator();
  }

  @Override
  public void reset() {
    StandIn.chosen().reset();
  }

  /** HIP has no call that releases them. */
  @Override
  public boolean keepsContexts() {
    return true;
  }
}
