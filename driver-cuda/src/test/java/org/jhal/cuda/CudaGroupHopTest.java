package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupHopTest;

/** What involves two devices, beside collectives of NCCL. */
class CudaGroupHopTest extends GpuGroupHopTest {
  CudaGroupHopTest() {
    super(CudaOnSimulator.GPU, "cuStreamWaitEvent");
  }
}
