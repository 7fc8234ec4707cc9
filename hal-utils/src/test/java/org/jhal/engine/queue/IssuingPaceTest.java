// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Fence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The completion thread does not go to sleep while something is being issued. */
@Timeout(120)
class IssuingPaceTest {
  private static final long SPIN = 10_000;

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
  void pollsBehindTheSpinTimeWhileSomethingIsIssued() {
    PollingPace pace = pace(SPIN);
    assertTrue(sleeps(pace));
    isIssuing.set(true);
    // Again if this thread was held up: what takes a millisecond to issue has blocked.
    Threads.await("a completion thread that goes on polling", () -> !sleeps(pace));
  }

  @Test
  void sleepsWhileTheIssueIsBlocked() {
    isIssuing.set(true);
    PollingPace pace = pace(SPIN);
    pace.begin(true);
    Threads.await("the completion thread to sleep", pace::isIdle);
  }

  @Test
  void alwaysSleepsWithoutASpinTime() {
    isIssuing.set(true);
    PollingPace pace = pace(0);
    pace.begin(true);
    assertTrue(pace.isIdle());
  }

  @Test
  void aLineSaysWhetherSomethingIsIssued() {
    QueueHarness harness = new QueueHarness(1);
    IssueLine<FakeStream.Event> line = harness.queues.get(0).line;
    EngineSemaphore done = QueueHarness.semaphore();
    List<Boolean> seen = new ArrayList<>();
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.atIssue = () -> seen.add(line.isIssuing());
    assertFalse(line.isIssuing());
    harness.enqueue(0, use);
    assertFalse(line.isIssuing());
    assertTrue(seen.get(0));
    harness.run();
    harness.finish();
  }
}
