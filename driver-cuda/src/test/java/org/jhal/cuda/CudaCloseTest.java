// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuCloseTest;

/** Closing a CUDA device beside others. */
class CudaCloseTest extends GpuCloseTest {
  CudaCloseTest() {
    super(CudaOnSimulator.GPU);
  }
}
