// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupTest;

/** Groups of GPUs of CUDA, by NCCL. */
class CudaGroupTest extends GpuGroupTest {
  CudaGroupTest() {
    super(CudaOnSimulator.GPU, "NCCL");
  }
}
