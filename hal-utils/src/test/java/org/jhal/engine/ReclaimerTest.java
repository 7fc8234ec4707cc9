// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jhal.BufferParams;
import org.jhal.engine.concurrent.CoarseClock;
import org.jhal.engine.queue.BrokenLog;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that reclaims leaked objects. */
@Timeout(60)
class ReclaimerTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private static void forget(EngineDevice<Event> device) {
    device.allocate(4_720, BufferParams.DEVICE);
  }

  @Test
  void aThrowingLogDoesNotStopTheReclaimer() {
    FakeBackend backend = new FakeBackend();
    try (BrokenLog log = new BrokenLog();
        EngineDevice<Event> device = backend.open(1, LONG)) {
      for (int i = 0; i < 2; i++) {
        forget(device);
        Threads.await(
            "the memory to be freed",
            () -> {
              System.gc();
              return device.statistics().buffers() == 0;
            });
      }
    }
  }

  /** A driver or a callback of the program may block it for any time. */
  @Test
  void theClockAdvancesWhileTheReclaimerIsBlocked() {
    CountDownLatch isHeldUp = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    FakeBackend backend = new FakeBackend();
    backend.atFree =
        () -> {
          isHeldUp.countDown();
          Threads.await("the test to release it", () -> goOn.getCount() == 0);
        };
    try (Quiet log = new Quiet();
        EngineDevice<Event> device = backend.open(1, LONG)) {
      forget(device);
      Threads.await(
          "the memory to be freed",
          () -> {
            System.gc();
            return isHeldUp.getCount() == 0;
          });
      for (int i = 0; i < 2; i++) {
        long now = CoarseClock.nanoTime();
        Threads.await("the clock to advance", () -> CoarseClock.nanoTime() != now);
      }
      goOn.countDown();
      Threads.await("the report", () -> log.count("a buffer of 4720 bytes") == 1);
    } finally {
      goOn.countDown();
    }
  }
}
