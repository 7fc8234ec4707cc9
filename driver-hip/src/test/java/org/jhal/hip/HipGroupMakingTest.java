// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupMakingTest;

/** Native calls that fail while a group of RCCL is created. */
class HipGroupMakingTest extends GpuGroupMakingTest {
  HipGroupMakingTest() {
    super(HipOnSimulator.GPU);
  }
}
