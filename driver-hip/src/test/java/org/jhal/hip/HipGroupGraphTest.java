// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupGraphTest;

/** Collectives of RCCL as graphs of HIP. */
class HipGroupGraphTest extends GpuGroupGraphTest {
  HipGroupGraphTest() {
    super(HipOnSimulator.GPU, HipGraphsTest.NAMES, "hipStreamBeginCapture", "hipStreamEndCapture");
  }
}
