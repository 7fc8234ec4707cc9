// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import java.util.stream.Stream;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.WaitNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q6, Q7 and Q7a: what a failed operation takes with it, and what it does not. */
class QueueFailureTest {
  private static final HalException FAULT = new HalException(Status.INTERNAL, "fault");

  private final QueueHarness harness = new QueueHarness(2);
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();

  private static HalException failure(EngineSemaphore semaphore) {
    return Objects.requireNonNull(semaphore.failure(), "the signal has not failed");
  }

  @Test
  void anEventThatCannotBeMadeFailsOneOperation() {
    harness.device.failNth("createEvent", 1, FAULT);
    QueueUse use = harness.enqueue(0, "work", Fence.NONE, first.at(1));
    assertNull(
        first.failure(),
        "the issuing thread, which has the device bound, must not fail the signals");
    harness.queues.get(0).issueStep();
    assertFailure(FAULT, failure(first));
    assertEquals(0, use.issued.get());
    harness.enqueue(0, "next", Fence.NONE, second.at(1));
    harness.run();
    assertEquals(1, second.value());
    harness.finish();
  }

  /**
   * The event that covers a wait reports nothing to an operation that is parked for another wait.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCoveredWaitThatFailsFailsWhatIsParkedForAnother(boolean isCoveredFirst) {
    QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
    producer.failsInStream = FAULT;
    Fence both = Fence.of(first.at(1), gate.at(1));
    if (isCoveredFirst) {
      harness.enqueue(0, producer);
      harness.enqueue(1, "parked", both, second.at(1));
    } else {
      harness.enqueue(1, "parked", both, second.at(1));
      harness.enqueue(0, producer);
    }
    assertNull(second.failure());
    harness.run();
    assertEquals("fault", failure(second).getMessage());
    harness.finish();
  }

  /**
   * An operation is parked for the producer, which is issued, and for another value. Something
   * happens while a thread has yet to notify others, behind which it begins to watch the producer.
   */
  private QueueUse beforeItIsWatched(QueueUse producer, Runnable body) {
    EngineSemaphore issue = QueueHarness.semaphore();
    EngineSemaphore next = QueueHarness.semaphore();
    QueueUse parked = harness.enqueue(1, "parked", Fence.of(first.at(1), gate.at(1)), second.at(1));
    Registration issuing =
        issue.onReach(
            1,
            failure -> {
              harness.enqueue(0, producer);
              next.signal(1);
            });
    Registration behind = next.onReach(1, failure -> body.run());
    issue.signal(1);
    assertFalse(issuing.cancel() | behind.cancel(), "both callbacks were called");
    return parked;
  }

  private QueueUse producer() {
    return new QueueUse("producer", Fence.NONE, first.at(1));
  }

  private void endProducer() {
    harness.streams.get(0).advanceAll();
    Threads.start("completion", harness.queues.get(0).completer::step).join();
  }

  private void endFirst(boolean isClosed) {
    if (isClosed) {
      first.close();
    } else {
      first.fail(FAULT);
    }
  }

  /** It fails although the other wait is still open. */
  private void assertFails(QueueUse parked, boolean isClosed) {
    assertEquals(isClosed ? Status.CANCELLED : FAULT.status(), failure(second).status());
    gate.signal(1);
    harness.run();
    assertEquals(0, parked.issued.get());
    assertEquals(1, parked.retired.get());
    harness.finish();
  }

  private void assertSucceeds(QueueUse parked) {
    gate.signal(1);
    harness.run();
    assertNull(second.failure());
    assertEquals(1, second.value());
    assertEquals(1, parked.issued.get());
    harness.finish();
  }

