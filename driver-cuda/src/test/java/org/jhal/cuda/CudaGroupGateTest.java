// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupGateTest;

/** Collectives of NCCL beside other work. */
class CudaGroupGateTest extends GpuGroupGateTest {
  CudaGroupGateTest() {
    super(CudaOnSimulator.GPU);
  }
}
