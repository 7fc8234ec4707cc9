// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;

/** Rule Q8 in a queue: the steps of closing, with operations in every state. */
class QueueCloseTest {
  private static final HalException CLOSED = new HalException(Status.CANCELLED, "closed");
  private static final HalException LATE = new HalException(Status.DEADLINE_EXCEEDED, "late");

  private final QueueHarness harness = new QueueHarness(1);
  private final DeferredWorkQueue<Event> queue = harness.queues.get(0);
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final EngineSemaphore done = QueueHarness.semaphore();

  private Status failure() {
    return Objects.requireNonNull(done.failure(), "the signal has not failed").status();
  }

  @Test
  void aClosedQueueAcceptsNothing() {
    assertTrue(queue.shutdown().shut(System.nanoTime()));
    HalException refused =
        assertThrows(HalException.class, () -> queue.enqueuer().begin(NoWork.get(), false));
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
    harness.finish();
  }

  @Test
  void parkedWorkIsCancelledAndLeavesNothingRegistered() {
    QueueUse use = harness.enqueue(0, "parked", gate.at(1), done.at(1));
    queue.shutdown().shut(System.nanoTime());
    queue.shutdown().cancelAll(CLOSED);
    assertEquals(Status.CANCELLED, failure());
    gate.signal(1);
    assertEquals(0, use.issued.get());
    harness.finish();
  }

  @Test
  void theCloseWaitsForIssuedWork() {
    QueueUse use = harness.enqueue(0, "issued", Fence.NONE, done.at(1));
    queue.shutdown().shut(System.nanoTime());
    queue.shutdown().cancelAll(CLOSED);
    assertFalse(queue.shutdown().awaitIdle(System.nanoTime()), "the work has not run");
    harness.run();
    assertTrue(queue.shutdown().awaitIdle(System.nanoTime()));
    assertEquals(1, done.value());
    assertEquals(1, use.executed.get());
    harness.finish();
  }

  @Test
  void readyWorkThatDoesNotFitIntoTheStreamIsCancelled() {
    QueueHarness narrow = new QueueHarness(1, 1);
    EngineSemaphore first = QueueHarness.semaphore();
    narrow.enqueue(0, "in the stream", Fence.NONE, first.at(1));
    QueueUse ready = narrow.enqueue(0, "ready", Fence.NONE, done.at(1));
    narrow.queues.get(0).shutdown().shut(System.nanoTime());
    narrow.queues.get(0).shutdown().cancelAll(CLOSED);
    assertEquals(Status.CANCELLED, failure());
    narrow.finish();
    assertEquals(1, first.value());
    assertEquals(0, ready.issued.get());
  }

  @Test
  void openOperationsFailAndStayPastTheDeadline() {
    QueueUse use = harness.enqueue(0, "issued", Fence.NONE, done.at(1));
    queue.shutdown().shut(System.nanoTime());
    queue.shutdown().cancelAll(CLOSED);
    assertEquals(1, queue.shutdown().abandonAll(LATE));
    assertEquals(Status.DEADLINE_EXCEEDED, failure());
    assertTrue(queue.shutdown().stop(System.nanoTime()));
    assertEquals(0, use.retired.get(), "what the device may still use is not released");
  }

  /**
   * With close-timeout=0, or if a thread hangs in a native call, the device does not wait for a
   * thread that is enqueueing.
   */
  @Test
  void anOperationThatIsEnqueuedDuringTheAbandonmentFailsToo() {
    Operation<Event> operation = harness.begin(0, new QueueUse("late", gate.at(1), done.at(1)));
    assertFalse(queue.shutdown().shut(System.nanoTime()), "a thread is inside");
    queue.shutdown().cancelAll(CLOSED);
    queue.shutdown().awaitIdle(System.nanoTime());
    queue.shutdown().abandonAll(LATE);
    queue.shutdown().stop(System.nanoTime());

    queue.enqueuer().submit(operation, gate.at(1), done.at(1));
    queue.enqueuer().endEnqueue();

    assertEquals(Status.CANCELLED, failure());
  }

  /** Enqueues an operation whose host completion has not ended when closing gives up. */
  private QueueUse abandonAHostCompletion() {
    QueueUse use = new QueueUse("host", Fence.NONE, done.at(1));
    use.hostCompletion = context -> {};
    use.endsWithHostCompletion = false;
    harness.enqueue(0, use);
    harness.run();
    queue.shutdown().shut(System.nanoTime());
    queue.shutdown().cancelAll(CLOSED);
    queue.shutdown().abandonAll(LATE);
    queue.shutdown().stop(System.nanoTime());
    return use;
  }

  @Test
  void theEndOfAHostCompletionThatComesTooLateChangesNothing() {
    QueueUse use = abandonAHostCompletion();
    queue.hostCompletionOver(Objects.requireNonNull(use.operation), null);
    assertEquals(Status.DEADLINE_EXCEEDED, failure());
    assertEquals(0, done.currentValue());
    assertEquals(0, use.retired.get());
  }

  /** As of a copy between devices whose other device is still at work. */
  @Test
  void aThreadThatEndsAnOperationOfAClosedStreamRetiresIt() {
    QueueUse use = abandonAHostCompletion();
    queue.shutdown().closeStream();
    queue.hostCompletionOver(Objects.requireNonNull(use.operation), null);
    assertEquals(Status.DEADLINE_EXCEEDED, failure());
    assertEquals(1, use.retired.get());
    assertEquals(queue.enqueued(), queue.retired());
  }
}
