// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuStreamMemoryTest;

/** The memory that streams of HIP keep. */
class HipStreamMemoryTest extends GpuStreamMemoryTest {
  HipStreamMemoryTest() {
    super(
        HipOnSimulator.GPU,
        new Names(
            "hipMallocFromPoolAsync", "hipFreeAsync", "hipEventRecord", "hipStreamWaitEvent"));
  }
}
