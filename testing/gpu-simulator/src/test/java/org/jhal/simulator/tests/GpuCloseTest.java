// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.LogLines;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Closing a device beside others on the same GPU. */
@Timeout(60)
class GpuCloseTest {
  /** Destroying this many streams takes longer than the start of unregistering memory. */
  private static final int QUEUES = 32;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  private Device open(int queues) {
    return sim.open(sim.driver().name() + "://0?queues=" + queues);
  }

  /**
   * A runtime may hold a lock while it unregisters memory, until all streams are idle, and need the
   * lock to destroy a stream. So a device destroys all its streams before it releases its memory.
   */
  @Test
  void closesADeviceWhoseMemoryWaitsForAHeldStream() {
    sim.simulator().waitForQuiet();
    List<String> late = new CopyOnWriteArrayList<>();
    try (Device other = open(1);
        LogLines lines =
            new LogLines(
                "org.jhal",
                line -> {
                  if (line.getMessage().contains("as a call hangs")) {
                    late.add(line.getMessage());
                  }
                })) {
      Device device = open(QUEUES);
      stageOnEachQueue(device);
      try (HeldStream held = new HeldStream(sim.simulator(), other)) {
        Timepoint end = held.producer(); // the stream is busy
        device.close();
        held.release();
        Waits.awaitReached(held.timeline(), end.value());
      }
    }
    assertEquals(List.of(), late);
    Waits.awaitTrue("the rest to be freed, of " + sim.live(), () -> sim.live().isEmpty());
  }

  private static void stageOnEachQueue(Device device) {
    try (DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.allocate(64, BufferParams.HOST).close(); // so the thread that frees memory runs
      for (int i = 0; i < QUEUES; i++) {
        HostMemory source = HostMemory.of(new byte[64]);
        device.queue(i).upload(Fence.NONE, done.at(i + 1), source, buffer, 0);
        Waits.awaitReached(done, i + 1);
      }
    }
  }
}
