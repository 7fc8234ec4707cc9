// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.Device;
import org.jhal.simulator.tests.GpuExternalTest;
import org.junit.jupiter.api.Test;

/** External work on HIP. */
class HipExternalTest extends GpuExternalTest {
  HipExternalTest() {
    super(
        HipOnSimulator.GPU, new Names("hipMemsetD8Async", "hipSetDevice", "hipStreamSynchronize"));
  }

  @Test
  void returnsTheDeviceNumberOfHip() {
    try (Device device = sim.open("hip://1")) {
      assertEquals(new HipNative(1), device.unwrap(HipNative.class));
    }
  }
}
