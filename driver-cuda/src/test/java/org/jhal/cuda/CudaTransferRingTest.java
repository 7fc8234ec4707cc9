// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuTransferRingTest;

/** The ring of pageable transfers with CUDA. */
class CudaTransferRingTest extends GpuTransferRingTest {
  CudaTransferRingTest() {
    super(CudaOnSimulator.GPU, CudaTransferTest.NAMES);
  }
}
