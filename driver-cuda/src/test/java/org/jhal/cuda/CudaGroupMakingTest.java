// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupMakingTest;

/** Native calls that fail while a group of NCCL is created. */
class CudaGroupMakingTest extends GpuGroupMakingTest {
  CudaGroupMakingTest() {
    super(CudaOnSimulator.GPU);
  }
}
