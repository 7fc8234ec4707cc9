package org.jhal.hip;

import org.jhal.simulator.driver.GpuStreamTest;
import org.jhal.simulator.driver.StreamCapture;

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
