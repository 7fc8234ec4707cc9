package org.jhal.cuda;

import static org.jhal.cts.Waits.awaitFailure;
import static org.jhal.cts.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Map;
import org.jhal.Buffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Semaphore;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.cts.Task;
import org.jhal.cts.TestData;
import org.jhal.cts.Waits;
import org.jhal.cts.faults.FaultLog;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.driver.GpuFault;
import org.jhal.simulator.driver.SimulatedDevices;
import org.jhal.simulator.driver.StreamCapture;
import org.jhal.utils.EngineDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Streams: how their work is seen to be over, and what becomes of it when nothing tells that. */
@Timeout(60)
class CudaStreamTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices(CudaOnSimulator.GPU);
  private final StreamCapture<CudaStream> driver =
      new StreamCapture<>(new CudaDriver(), CudaStream::address);
  private final FaultLog log = new FaultLog();

  @AfterEach
  void stopListening() {
    log.close();
  }

  private Map<String, Long> live() {
    return sim.simulator().live();
  }

  /** Rules Q7 and Q7a: the device is lost, but the native runtime does not agree. */
  @Test
  void memoryIsKeptWhileWorkThatNoEventTellsOfRuns() throws Exception {
    Simulator simulator = sim.simulator();
    EngineDevice<?> device = driver.openEngine("cuda://0?queues=1");
    long stream = driver.streams().get(0);
    Buffer buffer = device.allocate(1 << 20, BufferParams.DEVICE);
    Semaphore done = device.createSemaphore(0);
    simulator.pause(0, stream);
    simulator.fail("cuEventRecord", 1, GpuFault.PLAIN_CODE);
    device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 1 << 20, FillPattern.of8(7));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    Task<?> closing = Task.run("closing", device::close);
    Waits.awaitTrue(
        "closing to look at the stream",
        () -> simulator.calls().getOrDefault("cuStreamQuery", 0L) > 1);
    assertTrue(live().containsKey("memory"), () -> "freed under what runs: " + live());
    assertTrue(closing.isRunning(), "close() returned while work ran");
    simulator.resume(0, stream);
    closing.join();
    assertEquals(Map.of(), live());
  }

  /** The same, past the close timeout. */
  @Test
  void memoryIsKeptPastTheCloseTimeoutToo() throws Exception {
    Simulator simulator = sim.simulator();
    EngineDevice<?> device = driver.openEngine("cuda://0?queues=1&close-timeout=50ms");
    long stream = driver.streams().get(0);
    Buffer buffer = device.allocate(1 << 20, BufferParams.DEVICE);
    Semaphore done = device.createSemaphore(0);
    simulator.pause(0, stream);
    simulator.fail("cuEventRecord", 1, GpuFault.PLAIN_CODE);
    device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 1 << 20, FillPattern.of8(7));
    awaitFailure(done, 1, Status.UNAVAILABLE);
    device.close();
    assertTrue(live().containsKey("memory"), () -> "freed under what runs: " + live());
    simulator.resume(0, stream);
    Waits.awaitTrue("the device to be closed to its end", () -> live().isEmpty());
  }

  /**
   * A stream looks at events that it recorded before, which its operations do not have any more.
   */
  @Test
  void fewInFlightAndMuchStaged() {
    byte[] bytes = TestData.filled(256 << 10, 5);
    try (Device device = sim.open("cuda://0?queues=1&inflight=1");
        Buffer buffer = device.allocate(bytes.length, BufferParams.DEVICE);
        Semaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= 64; i++) {
        device.queue(0).upload(Fence.NONE, done.at(i), ByteBuffer.wrap(bytes), buffer, 0);
      }
      awaitReached(done, 64);
      assertNull(device.lostCause());
    }
  }

  /** Also in front of which calls can fail: who waits sleeps in the driver, as without. */
  @Test
  void whoWaitsForAStreamSleepsInTheDriver() {
    Device device = new CudaCtsBackend().open("cuda://0?queues=1");
    try (device;
        Semaphore done = device.createSemaphore(0)) {
      Controls controls = new CudaCtsBackend().controls(device).orElseThrow();
      controls.pause(device.queue(0));
      device.queue(0).barrier(Fence.NONE, done.at(1));
      Waits.awaitTrue(
          "the completion thread to sleep",
          () -> sim.simulator().calls().containsKey("cuEventSynchronize"));
      controls.resume(device.queue(0));
      awaitReached(done, 1);
    }
    sim.simulator().reset(); // what it was held with
  }
}
