// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuOneNodeCloseTest;

/** The end of graphs of one node with CUDA. */
class CudaOneNodeCloseTest extends GpuOneNodeCloseTest {
  CudaOneNodeCloseTest() {
    super(CudaOnSimulator.GPU, CudaGraphsTest.NAMES);
  }
}
