// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupHeldTest;

/** Collectives of RCCL whose streams are held while groups end. */
class HipGroupHeldTest extends GpuGroupHeldTest {
  HipGroupHeldTest() {
    super(HipOnSimulator.GPU);
  }
}
