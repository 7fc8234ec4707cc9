package org.jhal.hip;

import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.collective.GpuCollectiveResultTest;

/** What the simulated RCCL computes. */
class HipCollectiveResultTest extends GpuCollectiveResultTest {
  HipCollectiveResultTest() {
    super(HipOnSimulator.GPU, StandIn.chosen().collectives(), new HipCollectiveFace());
  }
}
