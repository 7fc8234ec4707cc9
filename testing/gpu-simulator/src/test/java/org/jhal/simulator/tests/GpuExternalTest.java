// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.FILL_BYTES;
import static org.jhal.simulator.fixture.NativeCall.REBIND;
import static org.jhal.simulator.fixture.NativeCall.STREAM_SYNCHRONIZE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.faults.FaultLog;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.spi.NativeCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** External work, and native calls in it that fail. */
@Timeout(60)
class GpuExternalTest {
  private static final int BYTES = 4096;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();
  private final FaultLog log = new FaultLog();

  @AfterEach
  void stopListening() {
    log.close();
  }

  @Test
  void makesNoNativeCallOnAClosedDevice() {
    Device device = sim.open(name + "://0?queues=2");
    NativeCalls calls = device.unwrap(NativeCalls.class);
    assertHal(Status.INVALID_ARGUMENT, () -> calls.synchronize(77), "stream 77");
    assertHal(Status.INVALID_ARGUMENT, () -> calls.destroyEvent(78), "event 78");
    device.close();
    assertHal(Status.FAILED_PRECONDITION, () -> calls.allocate(64), "closed");
    assertHal(Status.FAILED_PRECONDITION, calls::isCurrent, "closed");
  }

  @Test
  void externalWorkDoesNotSynchronize() throws Exception {
    try (Device device = sim.open(name + "://0?queues=2");
        DeviceBuffer buffer = device.allocate(BYTES, BufferParams.DEVICE);
        TimelineSemaphore timeline = device.createSemaphore(0)) {
      NativeCalls calls = device.unwrap(NativeCalls.class);
      long before = sim.calls(STREAM_SYNCHRONIZE); // of opening
      for (int i = 0; i < 20; i++) {
        int value = i;
        device
            .queue(i % 2)
            .external(
                timeline.at(i),
                timeline.at(i + 1),
                List.of(buffer),
                context ->
                    calls.fill(context.stream(), context.address(buffer), (byte) value, BYTES));
      }
      awaitReached(timeline, 20);
      assertEquals(20, sim.calls(FILL_BYTES));
      assertEquals(before, sim.calls(STREAM_SYNCHRONIZE));
      device
          .queue(0)
          .external(Fence.NONE, timeline.at(21), List.of(), c -> calls.synchronize(c.stream()));
      awaitReached(timeline, 21);
      assertEquals(before + 1, sim.calls(STREAM_SYNCHRONIZE));
    }
  }

  /** The runtime refuses a call, and the work reports that: one operation fails. */
  @Test
  void aFailedCallFailsOneOperation() throws Exception {
    try (Device device = sim.open(name + "://0");
        DeviceBuffer buffer = device.allocate(BYTES, BufferParams.DEVICE);
        TimelineSemaphore failed = device.createSemaphore(0);
        TimelineSemaphore next = device.createSemaphore(0)) {
      NativeCalls calls = device.unwrap(NativeCalls.class);
      sim.fail(FILL_BYTES, 1, GpuFault.PLAIN_CODE);
      device
          .queue(0)
          .external(
              Fence.NONE,
              failed.at(1),
              List.of(buffer),
              context -> calls.fill(context.stream(), context.address(buffer), (byte) 1, BYTES));
      HalException failure = awaitFailure(failed, 1);
      assertHal(Status.UNKNOWN, failure, sim.shortName(FILL_BYTES));
      assertNull(device.lostCause());
      device.queue(0).fill(Fence.NONE, next.at(1), buffer, 0, BYTES, FillPattern.of16(1));
      awaitReached(next, 1);
    }
  }

  /** The program hides a failure that has lost the device, but the runtime reports it. */
  @Test
  void detectsALossThatTheWorkHides() throws Exception {
    try (Device device = sim.open(name + "://0");
        DeviceBuffer buffer = device.allocate(BYTES, BufferParams.DEVICE);
        TimelineSemaphore failed = device.createSemaphore(0)) {
      NativeCalls calls = device.unwrap(NativeCalls.class);
      sim.failForGood(FILL_BYTES, GpuFault.STICKY_CODE);
      device
          .queue(0)
          .external(
              Fence.NONE,
              failed.at(1),
              List.of(buffer),
              context -> {
                try {
                  calls.fill(context.stream(), context.address(buffer), (byte) 1, BYTES);
                } catch (HalException e) {
                  throw new IllegalStateException("the library has a bad day", e);
                }
              });
      assertHal(Status.UNAVAILABLE, awaitFailure(failed, 1));
      assertNotNull(device.lostCause());
    }
  }

  @Test
  void losesADeviceThatCannotBeMadeCurrentAgain() throws Exception {
    try (Device device = sim.open(name + "://0");
        TimelineSemaphore failed = device.createSemaphore(0)) {
      device
          .queue(0)
          .external(
              Fence.NONE,
              failed.at(1),
              List.of(),
              context -> sim.fail(REBIND, 1, GpuFault.PLAIN_CODE));
      HalException failure = awaitFailure(failed, 1);
      assertHal(Status.UNAVAILABLE, failure, "current again after external work");
      assertTrue(Objects.requireNonNull(device.lostCause()).getMessage().contains("issue"));
    }
  }
}
