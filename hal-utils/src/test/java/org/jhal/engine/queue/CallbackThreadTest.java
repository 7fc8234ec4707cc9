// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;

/** Which threads run no callbacks of users, and who runs them instead (rule S7). */
class CallbackThreadTest {
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "fault");

  private final QueueHarness harness = new QueueHarness(3);
  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final EngineSemaphore third = QueueHarness.semaphore();
  private final List<String> calls = new ArrayList<>();

  private void observe(EngineSemaphore semaphore, long value, String name) {
    semaphore.onReach(value, failure -> calls.add(name + (failure == null ? "" : " failed")));
  }

  private static boolean poll(QueueUse use) {
    Operation<Event> operation = Objects.requireNonNull(use.operation);
    return operation.settleWhenFired(System.nanoTime(), () -> true);
  }

  @Test
  void aThreadThatPollsLeavesThemInTheirOrder() {
    observe(first, 3, "3");
    observe(first, 1, "1");
    observe(first, 2, "2");
    QueueUse use = harness.enqueue(0, "operation", Fence.NONE, first.at(3));
    harness.streams.get(0).advanceAll();
    assertTrue(poll(use));
    assertEquals(3, first.currentValue());
    assertEquals(List.of(), calls);
    while (harness.asideStep()) {
      continue;
    }
    assertEquals(List.of("1", "2", "3"), calls);
    harness.finish();
    assertEquals(3, calls.size());
  }

  /** Also those of operations that were parked, which fail with the one that it polls. */
  @Test
  void aThreadThatPollsLeavesTheCallbacksOfFailures() {
    observe(first, 1, "operation");
    observe(second, 1, "consumer");
    QueueUse fails = new QueueUse("fails", Fence.NONE, first.at(1));
    fails.failsInStream = FAULT;
    harness.enqueue(0, fails);
    QueueUse consumer = new QueueUse("consumer", first.at(1), second.at(1));
    consumer.waitsOnHost = true;
    harness.enqueue(1, consumer);
    harness.streams.get(0).advanceAll();
    assertTrue(poll(fails));
    assertFailure(FAULT, second.failure());
    assertEquals(List.of(), calls);
    harness.run();
    assertEquals(List.of("operation failed", "consumer failed"), calls);
    harness.finish();
  }

  @Test
  void aThreadThatRunsABriefCompletionLeavesThem() {
    observe(first, 1, "operation");
    QueueUse use = new QueueUse("operation", Fence.NONE, first.at(1));
    use.hostCompletion = new BriefCompletion(() -> calls.add("completion"));
    harness.enqueue(0, use);
    harness.streams.get(0).advanceAll();
    assertTrue(poll(use));
    assertEquals(List.of("completion"), calls);
    assertEquals(1, first.currentValue());
    harness.run();
    assertEquals(List.of("completion", "operation"), calls);
    harness.finish();
  }

  @Test
  void aCompletionThreadRunsThem() {
    observe(first, 1, "operation");
    harness.enqueue(0, "operation", Fence.NONE, first.at(1));
    harness.streams.get(0).advanceAll();
    assertTrue(harness.queues.get(0).completer.step());
    assertEquals(List.of("operation"), calls);
    assertFalse(harness.asideStep());
    harness.finish();
  }

  /** Afterwards the thread runs callbacks as before. */
  @Test
  void aThreadThatHasPolledRunsThem() {
    QueueUse use = harness.enqueue(0, "operation", Fence.NONE, first.at(1));
    harness.streams.get(0).advanceAll();
    assertTrue(poll(use));
    observe(second, 1, "signal");
    second.signal(1);
    assertEquals(List.of("signal"), calls);
    harness.finish();
  }

  /**
   * The thread that publishes an operation releases waiters of its event while it has the drainer's
   * role. A covered wait among them may have failed meanwhile, which fails its operation.
   */
  @Test
  void theDrainerLeavesThem() {
    observe(third, 1, "parked");
    QueueUse parked = harness.enqueue(1, "parked", first.at(1).and(second.at(1)), third.at(1));
    QueueUse hooked = new QueueUse("issued by the same thread", first.at(1), Fence.NONE);
    hooked.atIssue = () -> first.fail(FAULT);
    harness.enqueue(2, hooked);
    harness.enqueue(0, "producer", Fence.NONE, first.at(1));
    assertEquals(1, hooked.issued.get(), "the thread that publishes issues it");
    assertNull(third.failure(), "the drainer has failed an operation");
    assertEquals(List.of(), calls);
    harness.run();
    assertFailure(FAULT, third.failure());
    assertEquals(List.of("parked failed"), calls);
    assertEquals(0, parked.issued.get());
    harness.finish();
  }

  /** Without a thread of the device, one of the engine runs them. */
  @Test
  void theyRunEvenIfTheDeviceIsClosed() {
    Cascade cascade = Cascade.current();
    List<Thread> threads = new CopyOnWriteArrayList<>();
    first.onReach(1, failure -> threads.add(Thread.currentThread()));
    Executor before =
        cascade.leaveCallbacksTo(
            task -> {
              throw new RejectedExecutionException("closed");
            });
    try {
      first.signal(1);
    } finally {
      cascade.leaveCallbacksTo(before);
    }
    Threads.await("the callback", () -> !threads.isEmpty());
    assertEquals(EngineThread.class, threads.get(0).getClass());
  }
}
