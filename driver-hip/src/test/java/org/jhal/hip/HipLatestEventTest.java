// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.tests.GpuLatestEventTest;

/** Events that operations of HIP share. */
class HipLatestEventTest extends GpuLatestEventTest {
  HipLatestEventTest() {
    super(HipOnSimulator.GPU, "hipEventRecord");
  }
}
