// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuLaunchBlockingTest;

/** Groups in a process in which CUDA waits for each kernel. */
class CudaLaunchBlockingTest extends GpuLaunchBlockingTest {
  CudaLaunchBlockingTest() {
    super(CudaOnSimulator.GPU, "CUDA_LAUNCH_BLOCKING");
  }
}
