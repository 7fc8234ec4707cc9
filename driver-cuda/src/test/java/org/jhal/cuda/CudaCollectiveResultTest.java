// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.collective.GpuCollectiveResultTest;

/** The results of the simulated NCCL. */
class CudaCollectiveResultTest extends GpuCollectiveResultTest {
  CudaCollectiveResultTest() {
    super(CudaOnSimulator.GPU, SimulatedCuda.collectives(), new CudaCollectiveFace());
  }
}
