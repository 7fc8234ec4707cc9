// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pools, which reuse freed memory only for allocations of nearly the same size. */
@Timeout(60)
class HipPoolTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  @Test
  void trimsAPoolBeforeItReportsALackOfMemory() {
    int outOfMemory = 2;
    try (Device device = sim.open("hip://0")) {
      sim.simulator().fail("hipMallocFromPoolAsync", 1, outOfMemory);
      device.allocate(16, BufferParams.DEVICE).close();
      assertEquals(1, sim.calls("hipMemPoolTrimTo"));
    }
  }
}
