// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuTimesTest;

/** Times of operations on the device with HIP. */
class HipTimesTest extends GpuTimesTest {
  HipTimesTest() {
    super(HipOnSimulator.GPU, "hipEventElapsedTime", "hipEventRecord");
  }
}
