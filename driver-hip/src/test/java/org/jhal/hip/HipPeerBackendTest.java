package org.jhal.hip;

import org.jhal.hip.jna.hipStream_t;
import org.jhal.simulator.tests.GpuPeerBackendTest;

/** What GPUs of HIP share, at the driver's side. */
class HipPeerBackendTest extends GpuPeerBackendTest {
  HipPeerBackendTest() {
    super(
        HipOnSimulator.GPU,
        hipStream_t::get,
        new Names("hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess", "hipMemPoolSetAccess"));
  }
}
