package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

/** Rules Q7 and Q9 in a queue whose device is lost, at points that threads seldom meet. */
class QueueLossTest {
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");

  private final QueueHarness harness = new QueueHarness(2);
  private final EngineSemaphore done = QueueHarness.semaphore();

  /**
   * Another thread has begun to lose the device and has not come to this queue yet, when this
   * queue's completion thread hears of the loss.
   */
  @Test
  void anEventThatWillNeverFireSignalsNothing() {
    harness.enqueue(0, "work", Fence.NONE, done.at(1));
    harness.holdLoss();
    harness.device.lose(GONE);
    harness.lose(GONE);

    harness.queues.get(0).completionStep();

    assertEquals(0, done.currentValue(), "value of a timeline whose work never ran");
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    harness.spreadLoss();
    harness.finish();
  }

  @Test
  void aPollThatHearsOfTheLossSignalsNothing() {
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
