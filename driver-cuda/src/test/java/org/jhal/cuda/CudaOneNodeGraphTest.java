// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuOneNodeGraphTest;

/** Single commands as graphs of one node with CUDA. */
class CudaOneNodeGraphTest extends GpuOneNodeGraphTest {
  CudaOneNodeGraphTest() {
    super(CudaOnSimulator.GPU, CudaGraphsTest.NAMES);
  }
}
