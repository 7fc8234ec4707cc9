package org.jhal.cuda;

import org.jhal.simulator.tests.GpuGraphTest;

/** Reusable command buffers as graphs with CUDA. */
class CudaGraphsTest extends GpuGraphTest {
  CudaGraphsTest() {
    super(
        CudaOnSimulator.GPU,
        new Names(
            "cuGraphCreate",
            "cuGraphDestroy",
            "cuGraphAddKernelNode_v2",
            "cuGraphAddMemsetNode",
            "cuGraphAddMemcpyNode",
            "cuGraphInstantiateWithFlags",
            "cuGraphUpload",
            "cuGraphLaunch",
            "cuGraphExecKernelNodeSetParams_v2",
            "cuMemAllocFromPoolAsync",
            true));
  }
}
