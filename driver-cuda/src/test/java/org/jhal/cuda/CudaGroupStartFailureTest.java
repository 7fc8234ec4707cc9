// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupStartFailureTest;

/** Collectives of NCCL that wait for work of devices, and fail. */
class CudaGroupStartFailureTest extends GpuGroupStartFailureTest {
  CudaGroupStartFailureTest() {
    super(CudaOnSimulator.GPU, "cuStreamWaitEvent");
  }
}
