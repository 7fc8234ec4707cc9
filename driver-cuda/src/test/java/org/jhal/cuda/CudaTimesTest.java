// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuTimesTest;

/** Times of operations on the device with CUDA. */
class CudaTimesTest extends GpuTimesTest {
  CudaTimesTest() {
    super(CudaOnSimulator.GPU, "cuEventElapsedTime", "cuEventRecord");
  }
}
