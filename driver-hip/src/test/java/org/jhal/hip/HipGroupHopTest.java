// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupHopTest;

/** Calls that involve two devices, beside collectives of RCCL. */
class HipGroupHopTest extends GpuGroupHopTest {
  HipGroupHopTest() {
    super(HipOnSimulator.GPU, "hipStreamWaitEvent");
  }
}
