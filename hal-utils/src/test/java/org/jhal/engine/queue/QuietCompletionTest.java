// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * While nobody wants to know what a stream has done, the completion thread seldom queries its
 * events. As soon as somebody does, it looks.
 */
@Timeout(120)
class QuietCompletionTest {
  /** Longer than any test: a thread that looks has been told to. */
  private static final long FOR_EVER = Duration.ofHours(1).toNanos();

  /** So short that the completion thread soon looks of its own accord. */
  private static final long SHORT = 50_000;

  private static final int MANY = 300;

  private QueueHarness harness = QueueHarness.thatIsQuiet(1, 512, FOR_EVER);
  private final QueueHarness other = new QueueHarness(1);
  private final EngineSemaphore done = QueueHarness.semaphore();
  private final EngineSemaphore reached = QueueHarness.semaphore();
  private final AtomicBoolean isSeen = new AtomicBoolean();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final List<Threads> threads = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    queue().wish.want(Wish.ALL);
    if (threads.isEmpty()) {
      startCompleting();
    }
    Threads.await(
        "all operations to retire",
        () -> {
          runStream();
          boolean ignored = queue().issueRole.takeStepsIfWoken() | harness.hostStep();
          return harness.open() == 0;
        });
    isOver.set(true);
    threads.forEach(Threads::join);
    harness.finish();
    other.finish();
  }

  private void looksEvery(long nanos) {
    harness.finish();
    harness = QueueHarness.thatIsQuiet(1, 512, nanos);
  }

  private DeferredWorkQueue<Event> queue() {
    return harness.queues.get(0);
  }

  private QueueUse enqueue(long value) {
    return harness.enqueue(0, "work " + value, Fence.NONE, done.at(value));
  }

  private void runStream() {
    harness.streams.get(0).advanceAll();
  }

  private int queries() {
    return harness.device.calls("queryEvent");
  }

  /** Starts the completion thread, which runs until the test is over. */
  private void startCompleting() {
    threads.add(
        Threads.start(
            "completion",
            () -> {
              while (!isOver.get()) {
                queue().completionRole.takeStepsIfWoken();
              }
            }));
  }

  /** One operation is complete, and the completion thread has been told nothing of a waiter. */
  private void completeUnseen() {
    startCompleting();
    enqueue(1);
    runStream();
    assertEquals(0, queries());
    assertEquals(0, done.currentValue());
  }

  private void awaitSeen() {
    Threads.await("the completion thread to see the event", () -> done.currentValue() == 1);
  }

  private void awaitIssued(QueueUse use) {
    Threads.await(
        "the issue of " + use.name,
        () -> {
          queue().issueRole.takeStepsIfWoken();
          return use.issued.get() == 1;
        });
  }

  // Nobody waits.

  @Test
  void oneQueryCompletesAllThatIsOver() {
    looksEvery(SHORT);
    for (int i = 1; i <= MANY; i++) {
      enqueue(i);
    }
    runStream();
    while (queue().completionRole.takeStepsIfWoken()) {
      continue;
    }
    assertEquals(MANY, done.currentValue());
    assertEquals(1, queries());
    assertEquals(0, harness.open(), "operations that have not retired");
  }

  @Test
  void everythingCompletesWithoutAWaiter() {
    looksEvery(SHORT);
    startCompleting();
    for (int i = 1; i <= MANY; i++) {
      enqueue(i);
      harness.streams.get(0).advance();
    }
    runStream();
    Threads.await("all operations to retire", () -> harness.open() == 0);
    assertEquals(MANY, done.currentValue());
  }

  @Test
  void aShortOperationIsSeenBeforeALongOneBehindIt() {
    looksEvery(SHORT);
    enqueue(1);
    enqueue(2);
    assertTrue(harness.streams.get(0).advance()); // the work
    assertTrue(harness.streams.get(0).advance()); // the event of the first
    startCompleting();
    awaitSeen();
  }

  @Test
  void eachIsAskedAboutIfTheStreamIsNotInOrder() {
    looksEvery(SHORT);
    harness.device.setInOrder(false);
    for (int i = 1; i <= MANY; i++) {
      enqueue(i);
    }
    runStream();
    while (queue().completionRole.takeStepsIfWoken()) {
      continue;
    }
    assertEquals(MANY, done.currentValue());
    assertEquals(MANY, queries());
  }

  /** A later event says nothing about how the earlier work has ended. */
  @Test
  void eachIsAskedAboutIfItsOutcomeCanFail() {
    harness.finish();
    harness = QueueHarness.thatIsQuietAndAsked(1, SHORT);
    EngineSemaphore failing = QueueHarness.semaphore();
    QueueUse failed = new QueueUse("failing", Fence.NONE, failing.at(1));
    failed.failsInStream = new HalException(Status.INTERNAL, "a kernel failed");
    harness.enqueue(0, failed);
    enqueue(1);
    runStream();
    while (queue().completionRole.takeStepsIfWoken()) {
      continue;
    }
    assertEquals(1, done.currentValue());
    assertNotNull(failing.failure());
    assertEquals(2, harness.device.calls("outcome"));
  }

  @Test
  void aFailedQueryLosesTheDevice() {
    looksEvery(SHORT);
    enqueue(1);
    enqueue(2);
    runStream();
    harness.device.failNth("queryEvent", 1, new HalException(Status.UNAVAILABLE, "gone"));
    harness.run();
    assertNotNull(harness.lost());
    assertNotNull(done.failure());
    assertEquals(0, harness.open());
  }

  // Somebody wants to know.

  @Test
  void aHostThreadThatParksIsWoken() {
    completeUnseen();
    Threads waiter = Threads.start("waiter", () -> done.await(1)); // its spin time is 0
    waiter.join();
  }

  @Test
  void aHostThreadThatCameFirstIsWoken() {
    startCompleting();
    Threads waiter = Threads.start("waiter", () -> done.await(1));
    waiter.awaitBlocked();
    enqueue(1);
    runStream();
    waiter.join();
  }

  @Test
  void aCallbackIsCalled() {
    completeUnseen();
    var unused = done.onReach(1, failure -> isSeen.set(true));
    Threads.await("the callback", isSeen::get);
  }

  @Test
  void aCallbackThatCameFirstIsCalled() {
    startCompleting();
    var unused = done.onReach(1, failure -> isSeen.set(true));
    enqueue(1);
    runStream();
    Threads.await("the callback", isSeen::get);
  }

  /** One that waits for more than the operation raises wants nothing of it. */
  @Test
  void aCallbackForAnotherValueIsNoReasonToLook() {
    var unused = done.onReach(2, failure -> isSeen.set(true));
    enqueue(1);
    assertFalse(queue().wish.covers(1));
    enqueue(2);
    assertTrue(queue().wish.covers(2));
    assertFalse(queue().wish.covers(3));
  }

  @Test
  void aQueueOfAnotherDeviceGoesOn() {
    completeUnseen();
    other.enqueue(0, "consumer", done.at(1), reached.at(1));
    Threads.await(
        "the consumer on the other device",
        () -> {
          other.run();
          return reached.currentValue() == 1;
        });
  }

  @Test
  void aQueueOfAnotherDeviceThatCameFirstGoesOn() {
    startCompleting();
    other.enqueue(0, "consumer", done.at(1), reached.at(1));
    enqueue(1);
    runStream();
    Threads.await(
        "the consumer on the other device",
        () -> {
          other.run();
          return reached.currentValue() == 1;
        });
  }

  /** A host call, which must not begin before the host has seen its waits reached. */
  @Test
  void workThatWaitsOnTheHostGoesOn() {
    completeUnseen();
    QueueUse call = new QueueUse("host call", done.at(1), reached.at(1));
    call.waitsOnHost = true;
    harness.enqueue(0, call);
    awaitIssued(call);
  }

  /** It waits in the stream, so nobody has to know when its producer is over. */
  @Test
  void workThatWaitsInTheStreamIsNoReasonToLook() {
    enqueue(1);
    harness.enqueue(0, "consumer", done.at(1), reached.at(1));
    assertFalse(queue().wish.covers(1));
  }

  /**
   * All its waits are covered by the event of one operation, which a cascade issues, or the program
   * itself.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void workBehindAllSignalsOfAnOperationIsNoReasonToLook(boolean isCascade) {
    EngineSemaphore start = QueueHarness.semaphore();
    EngineSemaphore third = QueueHarness.semaphore();
    Fence all = Fence.of(done.at(1), reached.at(1), third.at(1));
    QueueUse consumer = harness.enqueue(0, "consumer", all, done.at(2));
    harness.enqueue(0, "producer", isCascade ? start.at(1) : Fence.NONE, all);
    start.signal(1);
    assertEquals(1, consumer.issued.get());
    assertFalse(queue().wish.covers(1));
  }

  @Test
  void lookingAtTheValueShowsIt() {
    completeUnseen();
    Threads.await("the value", () -> done.value() == 1);
  }

  @Test
  void checkingForTheValueShowsIt() {
    completeUnseen();
    Threads.await(
        "the value",
        () -> {
          try {
            return done.tryAwait(1, Duration.ZERO);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void anOperationWithAHostCompletionIsWantedFromTheStart() {
    startCompleting();
    QueueUse use = new QueueUse("readback", Fence.NONE, done.at(1));
    use.hostCompletion = context -> isSeen.set(true);
    use.signalsAfterHostCompletion = true;
    harness.enqueue(0, use);
    runStream();
    Threads.await("the host completion to be handed on", harness::hostStep);
    assertTrue(isSeen.get());
  }

  @Test
  void anOperationThatBorrowsMemoryIsWantedFromTheStart() {
    startCompleting();
    QueueUse use = new QueueUse("upload", Fence.NONE, done.at(1));
    use.hasBorrow = true;
    harness.enqueue(0, use);
    runStream();
    Threads.await("the memory to be returned", () -> use.borrowed.get() == 0);
  }

  @Test
  void anOperationThatFailedAtIssueIsWantedFromTheStart() {
    startCompleting();
    QueueUse use = new QueueUse("failing", Fence.NONE, done.at(1));
    use.failsAtIssue = new HalException(Status.INTERNAL, "refused");
    harness.enqueue(0, use);
    runStream();
    Threads.await("the failure", () -> done.failure() != null);
  }

  @Test
  void roomInAFullStreamIsWanted() {
    harness.finish();
    harness = QueueHarness.thatIsQuiet(1, 4, FOR_EVER);
    startCompleting();
    for (int i = 1; i <= 5; i++) {
      enqueue(i);
    }
    runStream();
    QueueUse last = harness.uses.get(4);
    awaitIssued(last);
  }

  @Test
  void aStreamWithRoomIsNoReasonToLook() {
    harness.finish();
    harness = QueueHarness.thatIsQuiet(1, 4, FOR_EVER);
    for (int i = 1; i <= 4; i++) {
      enqueue(i);
    }
    assertFalse(queue().wish.covers(1));
    enqueue(5);
    assertTrue(queue().wish.covers(2), "half of the stream has to be empty");
    assertFalse(queue().wish.covers(3));
  }

  @Test
  void aCloseSeesWhatIsOver() {
    completeUnseen();
    assertTrue(queue().shutdown().awaitIdle(System.nanoTime() + Duration.ofSeconds(30).toNanos()));
    assertEquals(1, done.currentValue());
  }

  @Test
  void theLossOfTheDeviceRetiresWhatIsOver() {
    completeUnseen();
    harness.lose(new HalException(Status.UNAVAILABLE, "gone"));
    Threads.await("the operation to retire", () -> harness.open() == 0);
    assertNotNull(done.failure());
  }

  /** It sleeps in the native runtime instead, from which every event wakes it. */
  @Test
  void aThreadThatNeverPollsIsNeverQuiet() {
    other.enqueue(0, "work", Fence.NONE, done.at(1));
    other.run();
    assertEquals(1, done.currentValue());
    assertNull(done.failure());
  }

  private static void end(QueueHarness quiet) {
    for (FakeStream stream : quiet.streams) {
      stream.advanceAll();
    }
    quiet.queues.forEach(queue -> queue.wish.want(Wish.ALL));
    quiet.finish();
  }

  /** Two queues raise one timeline, and a program looks for the value of the first. */
  @Test
  void lookingWantsTheNextValueWhicheverQueueRaisesIt() {
    QueueHarness two = QueueHarness.thatIsQuiet(2, 512, FOR_EVER);
    two.enqueue(0, "first", Fence.NONE, done.at(1));
    two.enqueue(1, "second", Fence.NONE, done.at(2));
    assertEquals(0, done.value());
    assertTrue(two.queues.get(0).wish.covers(1));
    end(two);
  }

  /** The operation that was published last is over, one before it is not. */
  @Test
  void lookingWantsWhatIsInFlightThoughTheNewestIsOver() {
    QueueHarness two = QueueHarness.thatIsQuiet(2, 512, FOR_EVER);
    two.enqueue(0, "first", Fence.NONE, done.at(3));
    two.enqueue(1, "second", Fence.NONE, done.at(2));
    done.signalAtLeast(2);
    assertEquals(2, done.value());
    assertTrue(two.queues.get(0).wish.covers(1));
    end(two);
  }

  /** A program looks before anything can raise the value, and again until it has risen. */
  @Test
  void whatIsPublishedAfterALookIsWanted() {
    assertEquals(0, done.value());
    enqueue(1);
    assertTrue(queue().wish.covers(1));
  }

  /** Something retires all the time, and yet the completion thread looks. */
  @Test
  void retiringDoesNotPutOffLooking() {
    looksEvery(20_000_000);
    EngineSemaphore failed = QueueHarness.semaphore();
    failed.fail(new HalException(Status.ABORTED, "failed"));
    enqueue(1);
    runStream();
    Threads.await(
        "the completion thread to see the work",
        () -> {
          harness.enqueue(0, "failing", failed.at(1), reached.at(1));
          boolean ignored = queue().issueRole.takeStepsIfWoken() | queue().completer.step();
          return done.currentValue() == 1;
        });
  }
}
