package org.jhal.cuda;

import org.jhal.simulator.tests.GpuPeerBackendTest;

/** What GPUs of CUDA share, at the driver's side. */
class CudaPeerBackendTest extends GpuPeerBackendTest {
  CudaPeerBackendTest() {
    super(
        CudaOnSimulator.GPU,
        new Names("cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuMemPoolSetAccess"));
  }
}
