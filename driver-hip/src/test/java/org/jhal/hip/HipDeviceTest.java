// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Status;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.hip.jna.HipApi;
import org.jhal.simulator.fixture.QueueChain;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs that have selected a device themselves. */
@Timeout(60)
class HipDeviceTest {
  private static final int MINE = 1;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  @Test
  void doesNotChangeTheDeviceOfAThread() {
    useDevice(MINE);
    try {
      Device device = sim.open("hip://0");
      assertCurrent("opening");
      Executable kernels = device.loadExecutable(CtsKernels.bundle());
      assertCurrent("loading");
      DeviceBuffer upload = device.allocate(16, BufferParams.HOST_UPLOAD);
      DeviceBuffer host = device.allocate(16, BufferParams.HOST);
      DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
      assertCurrent("allocating");
      try (QueueChain queue = new QueueChain(device, 0)) {
        queue.fill(buffer, 7);
        queue.await();
      }
      assertCurrent("submitting and waiting");
      assertHal(Status.RESOURCE_EXHAUSTED, () -> device.allocate(1L << 49, BufferParams.DEVICE));
      assertCurrent("a failure");
      upload.close();
      host.close();
      buffer.close();
      kernels.close();
      assertCurrent("freeing");
      device.close();
      assertCurrent("closing");
    } finally {
      assertEquals(ResultCodes.SUCCESS, HipApi.API.setDevice(0));
    }
  }

  /** As a program does. */
  private void useDevice(int ordinal) {
    assertTrue(sim.driver().probe().isAvailable());
    assertEquals(ResultCodes.SUCCESS, HipApi.API.calls(null).setDevice(ordinal));
  }

  private static void assertCurrent(String after) {
    int[] current = new int[1];
    assertEquals(ResultCodes.SUCCESS, HipApi.API.getDevice(current));
    assertEquals(MINE, current[0], "the current device after " + after);
  }

  /** The device of the thread belongs to the program: its failure does not lose JHAL's device. */
  @Test
  void aFailureToRestoreAnotherDeviceLosesNone() {
    useDevice(MINE);
    try (Device device = sim.open("hip://0?queues=1")) {
      long before = sim.calls("hipSetDevice");
      sim.simulator().fail("hipSetDevice", 2, 999); // the second of an allocation is back to mine
      device.allocate(16, BufferParams.DEVICE).close();
      assertTrue(sim.calls("hipSetDevice") >= before + 2);
      assertNull(device.lostCause());
    } finally {
      assertEquals(ResultCodes.SUCCESS, HipApi.API.setDevice(0));
    }
  }
}
