// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.fixture.GraphNames;
import org.jhal.simulator.tests.GpuGraphTest;

/** Reusable command buffers as graphs with CUDA. */
class CudaGraphsTest extends GpuGraphTest {
  static final GraphNames NAMES =
      new GraphNames(
          "cuGraphCreate",
          "cuGraphDestroy",
          "cuGraphAddKernelNode_v2",
          "cuGraphAddMemsetNode",
          "cuGraphAddMemcpyNode",
          "cuGraphInstantiateWithFlags",
          "cuGraphExecDestroy",
          "cuGraphUpload",
          "cuGraphLaunch",
          "cuGraphExecKernelNodeSetParams_v2",
          "cuGraphExecMemcpyNodeSetParams",
          "cuLaunchKernel",
          "cuMemcpyDtoDAsync_v2",
          "cuMemAllocFromPoolAsync",
          true);

  CudaGraphsTest() {
    super(CudaOnSimulator.GPU, NAMES);
  }
}
