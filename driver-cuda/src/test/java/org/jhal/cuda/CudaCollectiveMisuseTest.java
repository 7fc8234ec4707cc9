// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.simulator.collective.GpuCollectiveMisuseTest;

/** Misuses of the simulated NCCL. */
class CudaCollectiveMisuseTest extends GpuCollectiveMisuseTest {
  CudaCollectiveMisuseTest() {
    super(CudaOnSimulator.GPU, SimulatedCuda.collectives(), new CudaCollectiveFace());
  }
}
