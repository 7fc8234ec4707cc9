// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jhal.simulator.SimulatedLibrary;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Makes the driver find the simulated libraries in a process that runs tests, before anything is
 * loaded. If a library is already named, or with {@code -Djhal.cuda.test.real=true}, the tests use
 * the libraries of the machine. With {@code -Djhal.cuda.nccl=none} they run without simulated
 * collectives.
 */
public final class SimulatorSession implements LauncherSessionListener {
  /** The driver's properties, and the variables that mean the same. */
  private static final Map<String, String> NAMED =
      Map.of("jhal.cuda.library", "JHAL_CUDA_LIBRARY", "jhal.cuda.nvrtc", "JHAL_CUDA_NVRTC");

  /** For the service loader. */
  public SimulatorSession() {}

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    if (System.getProperty("jhal.cuda.cache") == null) {
      System.setProperty(
          "jhal.cuda.cache", "off"); // no test depends on what an earlier one has compiled
    }
    if (Boolean.getBoolean("jhal.cuda.test.real")) {
      return;
    }
    for (Map.Entry<String, String> name : NAMED.entrySet()) {
      if (System.getProperty(name.getKey()) != null || System.getenv(name.getValue()) != null) {
        return;
      }
    }
    SimulatedLibrary driver = SimulatedCuda.library();
    SimulatedLibrary compiler = SimulatedCuda.compiler();
    for (SimulatedLibrary library : List.of(driver, compiler)) {
      Optional<String> reason = library.unavailable();
      if (reason.isPresent()) {
        System.setProperty("jhal.cuda.cts.absent", reason.get());
        return;
      }
    }
    System.setProperty("jhal.cuda.library", driver.path().toString());
    System.setProperty("jhal.cuda.nvrtc", compiler.path().toString());
    if (System.getProperty(SimulatedCuda.COLLECTIVES) == null) {
      System.setProperty(SimulatedCuda.COLLECTIVES, SimulatedCuda.collectives().path().toString());
    }
  }
}
