// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuGroupMemoryTest;

/** Memory that collectives of RCCL use when they fail. */
class HipGroupMemoryTest extends GpuGroupMemoryTest {
  HipGroupMemoryTest() {
    super(HipOnSimulator.GPU, new Names("hipEventRecord", "hipStreamWaitEvent"));
  }
}
