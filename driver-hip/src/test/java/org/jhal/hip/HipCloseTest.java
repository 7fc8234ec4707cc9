// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuCloseTest;

/** Closing a HIP device beside others. */
class HipCloseTest extends GpuCloseTest {
  HipCloseTest() {
    super(HipOnSimulator.GPU);
  }
}
