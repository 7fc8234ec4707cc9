// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.util.Map;
import java.util.Set;
import org.jhal.simulator.faults.GpuFreeTest;

/** The release of HIP's objects. */
class HipFreeTest extends GpuFreeTest {
  HipFreeTest() {
    super(
        HipOnSimulator.GPU,
        new Names(
            "hipGetDevice",
            "hipDeviceTotalMem",
            "hipHostFree",
            Map.of(
                "hipGetDevice", Set.of("pool", "registration", "stream", "event"),
                "hipStreamQuery", Set.of(),
                "hipStreamDestroy", Set.of("stream"),
                "hipStreamSynchronize", Set.of(),
                "hipMemPoolDestroy", Set.of("pool")),
            ""));
  }
}
