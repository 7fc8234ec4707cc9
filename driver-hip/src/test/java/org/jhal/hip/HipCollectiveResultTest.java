// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.collective.GpuCollectiveResultTest;

/** The results of the simulated RCCL. */
class HipCollectiveResultTest extends GpuCollectiveResultTest {
  HipCollectiveResultTest() {
    super(HipOnSimulator.GPU, StandIn.chosen().collectives(), new HipCollectiveFace());
  }
}
