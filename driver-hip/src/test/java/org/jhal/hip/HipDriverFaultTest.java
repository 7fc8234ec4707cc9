// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.util.Set;
import org.jhal.simulator.faults.FaultNames;
import org.jhal.simulator.faults.GpuFaultTest;
import org.jhal.simulator.fixture.StreamCapture;
import org.junit.jupiter.api.Tag;

/** Functions of the HIP runtime that fail. */
@Tag("long")
class HipDriverFaultTest extends GpuFaultTest {
  HipDriverFaultTest() {
    super(
        HipOnSimulator.GPU,
        () -> new StreamCapture(HipOnSimulator.GPU.driver()),
        new FaultNames(
            "driver-hip",
            "HipDriverFaultTest",
            Set.of("hipGetDevice", "hipSetDevice"),
            Set.of(
                "hipGetDevice",
                "hipSetDevice",
                "hipEventQuery",
                "hipEventRecord",
                "hipEventSynchronize",
                "hipStreamWaitEvent"),
            Set.of(
                "hipGetDevice", // before anything is given back
                "hipSetDevice",
                "hipEventDestroy",
                "hipFreeAsync",
                "hipGraphDestroy",
                "hipGraphExecDestroy",
                "hipHostFree",
                "hipHostUnregister",
                "hipMemPoolDestroy",
                "hipModuleUnload",
                "hipStreamDestroy"),
            Set.of("hipGetDevice", "hipSetDevice", "hipEventQuery"),
            Set.of(
                "hipDeviceCanAccessPeer",
                "hipDeviceEnablePeerAccess",
                "hipGraphAddKernelNode",
                "hipGraphAddMemcpyNode1D",
                "hipGraphAddMemsetNode",
                "hipGraphCreate",
                "hipGraphInstantiateWithFlags",
                "hipGraphLaunch",
                "hipGraphUpload",
                "hipModuleLaunchKernel",
                "hipMallocFromPoolAsync",
                "hipMemPoolSetAccess",
                "hipFreeAsync",
                "hipHostMalloc",
                "hipHostRegister",
                "hipMemcpyAsync",
                "hipMemcpyDtoDAsync",
                "hipMemcpyDtoHAsync",
                "hipMemcpyHtoDAsync",
                "hipMemsetD8Async",
                "hipModuleLoadData",
                "hipStreamWaitEvent"),
            "",
            "hipMemPoolDestroy",
            Set.of("hipFreeAsync", "hipStreamSynchronize")));
  }
}
