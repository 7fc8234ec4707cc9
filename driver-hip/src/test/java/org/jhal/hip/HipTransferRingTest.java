// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuTransferRingTest;

/** The ring of pageable transfers with HIP. */
class HipTransferRingTest extends GpuTransferRingTest {
  HipTransferRingTest() {
    super(HipOnSimulator.GPU, HipTransferTest.NAMES);
  }
}
