// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupStartFailureTest;

/** Collectives of RCCL that wait for work of devices, and fail. */
class HipGroupStartFailureTest extends GpuGroupStartFailureTest {
  HipGroupStartFailureTest() {
    super(HipOnSimulator.GPU, "hipStreamWaitEvent");
  }
}
