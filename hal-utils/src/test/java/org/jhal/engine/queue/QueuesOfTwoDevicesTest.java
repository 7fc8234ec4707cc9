// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.EngineSemaphore;
import org.junit.jupiter.api.Test;

/** Rule S9a: queues of devices that share events, one of which is lost. */
class QueuesOfTwoDevicesTest {
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");

  private final QueueHarness harness = QueueHarness.ofDevices(3, 1);
  private final QueueHarness pairs = QueueHarness.ofDevices(2, 2); // queues 0, 1 and 2, 3
  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final EngineSemaphore third = QueueHarness.semaphore();

  private QueueUse produce() {
    return harness.enqueue(0, "producer", Fence.NONE, first.at(1));
  }

  private QueueUse consume() {
    return harness.enqueue(1, "consumer", first.at(1), second.at(1));
  }

  private void runStream(int index) {
    runStream(harness, index);
  }

  private static void runStream(QueueHarness devices, int index) {
    devices.streams.get(index).advanceAll();
  }

  /** Longer than a stream may wait for a device that is gone. */
  private void lookForLong(int index) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2500);
    while (System.nanoTime() < end && harness.lost(index) == null) {
      boolean unused = harness.queues.get(index).issueStep();
    }
  }

  private void lookUntilLost(int index) {
    Threads.await(
        "the device of a stream that hangs to be lost",
        () -> !harness.queues.get(index).issueStep() && harness.lost(index) != null);
  }

  @Test
  void aConsumerIsIssuedBehindTheEventOfAnotherDevice() {
    produce();
    QueueUse consumer = consume();
    assertEquals(1, consumer.issued.get());
    assertFalse(consumer.waitsReached);
    runStream(1);
    assertEquals(0, consumer.executed.get());
    harness.finish();
    assertEquals(1, consumer.executed.get());
    assertEquals(1, second.currentValue());
  }

  /** And so does what waits for it on a third device. */
  @Test
  void aLossFailsOnlyDependentsElsewhereOnceTheirStreamsHavePassedThem() {
    harness.bePatient();
    produce();
    QueueUse consumer = consume();
    QueueUse further = harness.enqueue(2, "further", second.at(1), third.at(1));
    EngineSemaphore apart = QueueHarness.semaphore();
    harness.enqueue(1, "apart", Fence.NONE, apart.at(1));
    harness.lose(0, GONE);
    assertSame(GONE, first.failure());
    assertNull(second.failure());
    assertEquals(0, consumer.retired.get(), "its stream still waits");
    assertEquals(0, further.retired.get(), "its stream still waits");
    harness.finish();
    assertSame(GONE, second.failure());
    assertSame(GONE, third.failure());
    assertEquals(1, apart.currentValue());
    assertNull(harness.lost(1), "its stream got past the wait");
    assertNull(harness.lost(2), "its stream got past the wait");
  }

  @Test
  void anOperationParkedBehindALostDeviceFailsToo() {
    EngineSemaphore never = QueueHarness.semaphore();
    produce();
    harness.enqueue(1, "parked", Fence.of(first.at(1), never.at(1)), second.at(1));
    harness.lose(0, GONE);
    assertSame(GONE, second.failure());
    harness.finish();
  }

  @Test
  void aStreamThatDoesNotGetPastALostDeviceLosesItsOwn() {
    produce();
    consume();
    harness.lose(0, GONE);
    lookUntilLost(1);
    HalException cause = Objects.requireNonNull(harness.lost(1));
    assertTrue(cause.getMessage().contains("gone"), () -> "the loss names its cause: " + cause);
    assertSame(cause, second.failure());
    runStream(0);
    harness.finish();
  }

  /**
   * The time counts from the first loss, so the second device ends with the first one that waits.
   */
  @Test
  void aChainOfDevicesEndsWithinOneTimeout() {
    produce();
    consume();
    harness.enqueue(2, "further", second.at(1), third.at(1));
    harness.lose(0, GONE);
    boolean unused = harness.queues.get(2).issueStep();
    lookUntilLost(1);
    assertNull(harness.lost(2), "nothing has reported it yet");
    unused = harness.queues.get(2).issueStep();
    HalException cause = Objects.requireNonNull(harness.lost(2), "it waits once more");
    assertTrue(cause.getMessage().contains("gone"), () -> "names the first cause: " + cause);
    assertSame(cause, third.failure());
    runStream(0);
    harness.finish();
  }

  /** As a collective whose group has ended. */
  @Test
  void aFailedOperationInAHangingStreamLosesItsDeviceToo() {
    produce();
    Operation<FakeStream.Event> consumer = Objects.requireNonNull(consume().operation);
    harness.queues.get(1).failOpen(consumer, new HalException(Status.ABORTED, "before"));
    assertNotNull(second.failure());
    harness.lose(0, GONE);
    lookUntilLost(1);
    runStream(0);
    harness.finish();
  }

  /** No waiter waits longer, whatever else keeps the stream from passing the wait. */
  @Test
  void theTimeCountsFromTheLossThoughTheStreamHasNotReachedTheWait() {
    EngineSemaphore busy = QueueHarness.semaphore();
    harness.enqueue(1, "busy", Fence.NONE, busy.at(1));
    produce();
    consume();
    harness.lose(0, GONE);
    lookUntilLost(1);
    assertNotNull(second.failure());
    harness.finish();
  }

  /** Its completion thread has not come to see that. */
  @Test
  void aDeviceIsNotLostOnceItsStreamIsPastTheWait() {
    produce();
    consume();
    harness.lose(0, GONE);
    runStream(0);
    runStream(1);
    lookForLong(1);
    assertNull(harness.lost(1));
    harness.finish();
    assertSame(GONE, second.failure());
  }

  /** The stream's wait ends, since nothing runs on the lost device any more. */
  @Test
  void aWaitThatEndsWithALossCountsAsFailed() {
    produce();
    QueueUse consumer = consume();
    runStream(0);
    runStream(1);
    assertEquals(1, consumer.executed.get());
    harness.device.failNth("queryEvent", 2, GONE); // the consumer's own event is queried first
    assertTrue(harness.queues.get(1).completer.step());
    harness.run();
    assertNotNull(harness.lost(0));
    assertNull(harness.lost(1));
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(first.failure()).status());
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(second.failure()).status());
    harness.finish();
  }

  @Test
  void aWaitThatFailsSinceTheOtherDeviceIsLostFailsOneOperation() {
    harness.bePatient();
    produce();
    harness.device.failNth("waitEvent", 1, GONE);
    harness.device.failNth("queryEvent", 1, GONE);
    consume();
    harness.run();
    assertNotNull(harness.lost(0));
    assertNull(harness.lost(1));
    assertNotNull(second.failure());
    harness.enqueue(1, "later", Fence.NONE, third.at(1));
    harness.finish();
    assertEquals(1, third.currentValue());
  }

  /** The close begins while the consumer's thread is inside the producer's queue. */
  @Test
  void aWaitThatFailsWhileTheLostDeviceClosesFailsOneOperation() {
    harness.bePatient();
    produce();
    harness.device.failNth("queryEvent", 1, GONE);
    harness.device.atCall =
        call -> {
          if (call.equals("waitEvent")) {
            harness.queues.get(0).gate.shut();
            throw GONE.again();
          }
        };
    consume();
    harness.device.atCall = call -> {};
    harness.run();
    assertNotNull(harness.lost(0));
    assertNull(harness.lost(1));
    assertNotNull(second.failure());
    harness.finish();
  }

  /** As of a native function that its library does not have. */
  @Test
  void anErrorOfAnUnlinkedQueryLosesTheDeviceThatIsAsked() {
    produce();
    consume();
    runStream(0);
    runStream(1);
    boolean[] isProducers = new boolean[1];
    harness.device.atCall =
        call -> {
          if (call.equals("queryEvent") && isProducers[0]) {
            throw new UnsatisfiedLinkError("queryEvent");
          }
          isProducers[0] |= call.equals("queryEvent"); // the first is the consumer's
        };
    while (harness.queues.get(1).completionRole.takeStepsIfWoken()) {
      continue;
    }
    harness.device.atCall = call -> {};
    harness.run();
    assertNotNull(harness.lost(0));
    assertNull(harness.lost(1));
    harness.finish();
  }

  @Test
  void aWaitThatFailsForAnotherReasonLosesItsOwnDevice() {
    produce();
    harness.device.failNth("waitEvent", 1, GONE);
    consume();
    harness.run();
    assertNull(harness.lost(0));
    assertNotNull(harness.lost(1));
    assertNotNull(second.failure());
    harness.finish();
    assertEquals(1, first.currentValue());
  }

  /** The producer's device is lost after the consumer has looked at it. */
  @Test
  void aLossWhileTheConsumerIsIssuedIsNotMissed() {
    harness.bePatient();
    produce();
    QueueUse consumer = new QueueUse("consumer", first.at(1), second.at(1));
    consumer.atIssue = () -> harness.lose(0, GONE);
    harness.enqueue(1, consumer);
    runStream(0);
    harness.finish();
    assertSame(GONE, second.failure());
  }

  /** The thread that loses the device has yet to fail the producer. */
  @Test
  void aConsumerThatIsIssuedWhileTheProducerIsLostFails() {
    harness.bePatient();
    produce();
    harness.holdLoss();
    harness.lose(0, GONE);
    QueueUse consumer = consume();
    assertEquals(1, consumer.issued.get());
    harness.spreadLoss();
    harness.finish();
    assertSame(GONE, first.failure());
    assertSame(GONE, second.failure());
  }

  @Test
  void anOperationThatWouldWaitForAShutDeviceFails() {
    produce();
    assertTrue(harness.queues.get(0).shutdown().shut(System.nanoTime()));
    QueueUse consumer = consume();
    boolean unused = harness.queues.get(1).issueStep();
    assertEquals(0, consumer.issued.get());
    assertEquals(Status.DEADLINE_EXCEEDED, Objects.requireNonNull(second.failure()).status());
    assertNull(harness.lost(1));
    runStream(0);
    harness.finish();
  }

  /** Its event fires late, and then the consumer's own work takes long. */
  @Test
  void theTimeDoesNotCountOnceAProducerOnAClosedDeviceIsOver() {
    QueueUse producer = produce();
    consume();
    int left = harness.queues.get(0).shutdown().abandonAll(GONE);
    assertEquals(1, left);
    runStream(0);
    while (harness.queues.get(0).completer.step()) {
      continue;
    }
    assertEquals(1, producer.retired.get());
    assertTrue(harness.streams.get(1).advance(), "the stream gets past the wait");
    lookForLong(1);
    assertNull(harness.lost(1));
    harness.finish();
    assertSame(GONE, second.failure());
  }

  @Test
  void aStreamThatDoesNotGetPastADeviceThatWasClosedLosesItsOwn() {
    produce();
    consume();
    int left = harness.queues.get(0).shutdown().abandonAll(GONE);
    assertEquals(1, left);
    assertNull(second.failure());
    lookUntilLost(1);
    assertNotNull(second.failure());
    harness.finish();
  }

  /** Nothing is lost or closed. */
  @Test
  void aProducerThatFailsByItselfLosesNoDevice() {
    QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
    producer.failsInStream = new HalException(Status.ABORTED, "by itself");
    harness.enqueue(0, producer);
    QueueUse consumer = new QueueUse("consumer", first.at(1), second.at(1));
    consumer.atIssue =
        () -> {
          runStream(0);
          boolean unused = harness.queues.get(0).completer.step();
        };
    harness.enqueue(1, consumer);
    assertNotNull(first.failure());
    assertTrue(harness.streams.get(1).advance(), "the stream gets past the wait");
    lookForLong(1);
    assertNull(harness.lost(1));
    harness.finish();
    assertEquals("by itself", Objects.requireNonNull(second.failure()).getMessage());
  }

  /** A chain of both devices; the stream of the last operation gets past what was never run. */
  @Test
  void aLossDoesNotSettleTheProducersOfTheLostWork() {
    QueueUse before = pairs.enqueue(3, "before", Fence.NONE, first.at(1));
    pairs.enqueue(0, "lost", first.at(1), second.at(1));
    pairs.enqueue(2, "last", second.at(1), third.at(1));
    pairs.device.failNth("queryEvent", 2, GONE); // of the lost operation
    pairs.streams.get(2).skipWait();
    runStream(pairs, 2);
    boolean unused = pairs.queues.get(2).completer.step();
    assertEquals(0, before.executed.get());
    assertEquals(0, first.currentValue(), "it has not run yet");
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(third.failure()).status());
    pairs.finish();
    assertEquals(1, first.currentValue());
    assertNull(pairs.lost(1));
  }

  /** The consumer of a consumer is being issued, on the same device, while the producer is lost. */
  @Test
  void aLossWhileTheNextConsumerIsIssuedIsNotMissed() {
    pairs.bePatient();
    pairs.enqueue(0, "producer", Fence.NONE, first.at(1));
    pairs.enqueue(2, "consumer", first.at(1), second.at(1));
    QueueUse next = new QueueUse("next", second.at(1), third.at(1));
    next.atIssue = () -> pairs.lose(0, GONE);
    pairs.enqueue(3, next);
    runStream(pairs, 0);
    pairs.finish();
    assertSame(GONE, second.failure());
    assertSame(GONE, third.failure());
  }

  /** A host thread must not wait for another device's event longer than it wants to wait itself. */
  @Test
  void aHostThreadDoesNotWaitForAnEventOfAnotherDevice() {
    produce();
    QueueUse consumer = consume();
    harness.streams.get(1).skipWait(); // the other device knows a little earlier
    runStream(1);
    Operation<?> operation = Objects.requireNonNull(consumer.operation);
    assertFalse(operation.settleWhenFired(System.nanoTime(), () -> false));
    assertNull(harness.lost(0), "its event may still fire");
    assertEquals(0, second.currentValue());
    runStream(0);
    assertTrue(operation.settleWhenFired(System.nanoTime(), () -> false));
    assertEquals(1, second.currentValue());
    harness.finish();
  }

  /** How often the steps of 3 s go through all open operations. */
  private long looks(int index) {
    long before = harness.queues.get(index).watch.looks;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
    do {
      boolean unused = harness.queues.get(index).issueStep();
    } while (System.nanoTime() < end);
    return harness.queues.get(index).watch.looks - before;
  }

  /** Going through a million takes tens of milliseconds, and makes megabytes of garbage. */
  @Test
  void aLossThatConcernsNothingIsNotLookedAtForEver() {
    EngineSemaphore never = QueueHarness.semaphore();
    harness.enqueue(1, "parked", never.at(1), Fence.NONE);
    harness.lose(0, GONE);
    long looks = looks(1);
    assertTrue(looks >= 1 && looks <= 2, looks + " looks in 3 s");
    harness.lose(2, GONE);
    assertTrue(looks(1) >= 1, "another loss is looked at");
    assertNull(harness.lost(1));
    never.fail(GONE);
    harness.finish();
  }

  /** The close of the other device has given up, and fails its operations only then. */
  @Test
  void aWaitForADeviceThatIsGoneAlreadyIsSeen() {
    QueueUse producer = produce();
    harness.queues.get(0).end.begin(System.nanoTime());
    lookForLong(1);
    consume();
    harness
        .queues
        .get(0)
        .failOpen(
            Objects.requireNonNull(producer.operation),
            new HalException(Status.DEADLINE_EXCEEDED, "gone"));
    lookUntilLost(1);
    assertTrue(Objects.requireNonNull(harness.lost(1)).getMessage().contains("gone"));
    runStream(0);
    harness.finish();
  }
}
