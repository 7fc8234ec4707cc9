// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Timepoint;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.WaitNode;
import org.jhal.spi.OpenOperation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A wait that an event covers while another wait of the operation is open, and whose value is then
 * reached by a signal of the program: it has ended, whatever becomes of the operation that covered
 * it (rules Q5, Q6).
 */
class CoveredWaitTest {
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "fault");

  /** Queues 0 and 1 are of one device, 2 and 3 of another one. */
  private final QueueHarness harness = QueueHarness.ofDevices(2, 2);

  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final EngineSemaphore third = QueueHarness.semaphore();

  private static Operation<Event> operation(QueueUse use) {
    return Objects.requireNonNull(use.operation);
  }

  private QueueUse producer(HalException failure) {
    QueueUse use = new QueueUse("producer", Fence.NONE, first.at(5));
    use.failsInStream = failure;
    return harness.enqueue(0, use);
  }

  private QueueUse consumer(int queue) {
    return harness.enqueue(queue, "consumer", first.at(3).and(second.at(1)), third.at(1));
  }

  private void runStream(int queue) {
    harness.streams.get(queue).advanceAll();
    harness.run();
  }

  /** Runs one queue, while all others stand still. */
  private void runAlone(int queue) {
    DeferredWorkQueue<Event> alone = harness.queues.get(queue);
    boolean hasDone = true;
    while (hasDone) {
      hasDone = alone.issueRole.takeStepsIfWoken();
      harness.streams.get(queue).advanceAll();
      if (alone.queries.isIdle()) { // or the completion thread would run the other streams
        hasDone |= alone.completionRole.takeStepsIfWoken();
      }
    }
  }

  /** Enqueued behind the issue of the producer, or before it. */
  @ParameterizedTest
  @CsvSource({"1, false", "1, true", "2, false", "2, true", "3, true"})
  void theFailureOfWhatHasCoveredItDoesNotFailTheConsumer(int queue, boolean consumerFirst) {
    if (consumerFirst) {
      consumer(queue);
    }
    producer(FAULT);
    if (!consumerFirst) {
      consumer(queue);
    }
    first.signal(3);
    runStream(0);
    assertFailure(FAULT, first.failure());
    second.signal(1);
    runStream(queue);
    assertNull(third.failure());
    assertEquals(1, third.currentValue());
    harness.finish();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theStreamDoesNotWaitForWhatHasCoveredIt(int queue) {
    QueueUse producer = producer(FAULT);
    QueueUse consumer = consumer(queue);
    first.signal(3);
    second.signal(1);
    runAlone(queue);
    assertEquals(1, consumer.executed.get());
    assertTrue(consumer.waitsReached);
    assertEquals(1, third.currentValue());
    assertEquals(0, producer.executed.get());
    harness.finish();
  }

  /** Every position of a fence of three, of which the others stay covered. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void theOtherWaitsStayCovered(int reached) {
    List<EngineSemaphore> covered =
        List.of(QueueHarness.semaphore(), QueueHarness.semaphore(), QueueHarness.semaphore());
    for (EngineSemaphore semaphore : covered) {
      harness.enqueue(0, "producer", Fence.NONE, semaphore.at(5));
    }
    Fence waits = second.at(1);
    for (EngineSemaphore semaphore : covered) {
      waits = waits.and(semaphore.at(3));
    }
    QueueUse consumer = harness.enqueue(1, "consumer", waits, third.at(1));
    covered.get(reached).signal(3);
    second.signal(1);
    assertEquals(1, consumer.issued.get());
    for (OperationWait<Event> wait : operation(consumer).waits()) {
      boolean isCovered = covered.indexOf(wait.semaphore()) >= 0;
      boolean isReached = wait.semaphore() == covered.get(reached);
      assertEquals(isCovered && !isReached, wait.producer() != null);
    }
    runAlone(1);
    assertEquals(0, consumer.executed.get());
    runStream(0);
    runStream(1);
    assertEquals(1, third.currentValue());
    harness.finish();
  }

  /** What was reached by nobody else is judged by what covers it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aSmallerValueChangesNothing(int queue) {
    producer(FAULT);
    consumer(queue);
    first.signal(2);
    second.signal(1);
    runStream(0);
    runStream(queue);
    assertFailure(FAULT, third.failure());
    harness.finish();
  }

  /** Once it is in the stream behind another operation, it depends on that one (rule Q6). */
  @Test
  void whatIsReachedBehindTheIssueStaysCovered() {
    producer(FAULT);
    QueueUse consumer = consumer(1);
    second.signal(1);
    assertEquals(1, consumer.issued.get());
    first.signal(3);
    OpenOperation described = OperationReport.open(operation(consumer));
    assertNotNull(described);
    List<Timepoint> waits = described.waits();
    assertEquals(1, waits.size(), "the stream still waits for the producer");
    assertEquals(first.at(5), waits.get(0));
    runStream(0);
    runStream(1);
    assertFailure(FAULT, third.failure());
    harness.finish();
  }

  /** The waits of an operation that its work puts back may be in the stream. */
  @Test
  void whatIsInTheStreamWhenItsWorkIsPutBackStaysCovered() {
    producer(FAULT);
    QueueUse consumer = new QueueUse("consumer", first.at(3).and(second.at(1)), third.at(1));
    consumer.atPutBack = () -> first.signal(3);
    harness.enqueue(1, consumer);
    second.signal(1);
    assertEquals(3, first.currentValue());
    assertEquals(1, consumer.issued.get());
    assertNotNull(operation(consumer).waits()[0].producer(), "the stream waits for it");
    runStream(0);
    runStream(1);
    assertFailure(FAULT, third.failure());
    harness.finish();
  }

  /** One that is in the stream before the operation is left to the issue thread stays there. */
  @Test
  void whatAPutBackOperationHasPutIntoTheStreamStaysCovered() {
    EngineSemaphore fourth = QueueHarness.semaphore();
    producer(FAULT);
    harness.enqueue(1, "other producer", Fence.NONE, fourth.at(1));
    harness.streams.get(2).refuseAcross(2);
    Fence waits = first.at(3).and(fourth.at(1)).and(second.at(1));
    QueueUse consumer = harness.enqueue(2, "consumer", waits, third.at(1));
    second.signal(1);
    assertEquals(0, consumer.issued.get());
    first.signal(3);
    runAlone(2);
    assertEquals(1, consumer.issued.get());
    assertNotNull(operation(consumer).waits()[0].producer(), "the stream waits for it");
    runStream(0);
    runStream(1);
    runStream(2);
    assertFailure(FAULT, third.failure());
    harness.finish();
  }

  /** How an operation ends whose first wait is covered, and how a parked one goes on. */
  enum End {
    OTHER_WAIT_FAILS,
    OTHER_TIMELINE_IS_CLOSED,
    QUEUE_IS_CLOSED,
    FAILED,
    DEVICE_IS_LOST,
    ISSUED
  }

  private void end(Operation<Event> parked, End end) {
    switch (end) {
      case OTHER_WAIT_FAILS -> second.fail(FAULT);
      case OTHER_TIMELINE_IS_CLOSED -> second.close();
      case QUEUE_IS_CLOSED -> harness.queues.get(2).shutdown().cancelUsers(FAULT);
      case FAILED -> harness.queues.get(2).failOpen(parked, FAULT);
      case DEVICE_IS_LOST -> harness.lose(1, new HalException(Status.UNAVAILABLE, "gone"));
      case ISSUED -> second.signal(1);
    }
  }

  /** Whatever becomes of it, nothing of it stays on the timeline, which outlives it (rule Q8). */
  @ParameterizedTest
  @EnumSource
  void nothingStaysRegistered(End end) {
    producer(FAULT);
    checkNothingStays(operation(consumer(2)), end);
  }

  /** The thread that issues the producer begins to watch. */
  @ParameterizedTest
  @EnumSource
  void nothingStaysRegisteredByTheProducersIssue(End end) {
    Operation<Event> parked = operation(consumer(2));
    producer(FAULT);
    checkNothingStays(parked, end);
  }

  private void checkNothingStays(Operation<Event> parked, End end) {
    WaitNode watch = Objects.requireNonNull(parked.waits()[0].watch);
    assertNotNull(watch.heap, "the covered wait is not watched");
    end(parked, end);
    assertNull(watch.heap, "it is watched for an operation that does not need it");
    harness.finish();
  }

  /** A failure before the operation is issued fails it only if the value is not reached. */
  @ParameterizedTest
  @CsvSource({"2, true", "3, false", "4, false"})
  void theTimelineIsJudgedByItsValue(long reached, boolean fails) {
    producer(FAULT);
    consumer(1);
    first.signal(reached);
    runStream(0);
    second.signal(1);
    runStream(1);
    if (fails) {
      assertFailure(FAULT, third.failure());
    } else {
      assertEquals(1, third.currentValue());
    }
    harness.finish();
  }
}
