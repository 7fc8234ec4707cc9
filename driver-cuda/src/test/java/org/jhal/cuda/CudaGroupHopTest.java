package org.jhal.cuda;

import org.jhal.simulator.driver.GpuGroupHopTest;

/** What involves two devices, beside collectives of NCCL. */
class CudaGroupHopTest extends GpuGroupHopTest {
  CudaGroupHopTest() {
    super(CudaOnSimulator.GPU, "cuStreamWaitEvent");
  }
}
