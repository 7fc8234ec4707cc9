// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Fence;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The completion thread neither sleeps nor parks while something is being issued. */
@Timeout(120)
class IssuingPaceTest {
  private static final long SPIN = 10_000;

  /** What takes that long to issue has blocked. */
  private static final long BLOCKED = 1_000_000;

  private final AtomicBoolean isIssuing = new AtomicBoolean();

  private PollingPace pace(long spinNanos) {
    return new PollingPace(spinNanos, 0, new Wish(), () -> 1, isIssuing::get);
  }

  /** Whether a completion thread would sleep when nothing new was issued for the spin time. */
  private static boolean sleeps(PollingPace pace) {
    pace.begin(true);
    long start = System.nanoTime();
    while (System.nanoTime() - start <= SPIN) {
      Thread.onSpinWait();
    }
    return pace.isIdle();
  }

  @Test
  void pollsOnWhileSomethingIsIssued() {
    PollingPace pace = pace(SPIN);
    assertTrue(sleeps(pace));
    isIssuing.set(true);
    // Tried again if this thread was held up until the issue counted as blocked.
    Threads.await("a completion thread that goes on polling", () -> !sleeps(pace));
  }

  @Test
  void neitherSleepsNorParksWhileSomethingIsIssued() {
    PollingPace pace = pace(SPIN);
    assertTrue(pace.staysAwake(SPIN - 1));
    assertFalse(pace.staysAwake(SPIN));
    isIssuing.set(true);
    assertTrue(pace.staysAwake(SPIN));
    assertFalse(pace.staysAwake(BLOCKED));
  }

  @Test
  void keepsALongerSpinTime() {
    assertTrue(pace(2 * BLOCKED).staysAwake(BLOCKED));
  }

  @Test
  void alwaysSleepsWithoutASpinTime() {
    isIssuing.set(true);
    assertFalse(pace(0).staysAwake(0));
  }

  @Test
  void theCompletionThreadOfAQueueKnowsWhetherSomethingIsIssued() {
    QueueHarness harness = QueueHarness.thatSpins(SPIN);
    PollingPace pace = harness.queues.get(0).pace;
    EngineSemaphore done = QueueHarness.semaphore();
    List<Boolean> seen = new ArrayList<>();
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.atIssue = () -> seen.add(pace.staysAwake(SPIN));
    assertFalse(pace.staysAwake(SPIN));
    harness.enqueue(0, use);
    assertFalse(pace.staysAwake(SPIN));
    assertTrue(seen.get(0));
    harness.run();
    harness.finish();
  }
}
