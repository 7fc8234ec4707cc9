// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupTest;

/** Groups of GPUs of HIP, by RCCL. */
class HipGroupTest extends GpuGroupTest {
  HipGroupTest() {
    super(HipOnSimulator.GPU, "RCCL");
  }
}
