package org.jhal.hip;

import org.jhal.simulator.tests.GpuPeerBackendTest;

/** What GPUs of HIP share, at the driver's side. */
class HipPeerBackendTest extends GpuPeerBackendTest {
  HipPeerBackendTest() {
    super(
        HipOnSimulator.GPU,
        new Names("hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess", "hipMemPoolSetAccess"));
  }
}
