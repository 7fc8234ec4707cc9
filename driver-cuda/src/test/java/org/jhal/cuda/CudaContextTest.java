// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Status;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.simulator.fixture.QueueChain;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs with their own contexts. */
@Timeout(60)
class CudaContextTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  @Test
  void doesNotChangeTheContextOfAThread() {
    CUdevice ordinal = new CUdevice();
    CUcontext mine = new CUcontext();
    assertTrue(sim.driver().probe().isAvailable());
    JCudaApi.API.calls(null); // loads JCuda
    assertEquals(0, JCudaDriver.cuDeviceGet(ordinal, 1));
    assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRetain(mine, ordinal));
    assertEquals(0, JCudaDriver.cuCtxSetCurrent(mine));
    try {
      Device device = sim.open("cuda://0");
      assertCurrent(mine, "opening");
      Executable kernels = device.loadExecutable(CtsKernels.bundle());
      assertCurrent(mine, "loading");
      DeviceBuffer upload = device.allocate(16, BufferParams.HOST_UPLOAD);
      DeviceBuffer host = device.allocate(16, BufferParams.HOST);
      DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
      assertCurrent(mine, "allocating");
      try (QueueChain queue = new QueueChain(device, 0)) {
        queue.fill(buffer, 7);
        queue.await();
      }
      assertCurrent(mine, "submitting and waiting");
      assertHal(Status.RESOURCE_EXHAUSTED, () -> device.allocate(1L << 49, BufferParams.DEVICE));
      assertCurrent(mine, "a failure");
      upload.close();
      host.close();
      buffer.close();
      kernels.close();
      assertCurrent(mine, "freeing");
      device.close();
      assertCurrent(mine, "closing");
    } finally {
      assertEquals(0, JCudaDriver.cuCtxSetCurrent(new CUcontext()));
      assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRelease(ordinal));
    }
  }

  private static void assertCurrent(CUcontext expected, String after) {
    CUcontext current = new CUcontext();
    assertEquals(0, JCudaDriver.cuCtxGetCurrent(current));
    assertEquals(expected, current, "the current context after " + after);
  }
}
