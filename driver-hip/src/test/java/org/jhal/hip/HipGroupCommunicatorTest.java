// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupCommunicatorTest;

/** Communicators of RCCL. */
class HipGroupCommunicatorTest extends GpuGroupCommunicatorTest {
  HipGroupCommunicatorTest() {
    super(HipOnSimulator.GPU);
  }
}
