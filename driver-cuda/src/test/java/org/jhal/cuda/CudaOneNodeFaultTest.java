// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuOneNodeFaultTest;

/** Failing calls around graphs of one node with CUDA. */
class CudaOneNodeFaultTest extends GpuOneNodeFaultTest {
  CudaOneNodeFaultTest() {
    super(CudaOnSimulator.GPU, CudaGraphsTest.NAMES);
  }
}
