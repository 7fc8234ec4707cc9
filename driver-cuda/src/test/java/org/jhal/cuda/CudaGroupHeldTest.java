// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupHeldTest;

/** Collectives of NCCL whose streams are held while groups end. */
class CudaGroupHeldTest extends GpuGroupHeldTest {
  CudaGroupHeldTest() {
    super(CudaOnSimulator.GPU);
  }
}
