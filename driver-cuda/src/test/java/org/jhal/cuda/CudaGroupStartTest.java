// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupStartTest;

/** Collectives of NCCL that wait for work of devices. */
class CudaGroupStartTest extends GpuGroupStartTest {
  CudaGroupStartTest() {
    super(CudaOnSimulator.GPU, "cuStreamWaitEvent");
  }
}
