// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.collective.GpuCollectiveLifeTest;

/** Parts of collectives of the simulated NCCL that wait, are aborted, or fail. */
class CudaCollectiveLifeTest extends GpuCollectiveLifeTest {
  CudaCollectiveLifeTest() {
    super(CudaOnSimulator.GPU, SimulatedCuda.collectives(), new CudaCollectiveFace());
  }
}
