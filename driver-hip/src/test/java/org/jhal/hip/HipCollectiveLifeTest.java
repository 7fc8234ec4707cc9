// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.collective.GpuCollectiveLifeTest;

/** Parts of collectives of the simulated RCCL that wait, are aborted, or fail. */
class HipCollectiveLifeTest extends GpuCollectiveLifeTest {
  HipCollectiveLifeTest() {
    super(HipOnSimulator.GPU, StandIn.chosen().collectives(), new HipCollectiveFace());
  }
}
