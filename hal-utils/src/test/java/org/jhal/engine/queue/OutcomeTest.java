// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules Q6 and Q9 on a device that reports how work has ended only if it is asked. The stream
 * itself checks that each recording is asked about at most once, not before it fired, and not after
 * the event was recorded anew.
 */
class OutcomeTest {
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "fault");
  private static final HalException OTHER = new HalException(Status.ABORTED, "other fault");
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");

  /** Queues 0 and 1 are of one device, 2 and 3 of another one. */
  private final QueueHarness harness = QueueHarness.thatIsAsked(2, 2);

  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final EngineSemaphore third = QueueHarness.semaphore();

  private static Operation<Event> operation(QueueUse use) {
    return Objects.requireNonNull(use.operation);
  }

  private QueueUse fails(int queue, Fence waits, Fence signals, HalException failure) {
    QueueUse use = new QueueUse("fails", waits, signals);
    use.failsInStream = failure;
    return harness.enqueue(queue, use);
  }

  private void runStreams() {
    boolean hasRun = true;
    while (hasRun) {
      hasRun = false;
      for (FakeStream stream : harness.streams) {
        hasRun |= stream.advance();
      }
    }
  }

  /** Ends the test: every recording was asked about. */
  private void finish() {
    harness.run();
    assertEquals(
        harness.device.calls("recordEvent"),
        harness.device.calls("outcome"),
        "each recording is asked about once");
    harness.finish();
  }

  @Test
  void aDeviceThatReportsFailuresByItselfIsNeverAsked() {
    QueueHarness plain = QueueHarness.ofDevices(2, 2);
    plain.enqueue(0, "producer", Fence.NONE, first.at(1));
    plain.enqueue(1, "consumer", first.at(1), second.at(1));
    plain.enqueue(2, "elsewhere", first.at(1), third.at(1));
    plain.finish();
    assertEquals(0, plain.device.calls("outcome"));
    assertEquals(1, third.currentValue());
  }

  /** On its own queue, another queue, and another device, whose thread sees its own event fire. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aConsumerThatIsSeenFirstAsksAboutItsProducer(int queue) {
    fails(0, Fence.NONE, first.at(1), FAULT);
    QueueUse consumer = harness.enqueue(queue, "consumer", first.at(1), second.at(1));
    runStreams();
    if (queue == 0) {
      assertTrue(operation(consumer).settleWhenFired(System.nanoTime(), () -> true));
    } else {
      assertTrue(harness.queues.get(queue).completer.step());
    }
    assertFailure(FAULT, first.failure());
    assertFailure(FAULT, second.failure());
    assertEquals(2, harness.device.calls("outcome"));
    finish();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aHostThreadThatPollsTheConsumerAsksAboutBoth(int queue) {
    fails(0, Fence.NONE, first.at(1), FAULT);
    QueueUse consumer = harness.enqueue(queue, "consumer", first.at(1), second.at(1));
    assertFalse(operation(consumer).settleWhenFired(System.nanoTime(), () -> true));
    assertEquals(0, harness.device.calls("outcome"), "nothing has fired");
    runStreams();
    assertTrue(operation(consumer).settleWhenFired(System.nanoTime(), () -> true));
    assertFailure(FAULT, first.failure());
    assertFailure(FAULT, second.failure());
    finish();
  }

  /** A fence of three producers on three queues: the first of the fence that failed counts. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "3, 0", "1, 2", "1, 3", "2, 3", "3, 2"})
  void eachProducerOfAFenceIsAsked(int culprit, int another) {
    EngineSemaphore[] signals = {first, second, third};
    int[] queues = {0, 1, 2};
    for (int i = 1; i <= 3; i++) {
      Fence signal = signals[i - 1].at(1);
      if (i == culprit || i == another) {
        fails(queues[i - 1], Fence.NONE, signal, i == culprit ? FAULT : OTHER);
      } else {
        harness.enqueue(queues[i - 1], "succeeds", Fence.NONE, signal);
      }
    }
    EngineSemaphore last = QueueHarness.semaphore();
    harness.enqueue(3, "consumer", Fence.of(first.at(1), second.at(1), third.at(1)), last.at(1));
    runStreams();
    assertTrue(harness.queues.get(3).completer.step());
    for (int i = 1; i <= 3; i++) {
      assertFailure(
          i == culprit ? FAULT : i == another ? OTHER : null, signals[i - 1].failure(), "of " + i);
      assertEquals(i == culprit || i == another ? 0 : 1, signals[i - 1].currentValue(), "of " + i);
    }
    boolean isFirst = another == 0 || culprit < another;
    assertFailure(isFirst ? FAULT : OTHER, last.failure());
    finish();
  }

  /** Rule Q5: what the host still had to do does not run behind a failure, its own or another's. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHostCompletionDoesNotRunBehindAFailureThatWasAskedFor(boolean isOwn) {
    AtomicInteger runs = new AtomicInteger();
    QueueUse consumer = new QueueUse("consumer", first.at(1), second.at(1));
    consumer.hostCompletion = context -> runs.incrementAndGet();
    consumer.failsInStream = isOwn ? FAULT : null;
    if (isOwn) {
      harness.enqueue(0, "producer", Fence.NONE, first.at(1));
    } else {
      fails(0, Fence.NONE, first.at(1), FAULT);
    }
    harness.enqueue(1, consumer);
    runStreams();
    assertTrue(harness.queues.get(1).completer.step());
    harness.run();
    assertEquals(0, runs.get());
    assertEquals(isOwn ? 1 : 0, first.currentValue());
    assertFailure(FAULT, second.failure());
    assertEquals(0, consumer.borrowed.get());
    finish();
  }

  /** The engine reuses the events. The stream checks that it asks before it records them anew. */
  @Test
  void eventsThatAreUsedAgainWereAskedAboutBefore() {
    List<QueueUse> odd = new ArrayList<>();
    for (int round = 0; round < 50; round++) {
      EngineSemaphore to = QueueHarness.semaphore();
      EngineSemaphore fro = QueueHarness.semaphore();
      boolean isOdd = round % 2 == 1;
      if (isOdd) {
        odd.add(fails(0, Fence.NONE, to.at(1), FAULT));
      } else {
        harness.enqueue(0, "producer", Fence.NONE, to.at(1));
      }
      harness.enqueue(1, "consumer", to.at(1), fro.at(1));
      runStreams();
      assertTrue(harness.queues.get(1).completer.step(), "it settles the producer as well");
      harness.run(); // retires both, so that their events are free
      assertFailure(isOdd ? FAULT : null, to.failure());
      assertFailure(isOdd ? FAULT : null, fro.failure());
    }
    assertEquals(25, odd.size());
    assertEquals(2, harness.device.calls("createEvent"), "each queue has one, used 50 times");
    finish();
  }

  /** A chain through queues and devices of which only the last operation is looked at. */
  @Test
  void aLongChainIsAskedFromItsFirstOperationOn() {
    int length = 40;
    fails(0, Fence.NONE, first.at(1), FAULT);
    for (int i = 2; i <= length; i++) {
      harness.enqueue(
          i % 4,
          "link",
          (i % 2 == 0 ? first : second).at(i - 1),
          (i % 2 == 0 ? second : first).at(i));
    }
    runStreams();
    Operation<Event> last = operation(harness.uses.get(length - 1));
    assertTrue(last.settleWhenFired(System.nanoTime(), () -> true));
    assertFailure(FAULT, first.failure());
    assertFailure(FAULT, second.failure());
    finish();
  }

  @Test
  void anOutcomeThatIsALossLosesThatDeviceOnly() {
    fails(0, Fence.NONE, first.at(1), GONE);
    harness.enqueue(1, "beside", Fence.NONE, second.at(1));
    harness.enqueue(2, "elsewhere", Fence.NONE, third.at(1));
    harness.run();
    HalException cause = Objects.requireNonNull(harness.lost(0));
    assertEquals(Status.UNAVAILABLE, cause.status());
    assertTrue(cause.getMessage().contains("outcome behind operation 1 (fails)"), cause::toString);
    assertTrue(cause.getMessage().contains("gone"), cause::toString);
    assertSame(cause, first.failure());
    assertNull(harness.lost(1));
    assertEquals(1, third.currentValue());
    harness.finish();
  }

  /** Asked by a thread of another device, which goes on. */
  @Test
  void aLossThatIsFoundByAConsumerElsewhereFailsThatConsumerOnly() {
    fails(0, Fence.NONE, first.at(1), GONE);
    harness.enqueue(2, "consumer", first.at(1), second.at(1));
    harness.enqueue(3, "beside", Fence.NONE, third.at(1));
    runStreams();
    assertTrue(harness.queues.get(2).completer.step());
    assertNotNull(second.failure());
    harness.run();
    assertSame(harness.lost(0), first.failure());
    assertNull(harness.lost(1));
    assertEquals(1, third.currentValue());
    harness.finish();
  }

  @Test
  void askingThatThrowsLosesTheDevice() {
    harness.device.failNth("outcome", 1, new IllegalStateException("broken"));
    harness.enqueue(0, "work", Fence.NONE, first.at(1));
    harness.run();
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(first.failure()).status());
    assertTrue(Objects.requireNonNull(harness.lost(0)).getMessage().contains("broken"));
    harness.finish();
  }

  /** Rule S3, and Q7a: what the driver said first counts. */
  @Test
  void anEarlierReportedFailureTakesPrecedenceOverTheOutcome() {
    QueueUse use = new QueueUse("work", Fence.NONE, first.at(1));
    use.failsAtIssue = OTHER;
    use.failsInStream = FAULT;
    harness.enqueue(0, use);
    harness.run();
    assertFailure(OTHER, first.failure());
    finish();
  }

  /** Its verdict is fixed, but the driver may count on being asked. */
  @Test
  void theDriverIsAskedAboutAFailedOperationWhenItsEventFires() {
    QueueUse work = harness.enqueue(0, "work", Fence.NONE, first.at(1));
    harness.queues.get(0).failOpen(operation(work), OTHER);
    assertFailure(OTHER, first.failure());
    assertEquals(0, harness.device.calls("outcome"), "its event has not fired");
    runStreams();
    finish();
  }

  /** The consumer's stream knows a little earlier. A host thread must not wait for that. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aHostThreadDoesNotSettleAProducerWhoseEventHasNotFired(int queue) {
    fails(0, Fence.NONE, first.at(1), FAULT);
    QueueUse consumer = harness.enqueue(queue, "consumer", first.at(1), second.at(1));
    harness.streams.get(queue).skipWait();
    harness.streams.get(queue).advanceAll();
    assertFalse(operation(consumer).settleWhenFired(System.nanoTime(), () -> false));
    assertNull(second.failure());
    assertEquals(0, second.currentValue());
    runStreams();
    assertTrue(operation(consumer).settleWhenFired(System.nanoTime(), () -> false));
    assertFailure(FAULT, second.failure());
    finish();
  }

  /** Rule Q8: its queues are shut, so no thread can ask any more. It must not count as done. */
  @Test
  void aProducerOnADeviceThatWasShutFailsRatherThanSucceedUnasked() {
    QueueUse producer = harness.enqueue(0, "producer", Fence.NONE, first.at(1));
    harness.enqueue(2, "consumer", first.at(1), second.at(1));
    runStreams();
    assertTrue(harness.queues.get(0).shutdown().shut(System.nanoTime()));
    assertTrue(harness.queues.get(2).completer.step());
    assertEquals(Status.DEADLINE_EXCEEDED, Objects.requireNonNull(first.failure()).status());
    assertEquals(Status.DEADLINE_EXCEEDED, Objects.requireNonNull(second.failure()).status());
    assertNull(harness.lost(1));
    harness.run();
    assertEquals(1, producer.retired.get());
    finish();
  }

  /** The threads of a device that is being closed go on asking about what was issued. */
  @Test
  void aProducerOnTheSameDeviceIsAskedWhileTheDeviceCloses() {
    fails(0, Fence.NONE, first.at(1), FAULT);
    harness.enqueue(1, "consumer", first.at(1), second.at(1));
    runStreams();
    assertTrue(harness.queues.get(0).shutdown().shut(System.nanoTime()));
    assertTrue(harness.queues.get(1).shutdown().shut(System.nanoTime()));
    assertTrue(harness.queues.get(1).completer.step());
    assertFailure(FAULT, first.failure());
    assertFailure(FAULT, second.failure());
    finish();
  }

  /** An error of the thread says nothing about the work, so another thread asks once more. */
  @Test
  void aThreadWithoutStackLeavesTheQuestionToAnother() {
    QueueUse failing = fails(0, Fence.NONE, first.at(1), FAULT);
    runStreams();
    harness.device.dieNext("outcome");
    Operation<Event> operation = operation(failing);
    try {
      operation.settleWhenFired(System.nanoTime(), () -> true);
      throw new AssertionError("the error is not thrown on");
    } catch (StackOverflowError expected) {
      assertNull(first.failure());
    }
    harness.run();
    assertFailure(FAULT, first.failure());
    assertNull(harness.lost(0));
    harness.finish();
  }

  /** The driver has answered, by a result or an exception, so it is not asked again. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aThreadThatDiesBehindTheAnswerLeavesTheAnswerToAnother(boolean isThrown) {
    if (isThrown) {
      harness.device.failNth("outcome", 1, new IllegalStateException("gone"));
    }
    QueueUse failing = fails(0, Fence.NONE, first.at(1), GONE);
    runStreams();
    failing.failsAtDescription = new StackOverflowError("on purpose");
    Operation<Event> operation = operation(failing);
    try {
      operation.settleWhenFired(System.nanoTime(), () -> true);
      throw new AssertionError("the error is not thrown on");
    } catch (StackOverflowError expected) {
      assertNull(first.failure());
    }
    harness.run();
    HalException cause = Objects.requireNonNull(harness.lost(0));
    assertTrue(cause.getMessage().contains("outcome behind operation 1 (fails)"), cause::toString);
    assertTrue(cause.getMessage().contains("gone"), cause::toString);
    assertSame(cause, first.failure());
    assertEquals(1, harness.device.calls("outcome"));
    harness.finish();
  }

  /** Any number of threads see the same events fire. The stream checks that one of them asks. */
  @Test
  void anyNumberOfThreadsSeeItFireAndOneAsks() {
    int rounds = 100;
    int length = 20;
    for (int round = 0; round < rounds; round++) {
      QueueHarness shared = QueueHarness.thatIsAsked(2, 1);
      EngineSemaphore even = QueueHarness.semaphore();
      EngineSemaphore odd = QueueHarness.semaphore();
      for (int i = 1; i <= length; i++) {
        EngineSemaphore own = i % 2 == 0 ? even : odd;
        EngineSemaphore other = i % 2 == 0 ? odd : even;
        QueueUse use = new QueueUse("link " + i, i == 1 ? Fence.NONE : other.at(i - 1), own.at(i));
        use.failsInStream = i == length / 2 ? FAULT : null;
        shared.enqueue(i % 2, use);
      }
      Threads.Body poll =
          () -> {
            for (int i = length - 1; i >= 0; i--) {
              operation(shared.uses.get(i)).settleWhenFired(System.nanoTime(), () -> true);
            }
          };
      Threads.Body complete0 =
          () -> {
            while (shared.queues.get(0).completer.step()) {
              continue;
            }
          };
      Threads.Body complete1 =
          () -> {
            while (shared.queues.get(1).completer.step()) {
              continue;
            }
          };
      Threads.together(poll, poll, complete0, complete1);
      shared.run();
      assertEquals(length, shared.device.calls("outcome"));
      assertFailure(FAULT, even.failure());
      assertFailure(FAULT, odd.failure());
      assertEquals(length / 2 - 2, even.currentValue());
      assertEquals(length / 2 - 1, odd.currentValue());
      shared.finish();
    }
  }
}
