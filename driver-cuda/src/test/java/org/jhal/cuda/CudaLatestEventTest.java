// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuLatestEventTest;

/** Events that operations of CUDA share. */
class CudaLatestEventTest extends GpuLatestEventTest {
  CudaLatestEventTest() {
    super(CudaOnSimulator.GPU, "cuEventRecord");
  }
}
