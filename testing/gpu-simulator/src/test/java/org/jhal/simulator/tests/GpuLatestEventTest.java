// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.Timepoint;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.QueueChain;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events that operations share. */
@Timeout(60)
class GpuLatestEventTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();

  private Device open(String options) {
    return sim.open(name + "://0?" + options);
  }

  @Test
  void aBarrierBehindNothingElseRecordsNoEvent() {
    try (Device device = open("queues=1");
        QueueChain chain = new QueueChain(device, 0)) {
      chain.queue.barrier(Fence.NONE, chain.next());
      chain.await();
      long recorded = sim.calls(EVENT_RECORD);
      for (int i = 0; i < 2000; i++) {
        Timepoint before = chain.now();
        chain.queue.barrier(before, chain.next());
      }
      chain.await();
      assertEquals(recorded, sim.calls(EVENT_RECORD));
    }
  }

  /** The twin: work in between has an event, which the barriers behind it share. */
  @Test
  void barriersBehindWorkWaitForIt() {
    try (Device device = open("queues=2");
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      try (HeldStream held = new HeldStream(sim.simulator(), device);
          QueueChain chain = new QueueChain(device, 0);
          QueueChain other = new QueueChain(device, 1)) {
        long recorded = sim.calls(EVENT_RECORD);
        chain.fill(buffer, 1);
        for (int i = 0; i < 100; i++) {
          chain.queue.barrier(Fence.NONE, chain.next());
        }
        other.queue.barrier(chain.now(), other.next());
        assertStaysPending(other.now());
        assertStaysPending(chain.timeline.at(2));
        held.release();
        chain.await();
        other.await();
        assertEquals(recorded + 2, sim.calls(EVENT_RECORD), "of the fill, and in the other queue");
      }
    }
  }

  /** A wait is something behind the latest event, though its operation has no work. */
  @Test
  void aBarrierThatWaitsForAnotherQueueHasAnEvent() {
    try (Device device = open("queues=2")) {
      try (HeldStream held = new HeldStream(sim.simulator(), device);
          QueueChain chain = new QueueChain(device, 1)) {
        chain.queue.barrier(Fence.NONE, chain.next());
        chain.await();
        Timepoint behind = chain.next();
        chain.queue.barrier(held.producer(), behind);
        chain.queue.barrier(behind, chain.next());
        assertStaysPending(chain.timeline.at(2));
        assertStaysPending(chain.now());
        held.release();
        chain.await();
      }
    }
  }

  /** Events that shared a recording are recorded again, and each stands for its own work. */
  @Test
  void sharedEventsAreReused() {
    byte[] bytes = new byte[64];
    try (Device device = open("queues=2&inflight=4");
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        QueueChain chain = new QueueChain(device, 0);
        QueueChain other = new QueueChain(device, 1)) {
      for (int i = 0; i < 500; i++) {
        chain.fill(buffer, i & 0xFF);
        for (int k = 0; k < i % 5; k++) {
          chain.queue.barrier(Fence.NONE, chain.next());
        }
        chain.queue.barrier(other.now(), chain.next());
        other.queue.readback(chain.now(), other.next(), buffer, 0, ByteBuffer.wrap(bytes));
        other.await();
        assertEquals((byte) i, bytes[63], "round " + i);
      }
    }
  }
}
