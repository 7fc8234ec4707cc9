package org.jhal.cuda;

import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.collective.GpuCollectiveResultTest;

/** What the simulated NCCL computes. */
class CudaCollectiveResultTest extends GpuCollectiveResultTest {
  CudaCollectiveResultTest() {
    super(CudaOnSimulator.GPU, SimulatedCuda.collectives(), new CudaCollectiveFace());
  }
}
