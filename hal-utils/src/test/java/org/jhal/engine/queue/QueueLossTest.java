// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q7 and Q9 in a queue whose device is lost at a moment that is rare in practice. */
class QueueLossTest {
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");

  private final QueueHarness harness = new QueueHarness(2);
  private final EngineSemaphore done = QueueHarness.semaphore();

  /**
   * Another thread is losing the device and has not reached this queue yet when this queue's
   * completion thread sees the loss.
   */
  @Test
  void anEventThatWillNeverFireSignalsNothing() {
    harness.enqueue(0, "work", Fence.NONE, done.at(1));
    harness.holdLoss();
    harness.device.lose(GONE);
    harness.lose(GONE);

    harness.queues.get(0).completer.step();

    assertEquals(0, done.currentValue(), "value of a timeline whose work never ran");
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    harness.spreadLoss();
    harness.finish();
  }

  /** As if an error had ended the thread that lost the device before it came to this queue. */
  @Test
  void theIssueThreadFailsWhatTheLosingThreadLeft() {
    harness.enqueue(1, "parked", QueueHarness.semaphore().at(1), done.at(1));
    harness.holdLoss();
    harness.lose(GONE);
    harness.issueSteps();
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    harness.spreadLoss();
    harness.finish();
  }

  /** A driver's host completion can report the loss of the device; a user's host call cannot. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHostCompletionThatReportsALossLosesTheDevice(boolean isDrivers) {
    EngineSemaphore parked = QueueHarness.semaphore();
    harness.enqueue(1, "parked", QueueHarness.semaphore().at(1), parked.at(1));
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.endsWithHostCompletion = isDrivers;
    use.hostCompletion =
        context -> {
          if (isDrivers) {
            throw GONE;
          }
          Operation<FakeStream.Event> operation = Objects.requireNonNull(use.operation);
          operation.queue.hostCompletionOver(operation, GONE);
        };
    harness.enqueue(0, use);
    harness.run();
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    assertEquals(isDrivers, harness.lost() != null);
    assertEquals(isDrivers, parked.failure() != null);
    harness.finish();
  }

  /** It left an operation that it had taken out of the heap and not claimed yet. */
  @Test
  void aDrainerThatAnErrorEndsLeavesEachOperationToBeRetiredOnce() {
    try (Quiet log = new Quiet()) {
      EngineSemaphore gate = QueueHarness.semaphore();
      EngineSemaphore second = QueueHarness.semaphore();
      harness.enqueue(0, "first", gate.at(1), done.at(1));
      harness.enqueue(0, "second", gate.at(1), second.at(1));
      harness.device.failNth("bindToThread", 1, GONE);
      harness.failsNextNote.set(new StackOverflowError("made up"));
      gate.signal(1);
      harness.issueSteps();
      assertNotNull(done.failure());
      assertNotNull(second.failure());
      harness.finish();
      assertEquals(1, log.count("an error interrupted a step of queue"));
    }
  }

  @Test
  void aPollThatDetectsALossSignalsNothing() {
    QueueUse use = harness.enqueue(0, "work", Fence.NONE, done.at(1));
    harness.holdLoss();
    harness.device.lose(GONE);
    harness.lose(GONE);

    assertTrue(
        Objects.requireNonNull(use.operation).settleWhenFired(System.nanoTime(), () -> true));

    assertEquals(0, done.currentValue(), "value of a timeline whose work never ran");
    harness.spreadLoss();
    harness.finish();
  }
}
