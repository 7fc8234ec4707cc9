// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.util.Map;
import java.util.Set;
import org.jhal.simulator.faults.GpuFreeTest;

/** The release of CUDA's objects. */
class CudaFreeTest extends GpuFreeTest {
  CudaFreeTest() {
    super(
        CudaOnSimulator.GPU,
        new Names(
            "cuCtxPushCurrent_v2",
            "cuDeviceTotalMem_v2",
            "cuMemFreeHost",
            Map.of( // a pool is no context's
                "cuCtxPushCurrent_v2", Set.of("pool"),
                "cuCtxPopCurrent_v2", Set.of(),
                "cuStreamQuery", Set.of(),
                "cuStreamDestroy_v2", Set.of(),
                "cuStreamSynchronize", Set.of(),
                "cuMemPoolDestroy", Set.of("pool")),
            "cuDevicePrimaryCtxRelease_v2"));
  }
}
