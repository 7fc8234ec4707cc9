// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuSmallReadbackTest;

/** Small readbacks with HIP. */
class HipSmallReadbackTest extends GpuSmallReadbackTest {
  HipSmallReadbackTest() {
    super(HipOnSimulator.GPU, HipTransferTest.NAMES);
  }
}
