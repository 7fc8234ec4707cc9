// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuPeerTest;

/** GPUs of CUDA that use each other's memory. */
class CudaPeersTest extends GpuPeerTest {
  CudaPeersTest() {
    super(
        CudaOnSimulator.GPU,
        new Names(
            "cuCtxEnablePeerAccess",
            "cuMemPoolSetAccess",
            "cuStreamWaitEvent",
            "cuEventRecord",
            "cuStreamQuery",
            "cuMemcpyDtoDAsync_v2",
            "cuMemcpyAsync",
            "cuMemcpyHtoDAsync_v2",
            "cuMemcpyDtoHAsync_v2",
            "cuGraphAddMemcpyNode"));
  }
}
