// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.AcquiredQueue;
import org.jhal.HalException;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.driver.support.NoThreads;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.transfer.StagingPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A queue that cannot be acquired leaves nothing (rules Q12 and M5): its stream is closed, once,
 * which gives its share back.
 */
@Timeout(60)
class AcquiredQueuesTest {
  private final InstantBackend backend = new InstantBackend(8);
  private final AtomicInteger made = new AtomicInteger(); // streams
  private final AtomicInteger closed = new AtomicInteger(); // likewise
  private final EngineDevice<Object> device;

  AcquiredQueuesTest() {
    backend.atCall =
        call -> {
          switch (call) {
            case "createStream" -> made.incrementAndGet();
            case "close of a stream" -> closed.incrementAndGet();
            default -> {}
          }
        };
    device = backend.open(1);
  }

  @AfterEach
  void close() {
    device.close();
    assertEquals(made.get(), closed.get(), "streams that were closed");
    assertTrue(backend.misuses.isEmpty(), () -> "" + backend.misuses);
  }

  /** One stream more was made and closed, and nothing else is left. */
  private void assertNothingLeft(int before) {
    assertEquals(before + 1, made.get(), "streams that were made");
    assertEquals(made.get() - 1, closed.get(), "streams that were closed");
    assertEquals(1, device.core().queues().size(), "queues");
    Threads.await("the threads of the queue to end", () -> !isAnyThreadLeft());
  }

  private static boolean isAnyThreadLeft() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            thread ->
                thread.getName().startsWith("instant-8-q")
                    && !thread.getName().startsWith("instant-8-q0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-issue", "-completion"})
  void withoutAThread(String missing) {
    int index;
    try (AcquiredQueue queue = device.acquireQueue(QueueRequest.DEFAULT)) {
      index = queue.index();
    }
    int before = made.get();
    try (NoThreads none = new NoThreads(name -> name.endsWith(missing))) {
      HalException refused =
          assertThrows(
              HalException.class, () -> device.acquireQueue(QueueRequest.DEFAULT.withName("x")));
      assertEquals(Status.RESOURCE_EXHAUSTED, refused.status(), refused::getMessage);
    }
    assertNothingLeft(before);
    try (AcquiredQueue queue = device.acquireQueue(QueueRequest.DEFAULT)) {
      assertEquals(index, queue.index());
    }
  }

  /** The last steps fail, behind the start of the queue's threads. */
  @Test
  void withoutMemoryAtTheEnd() {
    boolean[] isShort = {true};
    List<StagingPool> staging =
        new AbstractList<>() {
          @Override
          public StagingPool get(int index) {
            if (isShort[0]) {
              throw new OutOfMemoryError("thrown by the test");
            }
            return device.staging().get(index);
          }

          @Override
          public int size() {
            return device.staging().size();
          }

          @Override
          public void add(int index, StagingPool added) {
            device.staging().add(index, added);
          }
        };
    AcquiredQueues<Object> queues = new AcquiredQueues<>(device.core(), staging);
    int before = made.get();
    HalException refused =
        assertThrows(HalException.class, () -> queues.acquire(QueueRequest.DEFAULT));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status(), refused::getMessage);
    assertNothingLeft(before);
    isShort[0] = false;
    try (AcquiredQueue queue = queues.acquire(QueueRequest.DEFAULT)) {
      assertEquals(device.core().firstAcquired(), queue.index());
      assertFalse(queue.isClosed());
    }
  }
}
