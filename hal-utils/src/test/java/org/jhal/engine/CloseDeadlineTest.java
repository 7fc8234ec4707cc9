// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A close has one deadline, however many parts have to be waited for (rule Q8). With a deadline for
 * each part, the closes here would take longer than the tests wait.
 */
@Timeout(120)
class CloseDeadlineTest {
  private static final int PARTS = 32;

  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicInteger held = new AtomicInteger();
  private final Quiet log = new Quiet();

  @AfterEach
  void end() {
    end.countDown();
    log.close();
  }

  private void hold() {
    held.incrementAndGet();
    Uninterruptibles.awaitUninterruptibly(end);
  }

  @Test
  void queuesWhoseOperationsOnlyHaveToRetireShareTheGrace() {
    InstantBackend backend = new InstantBackend();
    EngineDevice<Object> device = backend.open(PARTS, Duration.ZERO);
    backend.atCall =
        call -> {
          if (call.equals("free")) {
            hold();
          }
        };
    TimelineSemaphore never = device.createSemaphore();
    for (int i = 0; i < PARTS; i++) {
      DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
      device.queue(i).fill(never.at(1), Fence.NONE, buffer, 0, 16, FillPattern.ZERO);
      buffer.close(); // so it is freed when the operation retires
    }
    Threads.start("the close of a device with " + PARTS + " queues", device::close).join();
    Threads.await("all releases to hang", () -> held.get() == PARTS);
    assertTrue(log.count("did not end within") > 0, () -> "" + log.lines());
    end.countDown();
    Threads.await("the memory to be freed", () -> device.statistics().bytes() == 0);
    never.close();
  }
}
