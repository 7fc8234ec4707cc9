// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q9 and Q10: producers before consumers, and only once, whichever thread settles. */
class SettlingTest {
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "fault");

  private final QueueHarness harness = new QueueHarness(2);
  private final EngineSemaphore first = QueueHarness.semaphore();
  private final EngineSemaphore second = QueueHarness.semaphore();
  private final List<String> log = new ArrayList<>();

  private static Operation<Event> operation(QueueUse use) {
    return Objects.requireNonNull(use.operation);
  }

  @Test
  void aConsumerThatIsSeenFirstSettlesItsProducerFirst() {
    first.onReach(1, failed -> log.add("producer"));
    second.onReach(1, failed -> log.add("consumer"));
    harness.enqueue(0, "producer", Fence.NONE, first.at(1));
    harness.enqueue(1, "consumer", first.at(1), second.at(1));

    harness.queues.get(1).completer.step();

    assertEquals(List.of("producer", "consumer"), log);
    harness.finish();
  }

  @Test
  void aPolledConsumerSettlesItsProducerFirst() {
    first.onReach(1, failed -> log.add("producer"));
    second.onReach(1, failed -> log.add("consumer"));
    harness.enqueue(0, "producer", Fence.NONE, first.at(1));
    QueueUse consumer = harness.enqueue(1, "consumer", first.at(1), second.at(1));

    assertFalse(operation(consumer).settleWhenFired(System.nanoTime(), () -> true));
    assertEquals(List.of(), log);
    while (harness.streams.get(0).advance() || harness.streams.get(1).advance()) {
      continue;
    }
    assertTrue(operation(consumer).settleWhenFired(System.nanoTime(), () -> true));
    while (harness.asideStep()) { // which runs the callbacks
      continue;
    }

    assertEquals(List.of("producer", "consumer"), log);
    harness.finish();
  }

  @Test
  void aConsumerFailsWithItsFirstFailedProducer() {
    QueueUse fails = new QueueUse("fails", Fence.NONE, first.at(1));
    fails.failsInStream = FAULT;
    EngineSemaphore third = QueueHarness.semaphore();
    harness.enqueue(0, "succeeds", Fence.NONE, third.at(1));
    harness.enqueue(0, fails);
    harness.enqueue(1, "consumer", third.at(1).and(first.at(1)), second.at(1));

    harness.queues.get(1).completer.step();

    assertEquals(1, third.value());
    assertSame(FAULT, first.failure());
    assertSame(FAULT, second.failure());
    harness.finish();
  }

  /** It is the likely cause: the work ran although its input was missing. */
  @Test
  void aProducersFailureTakesPrecedence() {
    HalException own = new HalException(Status.ABORTED, "own");
    QueueUse producer = new QueueUse("producer", Fence.NONE, first.at(1));
    producer.failsInStream = FAULT;
    QueueUse consumer = new QueueUse("consumer", first.at(1), second.at(1));
    consumer.failsInStream = own;
    harness.enqueue(0, producer);
    harness.enqueue(1, consumer);
    harness.run();
    assertSame(FAULT, first.failure());
    assertSame(FAULT, second.failure());
    harness.finish();
  }

  @Test
  void anOutcomeIsDecidedOnce() {
    harness.enqueue(0, "work", Fence.NONE, first.at(1));
    Operation<Event> operation = operation(harness.uses.get(0));
    harness.run();
    assertEquals(1, first.value());
    Settling.fail(operation, FAULT);
    assertEquals(1, first.value(), "a timeline that was signalled must not fail");
    harness.finish();
  }

  /** Rule S1a: in list order, and a signal that cannot be applied does not affect the others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void signalsAreAppliedInListOrderAndEachForItself(boolean fails) {
    EngineSemaphore overtaken = QueueHarness.semaphore();
    EngineSemaphore failed = QueueHarness.semaphore();
    EngineSemaphore closed = QueueHarness.semaphore();
    QueueUse use =
        new QueueUse(
            "work",
            Fence.NONE,
            Fence.of(second.at(1), overtaken.at(2), failed.at(1), closed.at(1), first.at(1)));
    use.failsInStream = fails ? FAULT : null;
    harness.enqueue(0, use);
    overtaken.signal(5);
    failed.fail(new HalException(Status.ABORTED, "earlier"));
    closed.close();
    first.onReach(1, failure -> log.add("first " + failure));
    second.onReach(1, failure -> log.add("second " + failure));
    harness.run();
    String outcome = fails ? FAULT.toString() : "null";
    assertEquals(List.of("second " + outcome, "first " + outcome), log);
    assertEquals(5, overtaken.currentValue());
    assertEquals("earlier", Objects.requireNonNull(failed.failure()).getMessage());
    harness.finish();
  }

  /** Each waits natively for the one before. All events fire before the last one is settled. */
  @Test
  void manyProducersNeedNoStack() {
    int count = 40_000;
    QueueHarness wide = new QueueHarness(1, count);
    for (int i = 1; i <= count; i++) {
      wide.enqueue(0, "link", i == 1 ? Fence.NONE : first.at(i - 1), first.at(i));
    }
    wide.streams.get(0).advanceAll();
    Operation<Event> last = operation(wide.uses.get(count - 1));
    Threads.onSmallStack(() -> assertTrue(last.settleWhenFired(System.nanoTime(), () -> true)));
    assertEquals(count, first.value());
    Threads.onSmallStack(wide::finish);
  }

  /** A chain of parked links, released from one end, or failed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void manyDependantsNeedNoStack(boolean fails) {
    int count = 40_000;
    for (int i = count; i >= 1; i--) { // consumers first: all of them park
      harness.enqueue(i % 2, "link", first.at(i), first.at(i + 1));
    }
    Threads.onSmallStack(
        () -> {
          if (fails) {
            first.fail(FAULT);
          } else {
            first.signal(1);
          }
          harness.run();
        });
    harness.finish();
    assertEquals(fails ? 0 : count + 1, first.currentValue());
  }

  /**
   * Completion threads and host threads settle the same operations at once. No value is visible
   * before those that it depends on, and every operation retires exactly once.
   */
  @Test
  void anyNumberOfThreadsMaySettle() {
    int rounds = 200;
    int length = 20;
    for (int round = 0; round < rounds; round++) {
      QueueHarness shared = new QueueHarness(2);
      EngineSemaphore even = QueueHarness.semaphore();
      EngineSemaphore odd = QueueHarness.semaphore();
      AtomicInteger released = new AtomicInteger();
      for (int i = 1; i <= length; i++) {
        // Link i signals its own timeline and waits for link i - 1 on the other one.
        EngineSemaphore own = i % 2 == 0 ? even : odd;
        EngineSemaphore other = i % 2 == 0 ? odd : even;
        shared.enqueue(i % 2, "link " + i, i == 1 ? Fence.NONE : other.at(i - 1), own.at(i));
        own.onReach(i, failed -> released.incrementAndGet());
      }
      Threads.Body poll =
          () -> {
            for (int i = length - 1; i >= 0; i--) {
              operation(shared.uses.get(i)).settleWhenFired(System.nanoTime(), () -> true);
            }
          };
      Threads.Body look =
          () -> {
            long seen = 0;
            while (seen < length) {
              // The later link is read first, since values only grow.
              seen = even.currentValue();
              assertTrue(odd.currentValue() >= seen - 1, "a value before what it depends on");
              long oddSeen = odd.currentValue();
              assertTrue(even.currentValue() >= oddSeen - 1, "a value before what it depends on");
            }
          };
      Threads.together(
          look,
          poll,
          poll,
          () -> {
            while (shared.queues.get(0).completer.step()) {
              continue;
            }
          },
          () -> {
            while (shared.queues.get(1).completer.step()) {
              continue;
            }
          });
      shared.finish();
      assertEquals(length, released.get());
    }
  }
}
