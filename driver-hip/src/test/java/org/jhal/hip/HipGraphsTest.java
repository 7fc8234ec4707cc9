package org.jhal.hip;

import org.jhal.simulator.tests.GpuGraphTest;

/** Reusable command buffers as graphs with HIP. */
class HipGraphsTest extends GpuGraphTest {
  HipGraphsTest() {
    super(
        HipOnSimulator.GPU,
        new Names(
            "hipGraphCreate",
            "hipGraphDestroy",
            "hipGraphAddKernelNode",
            "hipGraphAddMemsetNode",
            "hipGraphAddMemcpyNode1D",
            "hipGraphInstantiateWithFlags",
            "hipGraphUpload",
            "hipGraphLaunch",
            "hipGraphExecKernelNodeSetParams",
            "hipMallocFromPoolAsync",
            false));
  }
}
