// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.timeline.Producer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Host completions that run on the thread that sees the event fire. */
@Timeout(60)
class BriefRunTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final HalException GONE = new HalException(Status.UNAVAILABLE, "gone");
  private static final HalException FAULT = new HalException(Status.DATA_LOSS, "fault");

  private final QueueHarness harness = new QueueHarness(2);
  private final DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(0);
  private final EngineSemaphore done = QueueHarness.semaphore();
  private final List<String> ran = new ArrayList<>();

  private QueueUse enqueue(Fence waits, long value, Runnable body) {
    QueueUse use = new QueueUse("brief", waits, done.at(value));
    use.hostCompletion = new BriefCompletion(body);
    return harness.enqueue(0, use);
  }

  private QueueUse enqueue(Runnable body) {
    return enqueue(Fence.NONE, 1, body);
  }

  private void runStreams() {
    while (harness.streams.get(0).advance() || harness.streams.get(1).advance()) {
      continue;
    }
  }

  /** What a host thread does that waits for the value. */
  private boolean poll(long value) {
    Producer producer = Objects.requireNonNull(done.covering(value), "what covers the value");
    return producer.settleWhenFired(System.nanoTime(), () -> true);
  }

  @Test
  void theHostThreadThatSeesTheEventRunsIt() throws Exception {
    AtomicReference<@Nullable Thread> runner = new AtomicReference<>();
    QueueUse use = enqueue(() -> runner.set(Thread.currentThread()));
    assertFalse(poll(1), "before the event has fired");
    assertNull(runner.get());
    runStreams();
    assertTrue(poll(1));
    assertSame(Thread.currentThread(), runner.get());
    assertEquals(1, done.currentValue());
    assertEquals(0, use.borrowed.get());
    assertEquals(0, use.retired.get(), "the completion thread retires it");
    done.await(1, Duration.ZERO);
    harness.run();
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  @Test
  void theCompletionThreadRunsItIfNoHostThreadWaits() {
    QueueUse use = enqueue(() -> ran.add("host"));
    queue.completer.step();
    assertEquals(List.of("host"), ran, "not on a thread of a pool");
    assertFalse(harness.hostStep());
    assertEquals(1, done.currentValue());
    harness.run();
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  /** Each waits for its own operation, whichever of them the host completes. */
  @Test
  void aHostThreadPollsTheOperationNearestToItsValue() {
    QueueUse before = harness.enqueue(0, "before", Fence.NONE, done.at(1));
    QueueUse brief = enqueue(Fence.NONE, 2, () -> ran.add("host"));
    QueueUse behind = harness.enqueue(0, "behind", Fence.NONE, done.at(3));
    assertSame(before.operation, done.covering(1));
    assertSame(brief.operation, done.covering(2));
    assertSame(behind.operation, done.covering(3));
    harness.finish();
  }

  /** Rule Q5: no event covers what the host does. */
  @Test
  void itsConsumersWaitForTheHost() {
    QueueUse use = enqueue(() -> ran.add("host"));
    QueueUse consumer = new QueueUse("consumer", done.at(1), Fence.NONE);
    consumer.effect = () -> ran.add("consumer");
    harness.enqueue(1, consumer);
    runStreams();
    assertEquals(0, consumer.issued.get());
    assertTrue(poll(1));
    harness.run();
    assertEquals(List.of("host", "consumer"), ran);
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  /** A thread that already waits is not released by the announcement, but by the value. */
  @Test
  void aThreadThatWaitsBeforeItIsIssuedIsReleasedByTheValue() {
    EngineSemaphore go = QueueHarness.semaphore();
    QueueUse use = enqueue(go.at(1), 1, () -> ran.add("host"));
    Threads waiter =
        Threads.start(
            "waiter",
            () -> {
              done.await(1, DEADLINE);
              ran.add("released");
            });
    waiter.awaitBlocked();
    go.signal(1);
    assertEquals(1, use.issued.get());
    assertEquals(List.of(), ran);
    harness.run();
    waiter.join();
    assertEquals(List.of("host", "released"), ran);
    harness.finish();
  }

  @Test
  void aCallbackThatCameFirstIsCalledAtTheValue() {
    EngineSemaphore go = QueueHarness.semaphore();
    QueueUse use = enqueue(go.at(1), 1, () -> ran.add("host"));
    done.onReach(1, failure -> ran.add("called"));
    go.signal(1);
    assertEquals(1, use.issued.get());
    assertEquals(List.of(), ran);
    harness.run();
    assertEquals(List.of("host", "called"), ran);
    harness.finish();
  }

  @Test
  void aHostThreadSettlesTheProducersFirst() {
    EngineSemaphore before = QueueHarness.semaphore();
    harness.enqueue(1, "producer", Fence.NONE, before.at(1));
    enqueue(before.at(1), 1, () -> ran.add("before: " + before.currentValue()));
    runStreams();
    assertTrue(poll(1));
    assertEquals(List.of("before: 1"), ran);
    harness.finish();
  }

  @Test
  void itDoesNotRunBehindAFailure() {
    EngineSemaphore before = QueueHarness.semaphore();
    QueueUse producer = new QueueUse("producer", Fence.NONE, before.at(1));
    producer.failsInStream = FAULT;
    harness.enqueue(1, producer);
    QueueUse use = enqueue(before.at(1), 1, () -> ran.add("host"));
    runStreams();
    assertFalse(poll(1), "left to the completion thread");
    harness.run();
    assertEquals(List.of(), ran);
    assertEquals(FAULT.status(), Objects.requireNonNull(done.failure()).status());
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  @Test
  void whatItThrowsFailsTheOperationAlone() {
    QueueUse use =
        enqueue(
            () -> {
              throw new IllegalStateException("on purpose");
            });
    runStreams();
    assertTrue(poll(1));
    assertEquals(Status.ABORTED, Objects.requireNonNull(done.failure()).status());
    assertEquals(0, use.borrowed.get());
    assertNull(harness.lost());
    harness.run();
    assertEquals(1, use.retired.get());
    harness.finish();
  }

  @Test
  void aLossThatItReportsLosesTheDevice() {
    enqueue(
        () -> {
          throw GONE;
        });
    runStreams();
    assertTrue(poll(1));
    assertNotNull(harness.lost());
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
    harness.finish();
  }

  /** Rule E2: behind the run no other thread ends the operation. */
  @Test
  void anErrorBehindItLosesTheDevice() {
    QueueUse use = enqueue(() -> ran.add("host"));
    use.failsAtEndOfBorrow = new InternalError("on purpose");
    runStreams();
    try (Quiet log = new Quiet()) {
      assertThrows(InternalError.class, () -> poll(1));
      harness.issueSteps();
      assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(done.failure()).status());
      assertEquals(List.of("host"), ran);
      harness.finish();
    }
    assertEquals(1, use.retired.get());
  }

  /** While a host thread copies, what it reads and writes is neither given back nor freed. */
  @Test
  void theOperationRetiresBehindAHostThreadThatStillRunsIt() {
    whileAHostThreadRuns(use -> assertTrue(queue.completer.step(), "it sees the event as well"));
    assertNull(done.failure());
    assertEquals(1, done.currentValue());
    harness.finish();
  }

  @Test
  void aLossMeanwhileFailsTheOperationButEndsNoUse() {
    whileAHostThreadRuns(
        use -> {
          harness.lose(GONE);
          harness.run();
          assertFailure(GONE, done.failure());
        });
    harness.finish();
  }

  @Test
  void aCloseMeanwhileWaitsForTheThread() {
    whileAHostThreadRuns(
        use -> {
          assertFalse(queue.shutdown().shut(System.nanoTime()), "with a thread inside");
          assertFalse(queue.shutdown().awaitIdle(System.nanoTime()));
        });
    assertEquals(1, done.currentValue());
    harness.finish();
  }

  private QueueUse enqueueInParts(BooleanSupplier advances) {
    QueueUse use = new QueueUse("brief", Fence.NONE, done.at(1));
    use.hostCompletion = new BriefCompletion(() -> ran.add("rest"), advances);
    return harness.enqueue(0, use);
  }

  private boolean addPart() {
    ran.add("part");
    return ran.size() < 3;
  }

  /** A wait that ends before the event fires leaves the rest to the next one. */
  @Test
  void whoeverPollsAdvancesIt() {
    enqueueInParts(this::addPart);
    pollFor(2);
    pollFor(3);
    assertEquals(List.of("part", "part", "part"), ran, "until there is nothing to do");
    assertEquals(0, done.currentValue());
    runStreams();
    assertTrue(poll(1));
    assertEquals(List.of("part", "part", "part", "rest"), ran);
    harness.finish();
  }

  /** Polls the operation in so many turns, before its event has fired. */
  private void pollFor(int turns) {
    int[] left = {turns};
    Producer producer = Objects.requireNonNull(done.covering(1), "what covers the value");
    long end = System.nanoTime() + DEADLINE.toNanos();
    producer.settleWhenFired(end, () -> left[0]-- == 0);
  }

  /** It does not wait in the native runtime, and so asks again and again. */
  @Test
  void theCompletionThreadAdvancesItToo() {
    QueueHarness quiet = QueueHarness.thatIsQuiet(1, 512, 1);
    QueueUse use = new QueueUse("brief", Fence.NONE, done.at(1));
    use.hostCompletion =
        new BriefCompletion(
            () -> ran.add("rest"),
            () -> {
              boolean isMore = addPart();
              while (!isMore && quiet.streams.get(0).advance()) {
                continue; // the event fires
              }
              return isMore;
            });
    quiet.enqueue(0, use);
    quiet.run();
    assertEquals(List.of("part", "part", "part", "rest"), ran);
    quiet.finish();
  }

  /** What the rest meets as well is reported there. */
  @Test
  void whatAPartThrowsIsDropped() {
    int[] calls = new int[1];
    enqueueInParts(
        () -> {
          calls[0]++;
          throw new InternalError("on purpose");
        });
    pollFor(3);
    assertEquals(1, calls[0]);
    runStreams();
    assertTrue(poll(1));
    assertNull(harness.lost());
    assertEquals(1, done.currentValue());
    harness.finish();
  }

  @Test
  void theRunWaitsForAPart() {
    whileAHostThreadAdvances(
        use -> {
          runStreams();
          return Threads.start("completion", harness::run);
        });
    assertEquals(List.of("part", "rest"), ran);
    assertEquals(1, done.currentValue());
    harness.finish();
  }

  /** A program that sees the failure finds its memory borrowed. */
  @Test
  void aLossWaitsForAPartBeforeItEndsTheBorrow() {
    whileAHostThreadAdvances(
        use -> {
          runStreams();
          harness.lose(GONE);
          Threads completion = Threads.start("completion", harness::run);
          Threads.await("the failure", () -> done.failure() != null);
          assertFailure(GONE, done.failure());
          return completion;
        });
    assertEquals(List.of("part"), ran);
    harness.finish();
  }

  @Test
  void aCloseWaitsForAPart() {
    whileAHostThreadAdvances(
        use -> {
          assertFalse(queue.shutdown().shut(System.nanoTime()), "with a thread inside");
          runStreams();
          return Threads.start("completion", harness::run);
        });
    assertEquals(List.of("part", "rest"), ran);
    harness.finish();
  }

  /** Runs {@code meanwhile} while a host thread does a part; the thread it starts has to wait. */
  private void whileAHostThreadAdvances(Function<QueueUse, Threads> meanwhile) {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    QueueUse use =
        enqueueInParts(
            () -> {
              begun.countDown();
              Threads.await("the test lets the host go on", () -> mayEnd.getCount() == 0);
              ran.add("part");
              return false;
            });
    Threads host = Threads.start("host", () -> pollFor(1));
    Threads waits;
    try {
      Threads.await("the host thread does a part", () -> begun.getCount() == 0);
      Threads completion = meanwhile.apply(use);
      Threads.await("it to wait for the part", () -> waitsForAPart(completion));
      waits = completion;
      assertEquals(0, use.retired.get(), "while a host thread does a part of it");
      assertEquals(1, use.borrowed.get(), "while a host thread does a part of it");
      assertEquals(List.of(), ran);
    } finally {
      mayEnd.countDown();
    }
    host.join();
    waits.join();
    harness.run();
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
  }

  private static boolean waitsForAPart(Threads thread) {
    return Arrays.stream(thread.thread().getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(BriefRun.class.getName())
                    && frame.getMethodName().equals("claim"));
  }

  /** Runs {@code meanwhile} while the completion runs on a host thread. */
  private void whileAHostThreadRuns(Consumer<QueueUse> meanwhile) {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    QueueUse use =
        enqueue(
            () -> {
              begun.countDown();
              Threads.await("the test lets the host go on", () -> mayEnd.getCount() == 0);
            });
    runStreams();
    Threads host = Threads.start("host", () -> assertTrue(poll(1)));
    try {
      Threads.await("the host thread runs the completion", () -> begun.getCount() == 0);
      meanwhile.accept(use);
      harness.run();
      assertEquals(0, use.retired.get(), "while a host thread runs its completion");
      assertEquals(1, use.borrowed.get(), "while a host thread runs its completion");
    } finally {
      mayEnd.countDown();
    }
    host.join();
    harness.run();
    assertEquals(0, use.borrowed.get());
    assertEquals(1, use.retired.get());
  }
}
