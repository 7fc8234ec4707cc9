// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.group.GpuGroupExitTest;

/** Processes that end while NCCL aborts collectives. */
class CudaGroupExitTest extends GpuGroupExitTest {
  CudaGroupExitTest() {
    super(CudaOnSimulator.GPU);
  }
}
