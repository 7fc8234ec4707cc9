// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q1, Q4 and Q5 in a queue: which thread issues what, when, and behind which events. */
class DeferredWorkQueueTest {
  private final QueueHarness harness = new QueueHarness(2);
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final List<String> executed = new ArrayList<>();

  @AfterEach
  void finish() {
    harness.finish();
  }

  private QueueUse work(QueueHarness target, int queue, String name, Fence waits, Fence signals) {
    QueueUse use = new QueueUse(name, waits, signals);
    use.effect = () -> executed.add(name);
    return target.enqueue(queue, use);
  }

  @Test
  void operationsThatBecomeReadyTogetherAreIssuedInEnqueueOrder() {
    for (int i = 0; i < 20; i++) {
      // The waits are registered in another order than the operations are enqueued.
      work(harness, 0, "work " + i, gate.at(1 + (i * 7) % 20), Fence.NONE);
    }
    gate.signal(20);
    harness.run();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      expected.add("work " + i);
    }
    assertEquals(expected, executed);
  }

  @Test
  void aParkedOperationDoesNotDelayOthers() {
    work(harness, 0, "parked", gate.at(1), Fence.NONE);
    work(harness, 0, "free", Fence.NONE, Fence.NONE);
    harness.run();
    assertEquals(List.of("free"), executed);
    gate.signal(1);
    harness.run();
    assertEquals(List.of("free", "parked"), executed);
  }

  /** What is parked fails when a queue is closed or a group ends; the rest is waited for. */
  @Test
  void anOperationWithoutOpenWaitsIsNeverParked() {
    QueueUse use = new QueueUse("free", Fence.NONE, first.at(1));
    List<Boolean> parked = new ArrayList<>();
    use.onceOpen = () -> parked.add(Objects.requireNonNull(use.operation).isParked());
    harness.enqueue(0, use);
    harness.run();
    assertEquals(1, first.value());
    assertFalse(parked.isEmpty());
    assertFalse(parked.contains(true));
  }

  @Test
  void anOperationWaitsForAllOfItsWaitsOnce() {
    work(harness, 0, "work", gate.at(1).and(first.at(2)).and(second.at(1)), Fence.NONE);
    first.signal(1);
    gate.signal(1);
    gate.signal(2);
    first.signal(2);
    first.signal(3);
    harness.run();
    assertEquals(List.of(), executed);
    second.signal(1);
    harness.run();
    assertEquals(List.of("work"), executed);
  }

  // Native waits.

  @Test
  void aConsumerOnAnotherQueueWaitsNativelyWheneverItWasEnqueued() {
    QueueUse before = work(harness, 1, "before", first.at(1), Fence.NONE);
    assertEquals(0, before.issued.get());
    work(harness, 0, "producer", Fence.NONE, first.at(2));
    QueueUse after = work(harness, 1, "after", first.at(2), Fence.NONE);
    assertEquals(1, before.issued.get(), "issued with its producer, before any completion");
    assertEquals(1, after.issued.get());
    assertEquals(2, harness.device.calls("waitEvent"));
    assertEquals(0, first.value());
    assertEquals(List.of(), executed);
    harness.run();
    assertEquals("producer", executed.get(0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConsumerOnTheSameQueueNeedsAnEventOnlyIfTheStreamSwaps(boolean isInOrder) {
    harness.device.setInOrder(isInOrder);
    work(harness, 0, "producer", Fence.NONE, first.at(1));
    QueueUse consumer = work(harness, 0, "consumer", first.at(1), Fence.NONE);
    assertEquals(1, consumer.issued.get());
    assertEquals(isInOrder ? 0 : 1, harness.device.calls("waitEvent"));
  }

  @Test
  void theStreamWaitsForTheSmallestCoveringValue() {
    work(harness, 0, "one", Fence.NONE, first.at(5));
    work(harness, 0, "two", Fence.NONE, first.at(9));
    work(harness, 1, "consumer", first.at(4), Fence.NONE);
    // The consumer's stream runs before the second producer does.
    harness.streams.get(0).advance(); // its work
    harness.streams.get(0).advance(); // its event
    harness.streams.get(1).advanceAll();
    assertEquals(List.of("one", "consumer"), executed);
  }

  @Test
  void aWaitThatAnEventCoversIsReachedWhenItsProducerIsOver() {
    gate.signal(1);
    work(harness, 0, "producer", Fence.NONE, first.at(1));
    QueueUse covered = work(harness, 1, "covered", gate.at(1).and(first.at(1)), Fence.NONE);
    QueueUse reached = work(harness, 1, "reached", gate.at(1), Fence.NONE);
    QueueUse free = work(harness, 1, "free", Fence.NONE, Fence.NONE);
    harness.run();
    QueueUse behind = work(harness, 1, "behind", gate.at(1).and(first.at(1)), Fence.NONE);
    assertFalse(covered.waitsReached);
    assertTrue(reached.waitsReached);
    assertTrue(free.waitsReached);
    assertTrue(behind.waitsReached);
  }

  @Test
  void aWaitThatAnEventCoversIsReachedBeforeACompletionThreadHasLooked() {
    work(harness, 0, "producer", Fence.NONE, first.at(1));
    harness.streams.get(0).advanceAll();
    QueueUse behind = work(harness, 1, "behind", first.at(1), Fence.NONE);
    assertTrue(behind.waitsReached);
  }

  @Test
  void anotherDevicesEventCoversNothing() {
    QueueHarness other = new QueueHarness(1);
    work(harness, 0, "producer", Fence.NONE, first.at(1));
    QueueUse before = work(other, 0, "consumer", first.at(1), second.at(1));
    assertEquals(0, before.issued.get());
    harness.run();
    other.run();
    assertEquals(1, before.issued.get());
    assertEquals(0, other.device.calls("waitEvent"));
    other.finish();
  }

  @Test
  void anOperationWithAHostCompletionCoversNothing() {
    QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
    producer.hostCompletion = context -> executed.add("host");
    harness.enqueue(0, producer);
    QueueUse consumer = work(harness, 1, "consumer", first.at(1), Fence.NONE);
    harness.queues.get(0).completer.step();
    assertEquals(0, consumer.issued.get());
    assertEquals(0, first.value());
    harness.run();
    assertEquals(List.of("host", "consumer"), executed);
  }

  @Test
  void aHostCompletionAfterTheSignalsDoesNotDelayThem() {
    QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
    producer.hostCompletion = context -> executed.add("host");
    producer.signalsAfterHostCompletion = false;
    harness.enqueue(0, producer);
    work(harness, 1, "consumer", first.at(1), Fence.NONE);
    while (harness.queues.get(0).completer.step() || harness.queues.get(1).completer.step()) {
      continue;
    }
    assertEquals(1, first.value());
    assertEquals(List.of("consumer"), executed);
    harness.run();
    assertEquals(List.of("consumer", "host"), executed);
  }

  // Which thread issues, and how much.

  @Test
  void aSubmitterIssuesAFewAndLeavesTheRest() {
    for (int i = 0; i < 100; i++) {
      work(harness, 0, "work", gate.at(1), Fence.NONE);
    }
    gate.signal(1);
    int issued = 0;
    for (QueueUse use : harness.uses) {
      issued += use.issued.get();
    }
    assertEquals(32, issued);
    harness.queues.get(0).issueStep();
    harness.uses.forEach(use -> assertEquals(1, use.issued.get()));
  }

  /** Without a wake, it would be issued when the issue thread next looks by itself. */
  @Test
  void theIssueThreadIsWokenForTheRest() {
    for (int i = 0; i < 100; i++) {
      work(harness, 0, "work", gate.at(1), Fence.NONE);
    }
    gate.signal(1);
    assertTrue(harness.queues.get(0).issueRole.takeStepsIfWoken(), "the issue thread is not woken");
    harness.uses.forEach(use -> assertEquals(1, use.issued.get()));
  }

  /**
   * Operations that wait for room in the stream: for one of two places, or for the weight of one.
   * Nobody enqueues anything more, so only who makes the room can wake who issues.
   */
  @ParameterizedTest
  @CsvSource({"2, 1000, 1", "512, 10, 5"})
  void theIssueThreadIsWokenWhenThereIsRoom(int maxInFlight, int capacity, int weight) {
    QueueHarness narrow = new QueueHarness(1, maxInFlight, capacity);
    for (int i = 0; i < 7; i++) {
      enqueue(narrow, "work " + i, weight);
    }
    narrow.run();
    narrow.uses.forEach(use -> assertEquals(1, use.executed.get(), use::toString));
    narrow.finish();
  }

  @Test
  void aThreadOfADeviceIssuesNothingWhenItSignals() throws InterruptedException {
    QueueUse use = work(harness, 0, "work", gate.at(1), Fence.NONE);
    EngineThread signaller = new EngineThread("signaller", () -> gate.signal(1));
    signaller.start();
    signaller.join(30_000);
    assertFalse(signaller.isAlive(), "signalling has not ended after 30 s");
    assertEquals(0, use.issued.get());
    harness.queues.get(0).issueStep();
    assertEquals(1, use.issued.get());
  }

  /**
   * Many threads enqueue and signal with little room in the stream: one at a time issues it all.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void aFullStreamLosesNothing(int maxInFlight) {
    int count = 3_000;
    QueueHarness narrow = new QueueHarness(1, maxInFlight);
    DeferredWorkQueue<Event> queue = narrow.queues.get(0);
    AtomicInteger signalled = new AtomicInteger();
    AtomicInteger largest = new AtomicInteger();
    AtomicInteger enqueuers = new AtomicInteger(2);
    Threads.Body enqueue =
        () -> {
          Random random = new Random(7);
          for (int i = 0; i < count; i++) {
            narrow.enqueue(0, "work", gate.at(random.nextInt(count)), Fence.NONE);
          }
          enqueuers.decrementAndGet();
        };
    Threads.together(
        enqueue,
        enqueue,
        () -> {
          while (signalled.incrementAndGet() <= count) {
            gate.signal(signalled.get());
          }
        },
        () -> {
          while (enqueuers.get() > 0) {
            queue.issueStep();
          }
        },
        () -> {
          while (enqueuers.get() > 0) {
            queue.completer.step();
            largest.accumulateAndGet(issued(queue), Math::max);
          }
        });
    assertTrue(largest.get() <= maxInFlight + 1, "issued at once: " + largest);
    narrow.finish();
    narrow.uses.forEach(use -> assertEquals(1, use.executed.get()));
  }

  /** The limit counts commands, not operations. Only the issue thread may exceed it. */
  @Test
  void anOperationThatMayFillTheStreamIsLeftToTheIssueThread() {
    QueueHarness narrow = new QueueHarness(1, 512, 10); // waits and the event count as well
    DeferredWorkQueue<Event> queue = narrow.queues.get(0);
    QueueUse first = enqueue(narrow, "first", 4);
    QueueUse second = enqueue(narrow, "second", 4);
    QueueUse third = enqueue(narrow, "third", 1);
    QueueUse heavy = enqueue(narrow, "heavy", 100);
    assertEquals(1, second.issued.get());
    queue.issueStep();
    assertEquals(0, third.issued.get(), "the stream is full");
    assertTrue(queue.completer.step());
    assertTrue(queue.completer.step());
    queue.issueStep();
    assertEquals(1, third.issued.get());
    assertEquals(0, heavy.issued.get(), "the stream is not empty");
    assertTrue(queue.completer.step());
    queue.drainAfterSignal();
    assertEquals(0, heavy.issued.get(), "a user's thread must not issue what blocks");
    assertTrue(queue.issueRole.takeStepsIfWoken(), "the issue thread was not woken");
    assertEquals(1, heavy.issued.get());
    assertEquals(1, first.executed.get());
    narrow.finish();
  }

  @Test
  void theIssueThreadIssuesAnOperationThatMayBlockEvenIfItFits() {
    DeferredWorkQueue<Event> queue = harness.queues.get(0);
    QueueUse inFlight = enqueue(harness, "in flight", 1);
    QueueUse direct = new QueueUse("direct", Fence.NONE, Fence.NONE);
    direct.mayBlock = true;
    harness.enqueue(0, direct);
    QueueUse behind = enqueue(harness, "behind", 1);
    QueueUse parked = new QueueUse("parked", gate.at(1), Fence.NONE);
    parked.mayBlock = true;
    harness.enqueue(0, parked);
    gate.signal(1);
    queue.drainAfterSignal();
    assertEquals(1, inFlight.issued.get());
    assertEquals(0, direct.issued.get(), "a user's thread must not issue what may block");
    assertEquals(0, behind.issued.get(), "ready operations are issued in order");
    assertEquals(0, parked.issued.get(), "a signalling thread must not issue it either");
    assertTrue(queue.issueRole.takeStepsIfWoken(), "the issue thread was not woken");
    assertEquals(1, direct.issued.get());
    assertEquals(1, behind.issued.get());
    assertEquals(1, parked.issued.get());
    assertEquals(0, inFlight.executed.get(), "the issue thread waited for the stream to be empty");
  }

  private static QueueUse enqueue(QueueHarness harness, String name, int weight) {
    QueueUse use = new QueueUse(name, Fence.NONE, Fence.NONE);
    use.weight = weight;
    return harness.enqueue(0, use);
  }

  /** How many operations are in the stream or just being issued. */
  private static int issued(DeferredWorkQueue<Event> queue) {
    long[] states = new long[State.values().length];
    queue.count(states);
    return (int) states[State.ISSUED.ordinal()];
  }

  // Messages.

  @Test
  void anAbandonedOperationHasNoEffect() {
    DeferredWorkQueue<Event> queue = harness.queues.get(0);
    queue.enqueuer().abandon(harness.begin(0, new QueueUse("refused", Fence.NONE, Fence.NONE)));
    queue.enqueuer().endEnqueue();
    assertEquals(0, queue.enqueued());
    assertEquals(0, harness.open());
  }

  /** Or the last of a chain of a million operations would keep all of them from the collector. */
  @Test
  void anOperationWithAnOutcomeKeepsNoProducer() {
    QueueUse producer = work(harness, 0, "producer", Fence.NONE, first.at(1));
    QueueUse consumer = work(harness, 0, "consumer", first.at(1), first.at(2));
    Operation<Event> operation = Objects.requireNonNull(consumer.operation);
    assertSame(producer.operation, operation.waits()[0].producer);
    harness.run();
    assertEquals(State.DONE, operation.state());
    assertNull(operation.waits()[0].producer);
  }

  /** A device with one queue. */
  private record OneQueue(DeferredWorkQueue<Event> queue) implements Explainable {
    @Override
    public String name() {
      return "fake";
    }

    @Override
    public @Nullable HalException lostCause() {
      return queue.lost();
    }

    @Override
    public void reportOpen(Consumer<OpenOperation> looker) {
      queue.describeOpen(null, looker);
    }
  }

  @Test
  void anExplanationNamesTheOperationsThatWouldSignal() {
    Explainable device = new OneQueue(harness.queues.get(0));
    Explanations.register(device);
    try {
      work(harness, 0, "parked", gate.at(3), first.at(2));
      assertEquals(
          first
              + " is at 0; to be raised to 2 by fake-q0 operation 1 (parked, PARKED, waits for "
              + gate
              + " to reach 3, now at 0)",
          first.explain(2));
      assertEquals(first + " is at 0, and no open operation would raise it to 3", first.explain(3));
      gate.signal(3);
      harness.run();
      assertEquals(first + " is at 2, and no open operation would raise it to 3", first.explain(3));
    } finally {
      Explanations.unregister(device);
    }
  }
}
