// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.util.List;
import java.util.Optional;
import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.gpu.GpuDriver;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.SimulatedGpu;

/** The driver over the simulated driver API. */
final class CudaOnSimulator implements SimulatedGpu {
  static final CudaOnSimulator GPU = new CudaOnSimulator();

  private CudaOnSimulator() {}

  @Override
  public GpuDriver driver() {
    return new CudaDriver();
  }

  @Override
  public Optional<String> unavailable() {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      if (library.unavailable().isPresent()) {
        return library.unavailable();
      }
    }
    String used = System.getProperty(CudaDriver.WANTED.property(), "");
    return SimulatedCuda.library().path().toString().equals(used)
        ? Optional.empty()
        : Optional.of("the tests run on another library than the simulated one");
  }

  @Override
  public SimulatedLibrary collectives(int version) {
    return SimulatedCuda.collectives(version);
  }

  @Override
  public String collectivesProperty() {
    return SimulatedCuda.COLLECTIVES;
  }

  @Override
  public Simulator simulator() {
    return Simulator.in(SimulatedCuda.library().path());
  }
}
