// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.simulator.fixture.StreamCapture;
import org.jhal.simulator.tests.GpuStreamTest;

/** Streams of HIP. */
class HipStreamTest extends GpuStreamTest {
  HipStreamTest() {
    super(
        HipOnSimulator.GPU,
        new StreamCapture(HipOnSimulator.GPU.driver()),
        new HipCtsBackend(),
        new Names("hipEventRecord", "hipStreamQuery", "hipEventSynchronize"));
  }
}
