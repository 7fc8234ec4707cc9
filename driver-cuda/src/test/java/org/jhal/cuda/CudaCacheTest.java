// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuCacheTest;

/** The cache of compiled kernels with CUDA. */
class CudaCacheTest extends GpuCacheTest {
  CudaCacheTest() {
    super(CudaOnSimulator.GPU, Nvrtc.WANTED.property());
  }
}
