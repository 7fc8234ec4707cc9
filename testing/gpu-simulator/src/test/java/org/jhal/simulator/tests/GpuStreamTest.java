// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.EVENT_SYNCHRONIZE;
import static org.jhal.simulator.fixture.NativeCall.STREAM_QUERY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Map;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.faults.FaultLog;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jhal.engine.EngineDevice;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.StreamCapture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams: how the end of their work is detected, and what happens if no event shows it. */
@Timeout(60)
class GpuStreamTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();
  private final StreamCapture driver = new StreamCapture(sim.driver());
  private final CtsBackend backend = sim.gpu().backend();
  private final FaultLog log = new FaultLog();

  @AfterEach
  void stopListening() {
    log.close();
  }

  private Map<String, Long> live() {
    return sim.live();
  }

  /** Rules Q7 and Q7a: the device is lost, but the native runtime does not agree. */
  @Test
  void memoryIsKeptWhileWorkWithoutAnEventRuns() throws Exception {
    Simulator simulator = sim.simulator();
    EngineDevice<?> device = driver.openEngine(name + "://0?queues=1");
    long stream = driver.streams().get(0);
    DeviceBuffer buffer = device.allocate(1 << 20, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    simulator.pause(0, stream);
    sim.fail(EVENT_RECORD, 1, GpuFault.PLAIN_CODE);
    device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 1 << 20, FillPattern.of8(7));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    Task<?> closing = Task.run("closing", device::close);
    sim.awaitCalls(STREAM_QUERY, 2);
    assertTrue(live().containsKey("memory"), () -> "freed under what runs: " + live());
    assertTrue(closing.isRunning(), "close() returned while work ran");
    simulator.resume(0, stream);
    closing.join();
    assertEquals(Map.of(), live());
  }

  /** A code that the runtime has a name for, and a newer one. */
  @ParameterizedTest
  @ValueSource(ints = {GpuFault.PLAIN_CODE, 12_345})
  void aFailureHasTheNumberAndTheNameOfItsCode(int code) throws Exception {
    Device device = driver.openEngine(name + "://0?queues=1");
    DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    sim.fail(EVENT_RECORD, 1, code);
    device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 64, FillPattern.of8(7));
    HalException failure = awaitFailure(done, 1, Status.UNAVAILABLE);
    NativeCode nativeCode = failure.nativeCode();
    assertNotNull(nativeCode, failure::toString);
    assertEquals(code, nativeCode.value(), failure::toString);
    assertEquals(code == GpuFault.PLAIN_CODE, nativeCode.name() != null, failure::toString);
    String text =
        code == GpuFault.PLAIN_CODE ? nativeCode.toString() : "12345, which has no known name";
    assertTrue(failure.getMessage().contains("returned " + text), failure::toString);
    device.close();
  }

  /** The same, past the close timeout. */
  @Test
  void memoryIsKeptPastTheCloseTimeout() throws Exception {
    Simulator simulator = sim.simulator();
    EngineDevice<?> device = driver.openEngine(name + "://0?queues=1&close-timeout=50ms");
    long stream = driver.streams().get(0);
    DeviceBuffer buffer = device.allocate(1 << 20, BufferParams.DEVICE);
    TimelineSemaphore done = device.createSemaphore(0);
    simulator.pause(0, stream);
    sim.fail(EVENT_RECORD, 1, GpuFault.PLAIN_CODE);
    device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 1 << 20, FillPattern.of8(7));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    device.close();
    assertTrue(live().containsKey("memory"), () -> "freed under what runs: " + live());
    simulator.resume(0, stream);
    Waits.awaitTrue("the device to be closed to its end", () -> live().isEmpty());
  }

  /** A stream polls earlier events, which its operations have already released. */
  @Test
  void stagesMuchWithOneOperationInFlight() {
    byte[] bytes = TestData.filled(256 << 10, 5);
    try (Device device = sim.open(name + "://0?queues=1&inflight=1");
        DeviceBuffer buffer = device.allocate(bytes.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= 64; i++) {
        device.queue(0).upload(Fence.NONE, done.at(i), ByteBuffer.wrap(bytes), buffer, 0);
      }
      awaitReached(done, 64);
      assertNull(device.lostCause());
    }
  }

  /** With the controls in front of it, a waiting thread sleeps in the driver, as without them. */
  @Test
  void aWaitForAStreamSleepsInTheDriver() {
    Device device = backend.open(name + "://0?queues=1");
    try (device;
        TimelineSemaphore done = device.createSemaphore(0)) {
      Controls controls = backend.controls(device).orElseThrow();
      controls.pause(device.queue(0));
      device.queue(0).barrier(Fence.NONE, done.at(1));
      Waits.awaitTrue("the completion thread to sleep", () -> sim.calls(EVENT_SYNCHRONIZE) > 0);
      controls.resume(device.queue(0));
      awaitReached(done, 1);
    }
    sim.simulator().reset(); // releases the stream
  }
}
