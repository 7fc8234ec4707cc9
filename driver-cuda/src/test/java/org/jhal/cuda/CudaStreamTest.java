package org.jhal.cuda;

import org.jhal.simulator.driver.GpuStreamTest;
import org.jhal.simulator.driver.StreamCapture;

/** Streams of CUDA. */
class CudaStreamTest extends GpuStreamTest {
  CudaStreamTest() {
    super(
        CudaOnSimulator.GPU,
        new StreamCapture<>(CudaOnSimulator.GPU.driver(), CudaStream::address),
        new CudaCtsBackend(),
        new Names("cuEventRecord", "cuStreamQuery", "cuEventSynchronize"));
  }
}
