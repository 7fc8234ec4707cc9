// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.sim;

import java.util.List;
import java.util.Optional;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;

/**
 * The stand-in for the HIP runtime in the tests of a process, which can have only one: the system
 * property {@code jhal.hip.test.on} selects it.
 */
public enum StandIn {
  /** The simulated runtime. */
  SIMULATOR("gfx90a:sramecc+:xnack-", "hip") {
    @Override
    List<SimulatedLibrary> libraries() {
      return List.of(SimulatedHip.library(), SimulatedHip.compiler());
    }

    @Override
    void use() {
      System.setProperty("jhal.hip.library", SimulatedHip.library().path().toString());
      System.setProperty("jhal.hip.hiprtc", SimulatedHip.compiler().path().toString());
    }

    @Override
    SimulatedLibrary simulated() {
      return SimulatedHip.library();
    }

    @Override
    public SimulatedLibrary collectives(int version) {
      return SimulatedHip.collectives(version);
    }
  },

  /** The shim over the simulated CUDA driver and run-time compiler. */
  SHIM("sm_90", "cu") {
    @Override
    List<SimulatedLibrary> libraries() {
      return List.of(HipShim.library(), HipShim.driver(), HipShim.compiler());
    }

    @Override
    void use() {
      // The shim finds the libraries that are already loaded under their names.
      System.load(HipShim.driver().path().toString());
      System.load(HipShim.compiler().path().toString());
      System.setProperty("jhal.hip.library", HipShim.library().path().toString());
    }

    @Override
    SimulatedLibrary simulated() {
      return HipShim.driver();
    }

    @Override
    public SimulatedLibrary collectives(int version) {
      return HipShim.collectives(version);
    }

    @Override
    public void reset() {
      super.reset();
      HipShim.forget();
    }
  };

  /** The driver's property that names the file of {@link #collectives}. */
  public static final String COLLECTIVES = "jhal.hip.rccl";

  private final String architecture;
  private final String prefix;

  StandIn(String architecture, String prefix) {
    this.architecture = architecture;
    this.prefix = prefix;
  }

  /** The stand-in of this process. */
  public static StandIn chosen() {
    return valueOf(System.getProperty("jhal.hip.test.on", "SIMULATOR"));
  }

  abstract List<SimulatedLibrary> libraries();

  /** Makes the driver find the libraries. */
  abstract void use();

  abstract SimulatedLibrary simulated();

  /** The library of collectives, {@code librccl.so.1}. */
  public final SimulatedLibrary collectives() {
    return collectives(SimulatedLibrary.NEWEST_COLLECTIVES);
  }

  /** The same of some version: 22803 for 2.28.3. */
  public abstract SimulatedLibrary collectives(int version);

  /** Why it cannot be used on this machine; empty if it can. */
  public Optional<String> unavailable() {
    return libraries().stream().flatMap(library -> library.unavailable().stream()).findFirst();
  }

  /** The controls of the simulator that does the computing. */
  public Simulator simulator() {
    return Simulator.in(simulated().path());
  }

  /** Resets everything; see {@link Simulator#reset}. */
  public void reset() {
    simulator().reset();
  }

  /** The simulator's name for a function that the driver calls {@code hip...}. */
  public String function(String hip) {
    return prefix + hip.substring("hip".length());
  }

  /** That of the devices. */
  public String architecture() {
    return architecture;
  }
}
