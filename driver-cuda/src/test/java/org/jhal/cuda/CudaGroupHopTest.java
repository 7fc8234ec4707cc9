// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupHopTest;

/** Calls that involve two devices, beside collectives of NCCL. */
class CudaGroupHopTest extends GpuGroupHopTest {
  CudaGroupHopTest() {
    super(CudaOnSimulator.GPU, "cuStreamWaitEvent");
  }
}
