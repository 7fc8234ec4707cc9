// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.collective.GpuCollectiveMisuseTest;

/** Misuses of the simulated RCCL. */
class HipCollectiveMisuseTest extends GpuCollectiveMisuseTest {
  HipCollectiveMisuseTest() {
    super(HipOnSimulator.GPU, StandIn.chosen().collectives(), new HipCollectiveFace());
  }
}
