package org.jhal.cuda;

import org.jhal.simulator.group.GpuLaunchBlockingTest;

/** Groups where CUDA waits for each kernel. */
class CudaLaunchBlockingTest extends GpuLaunchBlockingTest {
  CudaLaunchBlockingTest() {
    super(CudaOnSimulator.GPU, "CUDA_LAUNCH_BLOCKING");
  }
}
