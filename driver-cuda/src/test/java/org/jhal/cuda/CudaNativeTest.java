// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.TestData;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** CUDA's own handles, for external work. */
@Timeout(60)
class CudaNativeTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  /** The handles are CUDA's own: JCuda takes them. */
  @Test
  void lendsTheHandlesOfCuda() throws Exception {
    try (Device device = sim.open("cuda://1?queues=1");
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore timeline = device.createSemaphore(0)) {
      CudaNative natives = device.unwrap(CudaNative.class);
      assertEquals(1, natives.ordinal());
      JCudaApi.API.calls(null); // loads JCuda
      CUdevice ordinal = new CUdevice();
      CUcontext primary = new CUcontext();
      assertEquals(0, JCudaDriver.cuDeviceGet(ordinal, 1));
      assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRetain(primary, ordinal));
      assertEquals(JCudaApi.get(primary), natives.context());
      assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRelease(ordinal));
      device
          .queue(0)
          .external(
              Fence.NONE,
              timeline.at(1),
              List.of(buffer),
              context ->
                  assertEquals(
                      0,
                      JCudaDriver.cuMemsetD32Async(
                          JCudaApi.set(new CUdeviceptr(), context.address(buffer)),
                          0x01020304,
                          16,
                          JCudaApi.set(new CUstream(), context.stream()))));
      byte[] read = new byte[64];
      device.queue(0).readback(timeline.at(1), timeline.at(2), buffer, 0, ByteBuffer.wrap(read));
      awaitReached(timeline, 2);
      assertArrayEquals(TestData.ints(16, i -> 0x01020304), read);
    }
  }
}
