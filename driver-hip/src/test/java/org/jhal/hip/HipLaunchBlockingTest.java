// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.group.GpuLaunchBlockingTest;

/** Groups in a process in which HIP waits for each kernel. */
class HipLaunchBlockingTest extends GpuLaunchBlockingTest {
  HipLaunchBlockingTest() {
    super(
        HipOnSimulator.GPU, "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING");
  }
}
