// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rule E2: an error among those whom a signal notifies. */
class CascadeErrorTest {
  private static final Error FIRST = new InternalError("first, on purpose");
  private static final Error SECOND = new StackOverflowError("second, on purpose");

  private final EngineSemaphore semaphore = new EngineSemaphore(0, () -> {});
  private final List<String> notified = new ArrayList<>();

  private static final class Queue extends ReadyQueue {
    private final @Nullable Error error;
    private int drained;

    Queue(@Nullable Error error) {
      this.error = error;
    }

    @Override
    public void drainAfterSignal() {
      drained++;
      if (error != null) {
        throw error;
      }
    }
  }

  /** Notes that it is notified, and then throws, or adds its queue. */
  private final class Waiter extends WaitNode {
    private final String name;
    private final @Nullable ReadyQueue ready;
    private final @Nullable Error error;

    Waiter(String name, @Nullable ReadyQueue queue, @Nullable Error error) {
      super(queue);
      this.name = name;
      this.ready = queue;
      this.error = error;
    }

    @Override
    public void released(Cascade cascade) {
      notified.add(name);
      if (error != null) {
        throw error;
      }
      if (ready != null) {
        cascade.addReady(ready);
      }
    }
  }

  private void register(WaitNode... waiters) {
    for (WaitNode waiter : waiters) {
      semaphore.register(waiter, 1, null);
    }
  }

  @Test
  void anErrorInAStepBreaksItsQueueAndTheOthersGoOn() {
    Queue broken = new Queue(null);
    Queue alsoBroken = new Queue(null);
    Queue sound = new Queue(null);
    register(
        new Waiter("broken", broken, FIRST),
        new Waiter("sound", sound, null),
        new Waiter("also broken", alsoBroken, SECOND),
        new Waiter("of none", null, null));
    semaphore.signal(1);
    assertEquals(List.of("broken", "sound", "also broken", "of none"), notified);
    assertSame(FIRST, broken.brokenBy);
    assertSame(SECOND, alsoBroken.brokenBy);
    assertNull(sound.brokenBy);
    assertEquals(1, sound.drained);
    assertEquals(0, broken.drained);
  }

  @Test
  void anErrorWhileAQueueIssuesBreaksThatQueue() {
    Queue broken = new Queue(FIRST);
    Queue sound = new Queue(null);
    register(new Waiter("sound", sound, null), new Waiter("broken", broken, null));
    semaphore.signal(1);
    assertSame(FIRST, broken.brokenBy);
    assertNull(sound.brokenBy);
    assertEquals(1, sound.drained);
  }

  @Test
  void anErrorOfNoQueueIsThrownOnceAllAreNotified() {
    Queue sound = new Queue(null);
    register(new Waiter("of none", null, FIRST), new Waiter("sound", sound, null));
    assertSame(FIRST, assertThrows(InternalError.class, () -> semaphore.signal(1)));
    assertEquals(List.of("of none", "sound"), notified);
    assertEquals(1, sound.drained);
    assertEquals(1, semaphore.value());
  }

  /** As after a device's close, whose thread for callbacks has ended. */
  @Test
  void aCallbackThatNoThreadOfTheDeviceTakesRunsOnANewOne() {
    List<Thread> threads = new ArrayList<>();
    semaphore.onReach(
        1,
        failure -> {
          synchronized (threads) {
            threads.add(Thread.currentThread());
          }
        });
    Cascade cascade = Cascade.current();
    var before =
        cascade.leaveCallbacksTo(
            task -> {
              throw new RejectedExecutionException("closed");
            });
    try {
      semaphore.signal(1);
    } finally {
      cascade.leaveCallbacksTo(before);
    }
    Threads.await(
        "the callback",
        () -> {
          synchronized (threads) {
            return !threads.isEmpty();
          }
        });
    assertNotSame(Thread.currentThread(), threads.get(0));
  }
}
