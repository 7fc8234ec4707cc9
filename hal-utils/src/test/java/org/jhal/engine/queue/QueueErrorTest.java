// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q8 and E2: a queue whose native calls throw errors can still be closed. */
class QueueErrorTest {
  private static final HalException CLOSED = new HalException(Status.CANCELLED, "closed");
  private static final Error BROKEN = new InternalError("on purpose");

  private final QueueHarness harness = new QueueHarness(1);
  private final DeferredWorkQueue<Event> queue = harness.queues.get(0);
  private final EngineSemaphore done = QueueHarness.semaphore();

  /** Makes each call of {@code call} from now on throw, before it has any effect. */
  private static void breakEach(QueueHarness harness, String call) {
    harness.device.atCall =
        called -> {
          if (called.equals(call)) {
            throw BROKEN;
          }
        };
  }

  /** More operations than a thread may crash before its crashes count as steps without work. */
  @ParameterizedTest
  @ValueSource(strings = {"queryEvent", "synchronizeEvent", "outcome"})
  void operationsWhoseEventsCanNeverBeQueriedAreKeptUntilTheStreamIsClosed(String call) {
    int count = 150;
    QueueHarness asked = QueueHarness.thatIsAsked(1, 1);
    QueueShutdown<Event> shutdown = asked.queues.get(0).shutdown();
    try (Quiet log = new Quiet()) {
      for (int i = 1; i <= count; i++) {
        asked.enqueue(0, "work " + i, Fence.NONE, done.at(i));
      }
      breakEach(asked, call);
      asked.run();
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
      assertTrue(shutdown.shut(System.nanoTime()));
      shutdown.cancelAll(CLOSED);
      assertTrue(shutdown.awaitIdle(System.nanoTime()), "whether all are kept");
      asked.uses.forEach(use -> assertEquals(0, use.retired.get(), "while the stream may run it"));
      asked.finish();
    }
  }

  /** Such as a stack overflow: the event can be queried again, on a device that is lost. */
  @ParameterizedTest
  @ValueSource(strings = {"queryEvent", "synchronizeEvent"})
  void anOperationWhoseEventCouldOnceNotBeQueriedRetiresBehindIt(String call) {
    QueueUse use = harness.enqueue(0, "work", Fence.NONE, done.at(1));
    harness.device.dieNext(call);
    try (Quiet log = new Quiet()) {
      harness.run();
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
      assertEquals(1, use.executed.get());
      assertEquals(1, use.retired.get());
      harness.finish();
    }
  }

  @Test
  void anExceptionOfTheHostThreadsFailsOneOperation() {
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.hostCompletion = context -> {};
    use.failsAtHostThreads = new IllegalStateException("no threads");
    harness.enqueue(0, use);
    harness.run();
    assertEquals(Status.INTERNAL, Objects.requireNonNull(done.failure()).status());
    assertNull(harness.lost());
    harness.finish();
  }

  // Closing.

  @Test
  void anErrorAboutOneEventLeavesNoOtherUndestroyedAndTheStreamClosed() {
    harness.enqueue(0, "first", Fence.NONE, done.at(1));
    harness.enqueue(0, "second", Fence.NONE, done.at(2));
    harness.run();
    breakEach(harness, "destroyEvent");
    assertTrue(queue.shutdown().shut(System.nanoTime()));
    try (Quiet log = new Quiet()) {
      queue.shutdown().closeStream();
      assertEquals(1, log.count("cannot destroy 2 native events of fake-q0"));
    }
    assertTrue(harness.streams.get(0).isClosed());
  }

  @Test
  void anErrorWhileARefusedOperationIsDiscardedLeavesTheStreamClosed() {
    harness.enqueue(0, "with an event", Fence.NONE, done.at(1));
    harness.run();
    QueueUse use = new QueueUse("refused", Fence.NONE, Fence.NONE);
    Operation<Event> operation = harness.begin(0, use);
    use.failsAtEndOfBorrow = new StackOverflowError("on purpose");
    assertThrows(StackOverflowError.class, () -> queue.enqueuer().abandon(operation));
    queue.enqueuer().endEnqueue();
    assertTrue(queue.shutdown().shut(System.nanoTime()));
    use.failsAtEndOfBorrow = new StackOverflowError("once more");
    try (Quiet log = new Quiet()) {
      queue.shutdown().closeStream();
      assertEquals(1, log.count("cannot discard"));
    }
    assertEquals(0, harness.device.liveEvents());
    assertTrue(harness.streams.get(0).isClosed());
  }

  @Test
  void anErrorMeansThatTheStreamIsNotKnownToBeIdle() {
    harness.streams.get(0).atIsIdle =
        () -> {
          throw BROKEN;
        };
    assertFalse(queue.shutdown().awaitStreamIdle(System.nanoTime()));
    harness.streams.get(0).atIsIdle = () -> {};
    assertTrue(queue.shutdown().awaitStreamIdle(System.nanoTime()));
    harness.finish();
  }

  @Test
  void anErrorWhileAKeptOperationRetiresLeavesNoOtherKept() {
    QueueUse failing = harness.enqueue(0, "failing", Fence.NONE, done.at(1));
    QueueUse other = harness.enqueue(0, "other", Fence.NONE, done.at(2));
    breakEach(harness, "queryEvent");
    try (Quiet log = new Quiet()) {
      harness.run();
      assertTrue(queue.shutdown().shut(System.nanoTime()));
      failing.failsAtEndOfBorrow = BROKEN;
      queue.shutdown().retireKept();
      assertEquals(1, log.count("cannot release what operation 1 of fake-q0 used"));
    }
    assertEquals(0, failing.retired.get());
    assertEquals(1, other.retired.get());
    assertEquals(0, harness.open());
  }
}
