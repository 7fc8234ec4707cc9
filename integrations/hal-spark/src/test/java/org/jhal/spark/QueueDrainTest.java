// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.TimelineSemaphore;
import org.jhal.mock.MockControls;
import org.junit.jupiter.api.Test;

/** Queues that are not idle when their tasks are over. */
class QueueDrainTest {
  private final List<String> reports = new CopyOnWriteArrayList<>();
  private final QueueDrain drain = new QueueDrain(Duration.ZERO, reports::add);
  private final AtomicInteger idle = new AtomicInteger();

  private static TaskDevice task(Device device, int queue) {
    return new TaskDevice(
        "task " + queue, device.queue(queue), () -> false, new Counts(), new MemoryLine());
  }

  @Test
  void reportsABusyQueueOnceWithItsWaits() {
    try (Device device = Hal.openDevice("mock://?queues=2");
        TimelineSemaphore elsewhere = device.createSemaphore()) {
      TaskDevice busy = task(device, 0);
      busy.queue().barrier(elsewhere.at(7), Fence.NONE);
      drain.whenIdle(busy, idle::incrementAndGet);
      Tasks.await("a queue to be reported", () -> !reports.isEmpty(), device);
      assertTrue(reports.get(0).contains("task 0, which has ended, still has 1 operations"));
      assertTrue(reports.get(0).contains("to reach 7"), reports::toString);
      TaskDevice other = task(device, 1);
      drain.whenIdle(other, idle::incrementAndGet);
      assertEquals(1, idle.get(), "a queue that is idle goes back at once");
      elsewhere.signal(7);
      Tasks.await("the queue to be idle", () -> idle.get() == 2, device);
      assertEquals(1, reports.size());
    }
  }

  @Test
  void doesNotWaitForQueuesOfALostDevice() {
    try (Device device = Hal.openDevice("mock")) {
      TaskDevice busy = task(device, 0);
      MockControls controls = MockControls.of(device);
      controls.pause(busy.queue());
      TimelineSemaphore timeline = busy.createTimeline();
      busy.queue().barrier(Fence.NONE, timeline.at(1));
      drain.whenIdle(busy, idle::incrementAndGet);
      assertEquals(0, idle.get());
      Tasks.lose(device);
      Tasks.await("the queue to go back", () -> idle.get() == 1, device);
    }
  }
}
