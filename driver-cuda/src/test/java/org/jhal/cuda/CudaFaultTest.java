// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.util.Set;
import org.jhal.simulator.faults.FaultNames;
import org.jhal.simulator.faults.GpuFaultTest;
import org.jhal.simulator.fixture.StreamCapture;

/** Functions of the CUDA driver API that fail. */
class CudaFaultTest extends GpuFaultTest {
  CudaFaultTest() {
    super(
        CudaOnSimulator.GPU,
        () -> new StreamCapture(CudaOnSimulator.GPU.driver()),
        new FaultNames(
            "driver-cuda",
            "CudaFaultTest",
            Set.of("cuCtxPushCurrent", "cuDevicePrimaryCtxRetain"),
            Set.of(
                "cuCtxPushCurrent",
                "cuCtxPopCurrent",
                "cuCtxSetCurrent",
                "cuEventQuery",
                "cuEventRecord",
                "cuEventSynchronize",
                "cuStreamWaitEvent"),
            Set.of(
                "cuDevicePrimaryCtxRelease",
                "cuEventDestroy",
                "cuGraphDestroy",
                "cuGraphExecDestroy",
                "cuMemFreeAsync",
                "cuMemFreeHost",
                "cuMemHostUnregister",
                "cuMemPoolDestroy",
                "cuModuleUnload",
                "cuStreamDestroy"),
            Set.of("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuEventQuery"),
            Set.of(
                "cuCtxEnablePeerAccess",
                "cuDeviceCanAccessPeer",
                "cuGraphAddKernelNode_v2",
                "cuGraphAddMemcpyNode",
                "cuGraphAddMemsetNode",
                "cuGraphCreate",
                "cuGraphExecKernelNodeSetParams_v2",
                "cuGraphExecMemcpyNodeSetParams",
                "cuGraphExecMemsetNodeSetParams",
                "cuGraphInstantiateWithFlags",
                "cuGraphLaunch",
                "cuGraphUpload",
                "cuLaunchKernel",
                "cuMemAllocFromPoolAsync",
                "cuMemFreeAsync",
                "cuMemHostAlloc",
                "cuMemHostRegister_v2",
                "cuMemPoolSetAccess",
                "cuMemcpyAsync",
                "cuMemcpyDtoDAsync_v2",
                "cuMemcpyDtoHAsync_v2",
                "cuMemcpyHtoDAsync_v2",
                "cuMemsetD8Async",
                "cuModuleLoadDataEx",
                "cuPointerGetAttributes",
                "cuStreamWaitEvent"),
            "cuDevicePrimaryCtxRelease",
            "cuMemPoolDestroy",
            Set.of("cuMemFreeAsync", "cuStreamSynchronize")));
  }
}
