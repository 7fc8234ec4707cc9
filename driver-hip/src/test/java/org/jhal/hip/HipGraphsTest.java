// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.fixture.GraphNames;
import org.jhal.simulator.tests.GpuGraphTest;

/** Reusable command buffers as graphs with HIP. */
class HipGraphsTest extends GpuGraphTest {
  static final GraphNames NAMES =
      new GraphNames(
          "hipGraphCreate",
          "hipGraphDestroy",
          "hipGraphAddKernelNode",
          "hipGraphAddMemsetNode",
          "hipGraphAddMemcpyNode1D",
          "hipGraphInstantiateWithFlags",
          "hipGraphExecDestroy",
          "hipGraphUpload",
          "hipGraphLaunch",
          "hipGraphExecKernelNodeSetParams",
          "hipGraphExecMemcpyNodeSetParams1D",
          "hipModuleLaunchKernel",
          "hipMemcpyDtoDAsync",
          "hipMallocFromPoolAsync",
          false);

  HipGraphsTest() {
    super(HipOnSimulator.GPU, NAMES);
  }
}
