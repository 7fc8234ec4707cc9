// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuStreamMemoryTest;

/** The memory that streams of CUDA keep. */
class CudaStreamMemoryTest extends GpuStreamMemoryTest {
  CudaStreamMemoryTest() {
    super(
        CudaOnSimulator.GPU,
        new Names(
            "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuEventRecord", "cuStreamWaitEvent"));
  }
}
