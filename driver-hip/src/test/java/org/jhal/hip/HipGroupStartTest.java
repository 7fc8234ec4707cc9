// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupStartTest;

/** Collectives of RCCL that wait for work of devices. */
class HipGroupStartTest extends GpuGroupStartTest {
  HipGroupStartTest() {
    super(HipOnSimulator.GPU, "hipStreamWaitEvent");
  }
}
