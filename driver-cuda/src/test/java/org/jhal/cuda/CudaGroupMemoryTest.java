package org.jhal.cuda;

import org.jhal.simulator.driver.GpuGroupMemoryTest;

/** Memory that collectives of NCCL use when they fail. */
class CudaGroupMemoryTest extends GpuGroupMemoryTest {
  CudaGroupMemoryTest() {
    super(CudaOnSimulator.GPU, new Names("cuEventRecord", "cuStreamWaitEvent"));
  }
}
