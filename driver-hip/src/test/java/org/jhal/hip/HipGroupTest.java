package org.jhal.hip;

import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.driver.GpuGroupTest;

/** Groups of GPUs of HIP, by RCCL. */
class HipGroupTest extends GpuGroupTest {
  HipGroupTest() {
    super(HipOnSimulator.GPU, new Library("RCCL", StandIn.COLLECTIVES));
  }
}
