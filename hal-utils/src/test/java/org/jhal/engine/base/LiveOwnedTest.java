// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The buffers of a device, and the report of those that are never closed (rule M7). */
@Timeout(60)
class LiveOwnedTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @Test
  void storagesComeAndGoInAnyOrder() {
    LiveOwned live = new LiveOwned(true);
    Set<BufferStorage> expected = Collections.newSetFromMap(new IdentityHashMap<>());
    List<BufferStorage> storages = new ArrayList<>();
    try (EngineDevice<Event> device = new FakeBackend().open(1, LONG)) {
      for (int i = 0; i < 8; i++) {
        storages.add(BufferStorage.promised(Inside.core(device), BufferParams.DEVICE, i, null));
      }
      Random random = new Random(3);
      for (int i = 0; i < 10_000; i++) {
        BufferStorage storage = storages.get(random.nextInt(storages.size()));
        if (random.nextBoolean()) {
          live.remove(storage); // also one that was removed before
          expected.remove(storage);
        } else if (expected.add(storage)) {
          live.add(storage);
        }
        assertEquals(expected.size(), live.size());
        assertEquals(new HashSet<>(expected), new HashSet<>(live.all()));
      }
    }
  }

  private static void leak(EngineDevice<Event> device, long bytes) {
    device.allocate(bytes, BufferParams.DEVICE);
  }

  private static void leakAndClose(FakeBackend backend) {
    EngineDevice<Event> device = backend.open(1, LONG);
    leak(device, 4_711);
    device.close();
  }

  private static void awaitReport(Quiet log, long bytes) {
    String report = "a buffer of " + bytes + " bytes of fake-0 was never closed";
    Threads.await(
        "the buffer to be reported",
        () -> {
          System.gc();
          return log.count(report) == 1;
        });
  }

  @Test
  void aBufferIsReportedEvenIfItsDeviceIsForgottenToo() {
    try (Quiet log = new Quiet()) {
      FakeBackend backend = new FakeBackend();
      leakAndClose(backend);
      assertEquals(0, backend.liveMemory.get(), "closing frees it");
      awaitReport(log, 4_711);
    }
  }

  private static void allocateAndFree(
      EngineDevice<Event> device, TimelineSemaphore gate, TimelineSemaphore done, long bytes) {
    DeviceQueue queue = device.queue(0);
    DeviceBuffer buffer = queue.alloca(Fence.NONE, done.at(1), bytes, BufferParams.DEVICE);
    queue.dealloca(Fence.of(gate.at(1), done.at(1)), done.at(2), buffer);
  }

  @Test
  void aBufferWhoseDeallocaIsParkedIsNotReported() throws Exception {
    try (Quiet log = new Quiet();
        EngineDevice<Event> device = new FakeBackend().open(1, LONG);
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      allocateAndFree(device, gate, done, 4_712);
      for (long later = 4_713; later < 4_716; later++) { // if these are found, it would be as well
        leak(device, later);
        awaitReport(log, later);
      }
      Threads.await("the others to be reclaimed", () -> device.statistics().buffers() == 1);
      gate.signal(1);
      done.await(2, LONG);
      assertEquals(0, device.statistics().buffers());
      leak(device, 4_716);
      awaitReport(log, 4_716);
      assertEquals(0, log.count("a buffer of 4712 bytes"));
    }
  }
}
