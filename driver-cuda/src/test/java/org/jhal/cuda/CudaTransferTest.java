// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuTransferTest;

/** Transfers of pageable memory with CUDA. */
class CudaTransferTest extends GpuTransferTest {
  static final Names NAMES =
      new Names(
          "cuCtxPushCurrent_v2",
          "cuMemcpyHtoDAsync_v2",
          "cuMemcpyDtoHAsync_v2",
          "cuMemHostRegister_v2",
          "cuStreamSynchronize",
          "cuEventRecord");

  CudaTransferTest() {
    super(CudaOnSimulator.GPU, NAMES);
  }
}
