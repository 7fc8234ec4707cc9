// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupGraphTest;

/** Collectives of NCCL as graphs of CUDA. */
class CudaGroupGraphTest extends GpuGroupGraphTest {
  CudaGroupGraphTest() {
    super(
        CudaOnSimulator.GPU, CudaGraphsTest.NAMES, "cuStreamBeginCapture_v2", "cuStreamEndCapture");
  }
}
