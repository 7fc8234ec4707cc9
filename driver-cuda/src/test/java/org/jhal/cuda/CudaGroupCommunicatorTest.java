package org.jhal.cuda;

import org.jhal.simulator.driver.GpuGroupCommunicatorTest;

/** Communicators of NCCL. */
class CudaGroupCommunicatorTest extends GpuGroupCommunicatorTest {
  CudaGroupCommunicatorTest() {
    super(CudaOnSimulator.GPU);
  }
}
