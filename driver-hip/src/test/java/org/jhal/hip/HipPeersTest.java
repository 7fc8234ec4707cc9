// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuPeerTest;

/** GPUs of HIP that use each other's memory. */
class HipPeersTest extends GpuPeerTest {
  HipPeersTest() {
    super(
        HipOnSimulator.GPU,
        new Names(
            "hipDeviceEnablePeerAccess",
            "hipMemPoolSetAccess",
            "hipStreamWaitEvent",
            "hipEventRecord",
            "hipStreamQuery",
            "hipMemcpyDtoDAsync",
            "hipMemcpyAsync",
            "hipMemcpyHtoDAsync",
            "hipMemcpyDtoHAsync",
            "hipGraphAddMemcpyNode1D"));
  }
}
