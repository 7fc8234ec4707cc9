// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuSmallReadbackTest;

/** Small readbacks with CUDA. */
class CudaSmallReadbackTest extends GpuSmallReadbackTest {
  CudaSmallReadbackTest() {
    super(CudaOnSimulator.GPU, CudaTransferTest.NAMES);
  }
}
