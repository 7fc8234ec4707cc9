package org.jhal.cuda;

import org.jhal.simulator.driver.GpuGroupFailureTest;

/** Collectives of NCCL that do not end, or fail. */
class CudaGroupFailureTest extends GpuGroupFailureTest {
  CudaGroupFailureTest() {
    super(CudaOnSimulator.GPU, new Names("cuEventRecord", "cuStreamCreate"));
  }
}
