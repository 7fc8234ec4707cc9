// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Fence;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** While a host thread polls an event, the completion thread does not sleep on it. */
class PollingPaceTest {
  private static final long SECOND = 1_000_000_000L;

  private final QueueHarness harness = new QueueHarness(1);
  private final DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(0);
  private final EngineSemaphore done = QueueHarness.semaphore();
  private final AtomicBoolean givesUp = new AtomicBoolean();
  private final AtomicBoolean hasSeen = new AtomicBoolean();
  private final QueueUse use = harness.enqueue(0, "work", Fence.NONE, done.at(1));
  private final Threads poller = Threads.start("poller", this::poll);
  private final Threads completion;

  PollingPaceTest() {
    Threads.await("the poller to query the event", () -> harness.device.calls("queryEvent") > 0);
    completion = Threads.start("completion", queue.completer::step);
    completion.awaitBlocked(); // it must be napping, since no call of the fake stream blocks
  }

  private void poll() {
    hasSeen.set(
        Objects.requireNonNull(use.operation)
            .settleWhenFired(System.nanoTime() + 60 * SECOND, givesUp::get));
  }

  @AfterEach
  void nothingIsLeft() {
    harness.finish();
  }

  @Test
  void napsWhileAHostThreadPolls() {
    harness.streams.get(0).advanceAll();
    poller.join();
    completion.join();
    assertTrue(hasSeen.get());
    assertEquals(0, harness.device.calls("synchronizeEvent"));
    assertEquals(1, use.retired.get());
  }

  @Test
  void sleepsWhenNoHostThreadPollsAnyMore() {
    givesUp.set(true);
    poller.join();
    completion.join();
    assertFalse(hasSeen.get());
    assertEquals(1, harness.device.calls("synchronizeEvent"));
    assertEquals(1, use.retired.get());
  }
}
