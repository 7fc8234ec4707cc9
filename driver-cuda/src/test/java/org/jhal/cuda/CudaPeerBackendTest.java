// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuPeerBackendTest;

/** The events and memory that GPUs of CUDA share, on the driver's side. */
class CudaPeerBackendTest extends GpuPeerBackendTest {
  CudaPeerBackendTest() {
    super(
        CudaOnSimulator.GPU,
        new Names("cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuMemPoolSetAccess"));
  }
}
