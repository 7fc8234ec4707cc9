// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupGateTest;

/** Collectives of RCCL beside other work. */
class HipGroupGateTest extends GpuGroupGateTest {
  HipGroupGateTest() {
    super(HipOnSimulator.GPU);
  }
}
