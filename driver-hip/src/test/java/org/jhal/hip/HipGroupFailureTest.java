// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupFailureTest;

/** Collectives of RCCL that do not end, or fail. */
class HipGroupFailureTest extends GpuGroupFailureTest {
  HipGroupFailureTest() {
    super(HipOnSimulator.GPU, new Names("hipEventRecord", "hipStreamCreateWithFlags"));
  }
}
