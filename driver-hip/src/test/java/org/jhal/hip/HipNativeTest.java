// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.Device;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** HIP's own number of a device, for external work. */
@Timeout(60)
class HipNativeTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  @Test
  void returnsTheDeviceNumberOfHip() {
    try (Device device = sim.open("hip://1")) {
      assertEquals(new HipNative(1), device.unwrap(HipNative.class));
    }
  }
}
