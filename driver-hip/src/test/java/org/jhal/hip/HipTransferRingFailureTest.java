// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuTransferRingFailureTest;

/** Pageable transfers that fail with HIP. */
class HipTransferRingFailureTest extends GpuTransferRingFailureTest {
  HipTransferRingFailureTest() {
    super(HipOnSimulator.GPU, HipTransferTest.NAMES);
  }
}
