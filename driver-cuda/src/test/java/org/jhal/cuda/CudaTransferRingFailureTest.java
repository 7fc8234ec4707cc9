// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuTransferRingFailureTest;

/** Pageable transfers that fail with CUDA. */
class CudaTransferRingFailureTest extends GpuTransferRingFailureTest {
  CudaTransferRingFailureTest() {
    super(CudaOnSimulator.GPU, CudaTransferTest.NAMES);
  }
}
