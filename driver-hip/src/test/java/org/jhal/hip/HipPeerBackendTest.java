// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuPeerBackendTest;

/** The events and memory that GPUs of HIP share, on the driver's side. */
class HipPeerBackendTest extends GpuPeerBackendTest {
  HipPeerBackendTest() {
    super(
        HipOnSimulator.GPU,
        new Names("hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess", "hipMemPoolSetAccess"));
  }
}
