package org.jhal.cuda;

import org.jhal.simulator.tests.GpuCacheTest;

/** Compiled kernels that are kept. */
class CudaCacheTest extends GpuCacheTest {
  CudaCacheTest() {
    super(CudaOnSimulator.GPU, Nvrtc.WANTED.property());
  }
}