  @Test
  void aProducerThatFailsBeforeItIsWatchedFailsWhatIsParked() {
    QueueUse producer = producer();
    producer.failsInStream = FAULT;
    assertFails(beforeItIsWatched(producer, this::endProducer), false);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTimelineThatEndsOnceItIsReachedFailsNothing(boolean isClosed) {
    assertSucceeds(
        beforeItIsWatched(
            producer(),
            () -> {
              endProducer();
              assertEquals(1, first.currentValue());
              endFirst(isClosed);
            }));
  }

  /** The host has raised it, and what covers the value is still in the stream. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTimelineThatEndsOnceTheHostHasRaisedItFailsNothing(boolean isClosed) {
    assertSucceeds(
        beforeItIsWatched(
            producer(),
            () -> {
              first.signal(1);
              endFirst(isClosed);
            }));
  }

  /** Rule Q6: the producer raises nothing any more, although its work succeeds. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTimelineThatEndsBeforeItIsReachedFailsWhatIsParked(boolean isClosed) {
    assertFails(
        beforeItIsWatched(
            producer(),
            () -> {
              endFirst(isClosed);
              endProducer();
            }),
        isClosed);
  }

  /** The same, but it is watched already, and learns of it when the producer has succeeded. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTimelineThatEndsWhileItIsWatchedFailsWhatIsParked(boolean isClosed) {
    harness.enqueue(0, producer());
    QueueUse parked = harness.enqueue(1, "parked", Fence.of(first.at(1), gate.at(1)), second.at(1));
    EngineSemaphore next = QueueHarness.semaphore();
    Registration behind =
        next.onReach(
            1,
            failure -> {
              endFirst(isClosed);
              endProducer();
            });
    next.signal(1);
    assertFalse(behind.cancel(), "the callback was called");
    assertFails(parked, isClosed);
  }

  /** What fails an operation that another thread has just failed. */
  enum Meanwhile {
    CLOSE {
      @Override
      void happen(QueueHarness harness, QueueUse use) {
        harness.queues.get(1).shutdown().cancelAll(LATER);
      }
    },
    LOSS {
      @Override
      void happen(QueueHarness harness, QueueUse use) {
        harness.lose(LATER);
      }
    },
    STOP {
      @Override
      void happen(QueueHarness harness, QueueUse use) {
        harness.queues.get(1).failOpen(Objects.requireNonNull(use.operation), LATER);
      }
    };

    private static final HalException LATER = new HalException(Status.UNAVAILABLE, "later");

    abstract void happen(QueueHarness harness, QueueUse use);
  }

  static Stream<Arguments> meanwhiles() {
    return Stream.of(Meanwhile.values())
        .flatMap(one -> Stream.of(Arguments.of(one, false), Arguments.of(one, true)));
  }

  /** The thread that has failed it is held up before it reports that, and another one comes. */
  @ParameterizedTest
  @MethodSource("meanwhiles")
  void theFirstFailureIsReportedWhicheverThreadReportsIt(Meanwhile meanwhile, boolean isCovered) {
    if (isCovered) { // then the completion thread fails it
      QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
      producer.failsInStream = FAULT;
      harness.enqueue(0, producer);
    }
    QueueUse use = new QueueUse("failed", Fence.of(first.at(1), gate.at(1)), second.at(1));
    use.atEndOfBorrow =
        () -> {
          meanwhile.happen(harness, use);
          assertEquals("fault", failure(second).getMessage());
          assertEquals(0, use.borrowed.get(), "once its signals have failed (rule Q2)");
        };
    harness.enqueue(1, use);
    if (!isCovered) {
      first.fail(FAULT);
    }
    harness.run();
    assertEquals("fault", failure(second).getMessage());
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  /** Work that has reached the stream may run, so nothing is released before its event fires. */
  @Test
  void anOperationThatFailsHalfWayRetiresBehindItsEvent() {
    QueueUse use = new QueueUse("half", Fence.NONE, first.at(1));
    use.failsAtIssue = FAULT;
    harness.enqueue(0, use);
    assertNull(first.failure(), "its event has not fired");
    assertEquals(0, use.retired.get());
    QueueUse consumer = harness.enqueue(1, "consumer", first.at(1), second.at(1));
    assertEquals(0, consumer.issued.get(), "a failing operation publishes nothing");
    harness.run();
    assertFailure(FAULT, failure(first));
    assertFailure(FAULT, failure(second));
    assertEquals(1, use.executed.get());
    assertEquals(0, consumer.issued.get());
    harness.finish();
  }

  @Test
  void aDriversOwnBugFailsOneOperation() {
    QueueUse use = new QueueUse("bug", Fence.NONE, first.at(1));
    use.failsAtIssue = new IllegalStateException("bug");
    harness.enqueue(0, use);
    harness.enqueue(0, "next", Fence.NONE, second.at(1));
    harness.run();
    assertEquals(Status.INTERNAL, failure(first).status());
    assertEquals("bug", Objects.requireNonNull(failure(first).getCause()).getMessage());
    assertEquals(1, second.value());
    harness.finish();
  }

  @Test
  void workThatFailsInTheStreamFailsItsConsumersThatWereIssued() {
    QueueUse use = new QueueUse("work", Fence.NONE, first.at(1));
    use.failsInStream = FAULT;
    harness.enqueue(0, use);
    QueueUse consumer = harness.enqueue(1, "consumer", first.at(1), second.at(1));
    assertEquals(1, consumer.issued.get(), "the producer's event covers the wait");
    harness.run();
    assertEquals("fault", failure(first).getMessage());
    assertEquals("fault", failure(second).getMessage());
    harness.finish();
  }

  @Test
  void aFailedWaitFailsItsOperationAtOnceAndLeavesTheOtherWaits() {
    QueueUse use = harness.enqueue(0, "work", gate.at(1).and(second.at(1)), first.at(1));
    QueueUse other = harness.enqueue(0, "other", second.at(1), QueueHarness.semaphore().at(1));
    gate.fail(FAULT);
    assertEquals("fault", failure(first).getMessage());
    second.signal(1);
    harness.run();
    assertEquals(0, use.issued.get());
    assertEquals(1, other.issued.get());
    harness.finish();
  }

  @Test
  void theFirstOfTwoFailedWaitsCounts() {
    EngineSemaphore late = QueueHarness.semaphore();
    harness.enqueue(0, "work", gate.at(1).and(late.at(1)), first.at(1));
    gate.fail(FAULT);
    late.fail(new HalException(Status.DATA_LOSS, "late"));
    assertEquals("fault", failure(first).getMessage());
    harness.finish();
  }

  @Test
  void aHostCompletionDoesNotRunIfTheWorkFailed() {
    QueueUse use = new QueueUse("work", Fence.NONE, first.at(1));
    use.failsInStream = FAULT;
    use.hostCompletion =
        context -> {
          throw new AssertionError("the host completion ran");
        };
    harness.enqueue(0, use);
    harness.run();
    assertEquals("fault", failure(first).getMessage());
    harness.finish();
  }

  @Test
  void aHostCompletionDoesNotRunIfAProducerFailed() {
    QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
    producer.failsInStream = FAULT;
    QueueUse use = new QueueUse("work", first.at(1), second.at(1));
    use.hostCompletion =
        context -> {
          throw new AssertionError("the host completion ran");
        };
    harness.enqueue(0, producer);
    harness.enqueue(1, use);
    harness.queues.get(1).completer.step(); // before the producer's own queue has seen it fail
    harness.run();
    assertEquals("fault", failure(second).getMessage());
    harness.finish();
  }

  @Test
  void anExceptionOfAHostCompletionFailsTheOperation() {
    QueueUse use = new QueueUse("work", Fence.NONE, first.at(1));
    use.hostCompletion =
        context -> {
          throw new java.io.IOException("disk full");
        };
    harness.enqueue(0, use);
    harness.run();
    assertEquals(Status.ABORTED, failure(first).status());
    assertEquals("disk full", Objects.requireNonNull(failure(first).getCause()).getMessage());
    harness.finish();
  }

  /** Rule Q2: the completion thread may sleep behind other work then. */
  @Test
  void aHostCompletionThatThrowsEndsTheBorrow() {
    QueueUse use = new QueueUse("work", Fence.NONE, first.at(1));
    use.hostCompletion =
        context -> {
          throw new java.io.IOException("disk full");
        };
    harness.enqueue(0, use);
    harness.streams.get(0).advanceAll();
    assertTrue(harness.queues.get(0).completer.step());
    assertEquals(1, use.borrowed.get());
    assertTrue(harness.hostStep());
    assertEquals(0, use.borrowed.get());
    assertEquals(0, use.retired.get());
    harness.finish();
  }

  /** Rule Q7a: without these calls there is no way to know when work is complete. */
  @ParameterizedTest
  @ValueSource(
      strings = {"recordEvent", "waitEvent", "synchronizeEvent", "queryEvent", "bindToThread"})
  void aFailureOfTheEventsLosesTheDevice(String call) {
    QueueUse producer = harness.enqueue(0, "producer", Fence.NONE, first.at(1));
    harness.device.failNth(call, 1, FAULT);
    harness.enqueue(1, "consumer", first.at(1), second.at(1));
    if (call.equals("queryEvent")) {
      Objects.requireNonNull(producer.operation).settleWhenFired(System.nanoTime(), () -> true);
    }
    harness.run();
    assertEquals(Status.UNAVAILABLE, failure(second).status());
    assertTrue(failure(second).getMessage().endsWith(" failed: INTERNAL: fault"));
    HalException refused =
        assertThrows(HalException.class, () -> harness.enqueue(0, "later", Fence.NONE, gate.at(1)));
    assertEquals(Status.UNAVAILABLE, refused.status());
    harness.finish();
  }

  /**
   * The stream itself is not lost. The signals fail at once, but what the work uses is released
   * only when it has run.
   */
  @Test
  void anOperationInFlightOnALostDeviceFailsAtOnceAndRetiresBehindItsEvent() {
    QueueUse running = harness.enqueue(0, "running", Fence.NONE, first.at(1));
    harness.device.failNth("recordEvent", 1, FAULT);
    harness.enqueue(1, "losing", Fence.NONE, second.at(1));
    harness.queues.get(1).issueStep();
    assertEquals(Status.UNAVAILABLE, failure(first).status());
    assertEquals(0, running.executed.get());
    assertEquals(0, running.retired.get());
    harness.queues.get(0).completer.step();
    assertEquals(1, running.executed.get(), "its event has fired");
    assertEquals(1, running.retired.get());
    harness.finish();
  }

  /** Its work has reached the stream, and no event marks its completion. */
  @Test
  void anOperationWithoutAnEventIsKeptUntilTheStreamIsClosed() {
    harness.device.failNth("recordEvent", 1, FAULT);
    QueueUse use = harness.enqueue(0, "unrecorded", Fence.NONE, first.at(1));
    harness.queues.get(0).issueStep();
    assertEquals(Status.UNAVAILABLE, failure(first).status());
    harness.run();
    assertEquals(0, use.retired.get(), "while the stream may use what it holds");
    harness.finish();
    assertEquals(1, use.retired.get());
  }

  /** Its event has been recorded, and cannot be asked any more whether it has fired. */
  @ParameterizedTest
  @ValueSource(strings = {"queryEvent", "synchronizeEvent"})
  void anOperationWhoseEventCannotBeQueriedIsKeptUntilTheStreamIsClosed(String call) {
    harness.device.failNth(call, 1, FAULT);
    QueueUse use = harness.enqueue(0, "unasked", Fence.NONE, first.at(1));
    harness.run();
    assertEquals(Status.UNAVAILABLE, failure(first).status());
    assertEquals(0, use.executed.get());
    assertEquals(1, use.borrowed.get(), "while the stream has yet to run it");
    assertEquals(0, use.retired.get(), "while the stream has yet to run it");
    assertTrue(harness.streams.get(0).advance());
    harness.run();
    assertEquals(1, use.executed.get());
    assertEquals(0, use.retired.get(), "the stream may not have run it");
    harness.finish();
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
  }

  @Test
  void anOperationIsRetiredAtOnceIfTheRuntimeReportsTheLoss() {
    harness.device.failNth("recordEvent", 1, new HalException(Status.UNAVAILABLE, "gone"));
    QueueUse use = harness.enqueue(0, "unrecorded", Fence.NONE, first.at(1));
    harness.run();
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  /** Such as a StackOverflowError: the step is half done, and no other thread can continue it. */
  @Test
  void anErrorInALineOfTheEngineFreesTheRoleAndLosesTheDevice() {
    try (Quiet log = new Quiet()) {
      QueueUse parked = harness.enqueue(0, "parked", gate.at(1), second.at(1));
      QueueUse use = new QueueUse("overflowing", Fence.NONE, first.at(1));
      use.failsBehindRecord = new StackOverflowError();
      assertThrows(StackOverflowError.class, () -> harness.enqueue(0, use));
      harness.run();
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      assertEquals(Status.UNAVAILABLE, failure(second).status());
      assertEquals(0, use.retired.get(), "its work has reached the stream");
      assertEquals(1, parked.retired.get());
      assertEquals(1, log.count("an error interrupted a step of queue"));
      harness.finish();
      assertEquals(1, use.retired.get());
    }
  }

  /** Before anything has reached the stream, or behind it. No event is left. */
  @ParameterizedTest
  @ValueSource(strings = {"submit", "submitted"})
  void anErrorInACallOfTheDriverLosesTheDevice(String call) {
    try (Quiet log = new Quiet()) {
      harness.device.dieNext(call);
      assertThrows(
          StackOverflowError.class, () -> harness.enqueue(0, "dying", Fence.NONE, first.at(1)));
      harness.run();
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      harness.finish();
      assertEquals(1, log.count("an error interrupted a step of queue"));
    }
  }

  /** Such as an event, if its library does not have the function that makes one. */
  @Test
  void anUnlinkedDriverFailsTheOperation() {
    harness.device.atCall =
        call -> {
          if (call.equals("createEvent")) {
            throw new UnsatisfiedLinkError(call);
          }
        };
    harness.enqueue(0, "unlinked", Fence.NONE, first.at(1));
    harness.device.atCall = call -> {};
    harness.enqueue(0, "later", Fence.NONE, second.at(1));
    harness.finish();
    assertEquals(Status.INTERNAL, failure(first).status());
    assertEquals(1, second.currentValue());
  }

  /**
   * Another thread fails an operation, as the end of a group does, before the thread that enqueues
   * it has registered its waits: these would keep it for as long as the timelines last.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOperationThatFailsWhileItIsEnqueuedLeavesNoWaits(boolean isCovered) {
    if (isCovered) {
      harness.enqueue(0, producer());
    }
    QueueUse use = new QueueUse("failing", Fence.of(first.at(1), gate.at(1)), second.at(1));
    DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(1);
    Operation<FakeStream.Event> operation = harness.begin(1, use);
    use.operation = operation;
    harness.uses.add(use);
    harness.atNextLook.set(
        () -> Threads.start("failing", () -> queue.failOpen(operation, FAULT)).join());
    queue.enqueuer().submit(operation, use.waits, use.signals);
    queue.enqueuer().endEnqueue();
    assertFailure(FAULT, failure(second));
    for (OperationWait<FakeStream.Event> wait : operation.waits()) {
      WaitNode watch = wait.watch;
      assertFalse(wait.semaphore().deregister(wait), () -> "still waits for " + wait.semaphore());
      assertFalse(
          watch != null && wait.semaphore().deregister(watch),
          () -> "still watches " + wait.semaphore());
      assertNull(wait.producer());
    }
    harness.run();
    assertEquals(0, use.issued.get());
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  @Test
  void anErrorBeforeItIsAcceptedRefusesTheOperation() {
    QueueUse use = new QueueUse("overflowing", Fence.NONE, first.at(1));
    use.failsAtRegistering = new StackOverflowError();
    assertThrows(StackOverflowError.class, () -> harness.enqueue(0, use));
    harness.run();
    assertNull(harness.lost());
    assertNull(first.failure());
    assertEquals(0, harness.queues.get(0).enqueued());
    assertEquals(0, harness.open());
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
    harness.uses.clear(); // of those that were accepted
    harness.finish();
  }

  @Test
  void anErrorWhileItIsMadeReadyFailsTheOperationWithItsDevice() {
    try (Quiet log = new Quiet()) {
      QueueUse use = new QueueUse("overflowing", Fence.NONE, first.at(1));
      use.failsOnceOpen = new StackOverflowError();
      assertThrows(StackOverflowError.class, () -> harness.enqueue(0, use));
      harness.run();
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(harness.lost()).status());
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      assertEquals(1, log.count("an error interrupted a step of queue"));
      assertEquals(1, harness.queues.get(0).enqueued());
      assertEquals(0, use.borrowed.get());
      harness.finish();
    }
  }

  @Test
  void anErrorOnceItIsAcceptedFailsTheOperationWithItsDevice() {
    try (Quiet log = new Quiet()) {
      QueueUse use = new QueueUse("overflowing", gate.at(1), first.at(1));
      use.failsOnceOpen = new StackOverflowError();
      harness.enqueue(0, use);
      gate.signal(1); // its caller is not concerned
      harness.issueSteps();
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(harness.lost()).status());
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      assertEquals(1, log.count("an error interrupted a step of queue"));
      assertEquals(0, use.borrowed.get());
      assertEquals(1, use.retired.get());
      assertEquals(0, harness.open());
      assertThrows(HalException.class, () -> harness.enqueue(0, use));
      harness.finish();
    }
  }

  /** It has had no effect, so nothing but what it has borrowed has to end. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anErrorThatEndsARefusalLeavesTheRestToTheIssueThread(boolean isClosing) {
    DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(0);
    QueueUse use = new QueueUse("refused", Fence.NONE, first.at(1));
    use.failsAtEndOfBorrow = new StackOverflowError();
    Operation<FakeStream.Event> operation = harness.begin(0, use);
    assertThrows(StackOverflowError.class, () -> queue.enqueuer().abandon(operation));
    queue.enqueuer().endEnqueue();
    assertTrue(queue.shutdown().shut(System.nanoTime()), "no thread is inside any more");
    if (!isClosing) {
      harness.run();
      assertEquals(0, use.borrowed.get());
      assertEquals(1, use.retired.get());
    }
    harness.finish();
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
    assertEquals(0, queue.enqueued());
    assertNull(harness.lost());
    assertNull(first.failure());
  }

  /** Such as by a lack of memory: the issue thread tries again. */
  @Test
  void anErrorWhileItFailsLeavesNoOperation() {
    try (Quiet log = new Quiet()) {
      harness.device.failNth("createEvent", 1, FAULT);
      QueueUse use = new QueueUse("unissuable", Fence.NONE, first.at(1));
      use.failsAtEndOfBorrow = new OutOfMemoryError("as meant");
      harness.enqueue(0, use);
      harness.run();
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      assertEquals(1, use.retired.get());
      harness.finish();
    }
  }

  @Test
  void aThrowingLogDoesNotBlockWaiters() {
    try (BrokenLog log = new BrokenLog()) {
      QueueUse use = new QueueUse("overflowing", Fence.NONE, first.at(1));
      use.failsBehindRecord = new StackOverflowError();
      assertThrows(StackOverflowError.class, () -> harness.enqueue(0, use));
      harness.run();
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      harness.finish();
    }
  }

  /** The thread that met the error may have had no stack left to wake the issue thread. */
  @Test
  void theIssueThreadFindsAnErrorWithoutBeingWoken() {
    try (Quiet log = new Quiet()) {
      QueueUse use = new QueueUse("overflowing", Fence.NONE, first.at(1));
      use.failsBehindRecord = new StackOverflowError();
      assertThrows(StackOverflowError.class, () -> harness.enqueue(0, use));
      harness.queues.get(0).issueStep();
      assertEquals(Status.UNAVAILABLE, failure(first).status());
      assertEquals(1, log.count("an error interrupted a step of queue"));
      harness.finish();
    }
  }

  @Test
  void callbacksOfAnOperationThatCannotBeIssuedRunWithoutTheDrainersRole() {
    harness.device.failNth("createEvent", 1, FAULT);
    QueueUse[] nested = new QueueUse[1];
    first.onReach(1, failed -> nested[0] = harness.enqueue(0, "nested", Fence.NONE, second.at(1)));
    harness.enqueue(0, "work", Fence.NONE, first.at(1));
    assertNull(nested[0], "the issuing thread must not run users' code");
    harness.queues.get(0).issueStep();
    assertEquals(1, nested[0].issued.get(), "the role was free");
    harness.finish();
  }

  private void enqueueFailing(String name, Fence waits, Fence signals) {
    QueueUse use = new QueueUse(name, waits, signals);
    use.failsAtIssue = FAULT;
    harness.enqueue(0, use);
  }

  @Test
  void aFailureWithoutASignalIsLoggedOnce() {
    try (Quiet log = new Quiet()) {
      enqueueFailing("silent", Fence.NONE, Fence.NONE);
      enqueueFailing("signalling", Fence.NONE, first.at(1));
      harness.run();
      harness.run();
      String line = "operation 1 (silent) failed, and has no signal that would report it";
      assertEquals(1, log.count(line), () -> log.lines().toString());
      assertEquals(1, log.lines().size(), () -> log.lines().toString());
      assertTrue(log.lines().get(0).startsWith("WARNING"), () -> log.lines().toString());
    }
    harness.finish();
  }

  @Test
  void aFailedWaitIsReportedByItsTimelineOnly() {
    try (Quiet log = new Quiet()) {
      harness.enqueue(0, "silent", gate.at(1), Fence.NONE);
      enqueueFailing("producer", Fence.NONE, first.at(1));
      harness.enqueue(0, "behind", first.at(1), Fence.NONE);
      gate.fail(FAULT);
      harness.run();
      assertEquals(0, log.lines().size(), () -> log.lines().toString());
    }
    harness.finish();
  }

  @Test
  void onlyAFewFailuresWithoutASignalAreLogged() {
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < 100; i++) {
        enqueueFailing("silent", Fence.NONE, Fence.NONE);
        harness.run();
      }
      assertEquals(UnsignaledFailures.MOST, log.lines().size(), () -> log.lines().toString());
    }
    harness.finish();
  }

  @Test
  void theNextLoggedFailureCountsTheOmittedOnes() {
    UnsignaledFailures unsignaled = new UnsignaledFailures("fake-q0");
    long begin = System.nanoTime() + UnsignaledFailures.PERIOD_NANOS;
    for (int i = 0; i < UnsignaledFailures.MOST; i++) {
      assertEquals(0, unsignaled.take(begin + i));
    }
    assertEquals(-1, unsignaled.take(begin));
    assertEquals(-1, unsignaled.take(begin + UnsignaledFailures.PERIOD_NANOS / 2));
    assertEquals(2, unsignaled.take(begin + UnsignaledFailures.PERIOD_NANOS + 1_000_000_000));
    assertEquals(0, unsignaled.take(begin + UnsignaledFailures.PERIOD_NANOS + 1_000_000_000));
  }
}
