// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.TestData;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Memory that a program has page-locked itself. */
@Timeout(60)
class CudaPageLockedTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  /** The readback goes directly into the memory, so the upload waits for an event. */
  @Test
  void anUploadHasBytesThatWereReadBackIntoItsPageLockedPart() {
    int half = 4096;
    ByteBuffer memory = ByteBuffer.allocateDirect(2 * half);
    long address = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
    Simulator simulator = sim.simulator();
    CUdevice ordinal = new CUdevice();
    CUcontext mine = new CUcontext();
    try (Device device = sim.open("cuda://0?queues=1");
        DeviceBuffer source = device.allocate(half, BufferParams.DEVICE);
        DeviceBuffer target = device.allocate(2 * half, BufferParams.DEVICE);
        TimelineSemaphore timeline = device.createSemaphore(0)) {
      assertEquals(0, JCudaDriver.cuDeviceGet(ordinal, 0));
      assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRetain(mine, ordinal));
      assertEquals(0, JCudaDriver.cuCtxSetCurrent(mine));
      assertEquals(0, JCudaApi.API.setup().hostRegister(address, half, 1));
      simulator.pause(0, 0);
      device.queue(0).fill(Fence.NONE, timeline.at(1), source, 0, half, FillPattern.of8(7));
      device.queue(0).readback(timeline.at(1), timeline.at(2), source, 0, memory.slice(0, half));
      device.queue(0).upload(timeline.at(2), timeline.at(3), memory, target, 0);
      assertStaysPending(timeline.at(3));
      simulator.resume(0, 0);
      awaitReached(timeline, 3);
      byte[] uploaded = new byte[2 * half];
      device
          .queue(0)
          .readback(timeline.at(3), timeline.at(4), target, 0, ByteBuffer.wrap(uploaded));
      awaitReached(timeline, 4);
      assertArrayEquals(TestData.with(new byte[2 * half], 0, TestData.filled(half, 7)), uploaded);
    } finally {
      assertEquals(0, JCudaApi.API.setup().hostUnregister(address));
      assertEquals(0, JCudaDriver.cuCtxSetCurrent(new CUcontext()));
      assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRelease(ordinal));
    }
  }
}
