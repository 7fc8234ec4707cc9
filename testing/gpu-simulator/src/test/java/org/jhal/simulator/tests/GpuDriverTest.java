// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.ALLOCATE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Devices: their names, memory and loss. */
@Timeout(60)
class GpuDriverTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  private final String name = sim.driver().name();
  private final String allocate = sim.name(ALLOCATE);

  private Device open(String selector) {
    return sim.open(name + "://" + selector);
  }

  private List<DeviceInfo> devices() {
    return sim.driver().devices(DeviceUri.parse(name));
  }

  private void assertOpens(String selector, int index) {
    try (Device device = open(selector)) {
      assertEquals(index, device.info().index(), selector);
    }
  }

  /** Writes to a buffer. */
  private static void fill(Device device, DeviceBuffer buffer) {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.of8(7));
      awaitReached(done, 1);
    }
  }

  /** Checks that a device works, as far as a program can see. */
  private static void assertWorks(Device device) {
    try (DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      fill(device, buffer);
      byte[] bytes = new byte[16];
      device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.wrap(bytes));
      awaitReached(done, 1);
      assertEquals(7, bytes[15]);
    }
    assertNull(device.lostCause());
  }

  @Test
  void opensADeviceByIndexUuidOrAddress() {
    List<DeviceInfo> devices = devices();
    assertEquals(2, devices.size());
    for (DeviceInfo info : devices) {
      int index = info.index();
      assertOpens(String.valueOf(index), index);
      assertOpens(info.uuid(), index);
      assertOpens(info.uuid().toUpperCase(Locale.ROOT), index);
      assertOpens(info.uuid().substring("GPU-".length()), index);
      assertOpens("pci:" + info.pciAddress(), index);
    }
  }

  @Test
  void explainsAMissingDevice() {
    assertHal(Status.NOT_FOUND, () -> open("2"), "index 2", "there are 2");
    String uuid = devices().get(0).uuid();
    String half = uuid.substring(0, 12);
    assertHal(Status.INVALID_ARGUMENT, () -> open("GPU-xyz"), "GPU-xyz");
    HalException other = assertHal(Status.NOT_FOUND, () -> open(half + "ffffffff"), "uuid");
    assertTrue(other.getMessage().contains(uuid), other::getMessage);
    assertHal(Status.NOT_FOUND, () -> open("pci:0000:ff:1f.0"), "pci:");
  }

  @Test
  void refusesAnUnknownOptionAndListsTheOptions() {
    assertHal(Status.INVALID_ARGUMENT, () -> open("0?turbo=1"), "turbo", "completion-spin");
  }

  @Test
  void limitsMemoryToTheSetting() {
    try (Device device = open("0?memory=1048576")) {
      assertEquals(1 << 20, device.info().memoryBytes());
      assertHal(
          Status.RESOURCE_EXHAUSTED,
          () -> device.allocate(2 << 20, BufferParams.DEVICE),
          "2097152");
      assertWorks(device);
    }
  }

  @Test
  void aFailedAllocationDoesNotCount() {
    try (Device device = open("0?memory=1048576");
        TimelineSemaphore failed = device.createSemaphore(0)) {
      sim.fail(ALLOCATE, 1, GpuFault.PLAIN_CODE);
      assertHal(Status.UNKNOWN, () -> device.allocate(1 << 20, BufferParams.DEVICE), allocate);
      sim.fail(ALLOCATE, 1, GpuFault.PLAIN_CODE);
      device.queue(0).alloca(Fence.NONE, failed.at(1), 1 << 20, BufferParams.DEVICE).close();
      awaitFailure(failed, 1, Status.UNKNOWN);
      try (DeviceBuffer all = device.allocate(1 << 20, BufferParams.DEVICE)) {
        assertEquals(1 << 20, all.size());
      }
    }
  }

  @Test
  void aDeviceWithoutFreeMemoryContinues() {
    try (Device device = open("0");
        TimelineSemaphore done = device.createSemaphore(0)) {
      sim.simulator().memory(32 << 20);
      assertHal(
          Status.RESOURCE_EXHAUSTED,
          () -> device.allocate(64 << 20, BufferParams.DEVICE),
          allocate,
          "67108864");
      try (DeviceBuffer never =
          device.queue(0).alloca(Fence.NONE, done.at(1), 64 << 20, BufferParams.DEVICE)) {
        awaitFailure(done, 1, Status.RESOURCE_EXHAUSTED);
      }
      assertWorks(device);
    }
  }

  /** Rules Q7 and S3. */
  @Test
  void aTrapLosesOnlyItsDevice() {
    ExecutableSource source = CtsKernels.bundle();
    try (Device other = open("1")) {
      try (Device device = open("0");
          Device same = open("0");
          TimelineSemaphore done = device.createSemaphore(0);
          Executable kernels = device.loadExecutable(source)) {
        device
            .queue(0)
            .dispatch(Fence.NONE, done.at(1), kernels.kernel("trap"), Workgroups.of(1), Args.of(1));
        HalException failure = awaitFailure(done, 1, Status.UNAVAILABLE);
        assertTrue(
            failure.getMessage().contains("dispatch of cts-kernels:trap"), failure::getMessage);
        assertWorks(other);
        // Everything that shares the context is lost too.
        assertHal(Status.UNAVAILABLE, () -> same.allocate(16, BufferParams.DEVICE), "returned 7");
        assertHal(Status.UNAVAILABLE, () -> open("0"), "returned 7");
      }
      assertWorks(other);
    }
  }
}
