// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.assertNullRefused;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostCall.Mode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Host calls in the order of timelines. */
@CtsSuite
class QueueHostCallTest {
  /** How long a test watches for something that must not happen. */
  private static final Duration CHANCE = Duration.ofMillis(100);

  @Test
  @Rule({"Q9", "Q10"})
  void runsOnceAfterItsWaitAndBeforeItsSignal(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<@Nullable Throwable> wrong = new AtomicReference<>();
    cts.queue()
        .hostCall(
            go.at(1),
            done.at(1),
            Mode.BLOCKING,
            context -> {
              try {
                calls.incrementAndGet();
                assertSame(cts.queue().device(), context.queue().device());
                assertEquals(cts.queue().index(), context.queue().index());
                assertEquals(1, context.signals().size());
                assertSame(done, context.signals().semaphore(0));
                assertEquals(1, go.value());
                assertPending(done, 1);
              } catch (AssertionError e) {
                wrong.set(e);
              }
            });
    cts.flush(cts.queue());
    assertEquals(0, calls.get(), "calls before the wait was met");
    go.signal(1);
    awaitReached(done, 1);
    assertEquals(1, calls.get(), "calls when the signal was reached");
    if (wrong.get() != null) {
      throw new AssertionError("in the call: " + wrong.get(), wrong.get());
    }
  }

  @Test
  @Rule("Q9")
  void runsWithoutWaitsOrSignals(Cts cts) {
    CountDownLatch ran = new CountDownLatch(2);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().hostCall(Fence.NONE, Fence.NONE, Mode.BLOCKING, context -> ran.countDown());
    cts.queue().hostCall(Fence.NONE, done.at(1), Mode.BLOCKING, context -> ran.countDown());
    awaitReached(done, 1);
    awaitTrue("both calls", () -> ran.getCount() == 0);
  }

  @Test
  @Rule("Q9")
  void aCallSeesTheEffectsOfItsProducer(Cts cts) {
    byte[] data = TestData.bytes(4096);
    DeviceBuffer buffer = cts.buffer(data.length);
    TimelineSemaphore timeline = cts.semaphore();
    byte[] read = new byte[data.length];
    AtomicReference<byte @Nullable []> seen = new AtomicReference<>();
    DeviceQueue queue = cts.queue();
    queue.hostCall(
        timeline.at(2), timeline.at(3), Mode.BLOCKING, context -> seen.set(read.clone()));
    queue.readback(timeline.at(1), timeline.at(2), buffer, 0, ByteBuffer.wrap(read));
    queue.upload(Fence.NONE, timeline.at(1), ByteBuffer.wrap(data), buffer, 0);
    awaitReached(timeline, 3);
    assertBytes(data, awaitSet("the call", seen), "the bytes that the host call saw");
  }

  @Test
  @Rule("Q9")
  void aConsumerSeesWhatACallWrote(Cts cts) {
    byte[] data = new byte[1024];
    byte[] read = new byte[1024];
    DeviceBuffer buffer = cts.buffer(data.length);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceQueue queue = cts.queue();
    queue.hostCall(
        Fence.NONE,
        timeline.at(1),
        Mode.BLOCKING,
        context -> System.arraycopy(TestData.bytes(1024), 0, data, 0, 1024));
    queue.upload(timeline.at(1), timeline.at(2), ByteBuffer.wrap(data), buffer, 0);
    queue.readback(timeline.at(2), timeline.at(3), buffer, 0, ByteBuffer.wrap(read));
    awaitReached(timeline, 3);
    assertBytes(TestData.bytes(1024), read, "the bytes that the host call wrote");
  }

  @Test
  @Rule("Q1")
  void aNonBlockingCallDoesNotDelayItsSignals(Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger signals = new AtomicInteger(-1);
    AtomicReference<@Nullable Status> deferred = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(1);
    cts.queue()
        .hostCall(
            go.at(1),
            done.at(1),
            Mode.NON_BLOCKING,
            context -> {
              signals.set(context.signals().size());
              try {
                context.defer();
              } catch (HalException e) {
                deferred.set(e.status());
              }
              boolean released = release.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
              assertTrue(released);
              ended.countDown();
            });
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 1);
    assertEquals(1, ended.getCount(), "the signal waited for a non-blocking call");
    release.countDown();
    awaitTrue("the call to end", () -> ended.getCount() == 0);
    assertEquals(0, signals.get());
    assertEquals(Status.FAILED_PRECONDITION, deferred.get(), "defer() in a non-blocking call");
  }

  @Test
  @Rule("Q6")
  void anExceptionInANonBlockingCallIsLogged(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .hostCall(
            Fence.NONE,
            done.at(1),
            Mode.NON_BLOCKING,
            context -> {
              throw new IllegalStateException("thrown beside the timeline");
            });
    cts.awaitLog("thrown beside the timeline");
    awaitReached(done, 1);
  }

  @Test
  @Rule("Q9")
  void aDeferredCallSignalsWhenItIsCompleted(Cts cts) {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    HeldOperation held =
        new HeldOperation(cts, cts.queue(), Fence.NONE, Fence.of(first.at(1), second.at(2)));
    held.awaitRunning();
    cts.flush(cts.queue());
    assertPending(first, 1);
    assertPending(second, 1);
    held.complete();
    awaitReached(first, 1);
    awaitReached(second, 2);
    held.fail(new HalException(Status.ABORTED, "too late"));
    held.complete();
    assertEquals(1, first.value());
    assertEquals(1, held.calls());
  }

  @Test
  @Rule("Q6")
  void aDeferredCallMayFail(Cts cts) {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    HeldOperation held =
        new HeldOperation(cts, cts.queue(), Fence.NONE, Fence.of(first.at(1), second.at(2)));
    held.fail(new HalException(Status.DATA_LOSS, "from elsewhere"));
    held.complete();
    assertHal(Status.DATA_LOSS, awaitFailure(first, 1), "from elsewhere");
    assertHal(Status.DATA_LOSS, awaitFailure(second, 1), "from elsewhere");
  }

  @Test
  @Rule("Q10")
  void deferringTwiceOrTooLateIsRejected(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<@Nullable Status> second = new AtomicReference<>();
    AtomicReference<HostCall.@Nullable Context> leaked = new AtomicReference<>();
    cts.queue()
        .hostCall(
            Fence.NONE,
            done.at(1),
            Mode.BLOCKING,
            context -> {
              HostCall.Completion completion = context.defer();
              try {
                context.defer();
              } catch (HalException e) {
                second.set(e.status());
              }
              completion.complete();
            });
    awaitReached(done, 1);
    assertEquals(Status.FAILED_PRECONDITION, second.get());
    cts.queue().hostCall(Fence.NONE, done.at(2), Mode.BLOCKING, leaked::set);
    awaitReached(done, 2);
    assertHal(Status.FAILED_PRECONDITION, () -> awaitSet("the call", leaked).defer());
  }

  @Test
  @Rule("Q10")
  void anExceptionAfterDeferIsLoggedAndFailsNothing(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<HostCall.@Nullable Completion> completion = new AtomicReference<>();
    cts.queue()
        .hostCall(
            Fence.NONE,
            done.at(1),
            Mode.BLOCKING,
            context -> {
              completion.set(context.defer());
              throw new IllegalStateException("thrown after defer()");
            });
    cts.awaitLog("thrown after defer()");
    assertStaysPending(done.at(1));
    awaitSet("the call", completion).complete();
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"PERMISSION_DENIED", "DEADLINE_EXCEEDED", "UNAVAILABLE"})
  @Rule({"Q6", "S3"})
  void aHalExceptionFailsEverySignalUnchanged(Status status, Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> signals = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    Throwable cause = new IllegalStateException("why");
    Fence all = Fence.of(signals.stream().map(s -> s.at(1)).toList());
    cts.queue()
        .hostCall(
            go.at(1),
            all,
            Mode.BLOCKING,
            context -> {
              throw new HalException(status, "not today", cause);
            });
    go.signal(1);
    for (TimelineSemaphore signal : signals) {
      HalException failure = awaitFailure(signal, 1);
      assertHal(status, failure, "not today");
      assertSame(cause, failure.getCause());
    }
    TimelineSemaphore works = cts.semaphore();
    cts.queue().hostCall(Fence.NONE, works.at(1), Mode.BLOCKING, context -> {});
    awaitReached(works, 1);
  }

  @Test
  @Rule("Q6")
  void anyOtherThrowableFailsTheSignalsWithAborted(Cts cts) {
    for (Throwable thrown :
        List.of(new java.io.IOException("checked"), new AssertionError("error"))) {
      TimelineSemaphore done = cts.semaphore();
      cts.queue()
          .hostCall(
              Fence.NONE,
              done.at(1),
              Mode.BLOCKING,
              context -> {
                if (thrown instanceof Exception e) {
                  throw e;
                }
                throw (Error) thrown;
              });
      HalException failure = awaitFailure(done, 1, Status.ABORTED);
      assertSame(thrown, failure.getCause());
    }
  }

  /** The throwable's getMessage() itself throws. */
  @Test
  @Rule("Q10")
  void aThrowableWhoseMessageThrowsFailsTheSignals(Cts cts) {
    class Mute extends RuntimeException {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new IllegalStateException("it has no words");
      }
    }

    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .hostCall(
            Fence.NONE,
            done.at(1),
            Mode.BLOCKING,
            context -> {
              throw new Mute();
            });
    assertHal(Status.ABORTED, awaitFailure(done, 1), "host call", "Mute");
  }

  @Test
  @Rule("Q4")
  void aBlockedCallDoesNotDelayOtherOperations(Cts cts) {
    CountDownLatch release = new CountDownLatch(1);
    TimelineSemaphore held = cts.semaphore();
    TimelineSemaphore free = cts.semaphore();
    cts.queue()
        .hostCall(
            Fence.NONE,
            held.at(1),
            Mode.BLOCKING,
            context -> assertTrue(release.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)));
    cts.queue().barrier(Fence.NONE, free.at(1));
    awaitReached(free, 1);
    cts.flush(cts.queue());
    assertPending(held, 1);
    release.countDown();
    awaitReached(held, 1);
  }

  /** The transfer that a host call waits for. */
  enum Transfer {
    /** Small enough for a driver to read the bytes while it issues the upload. */
    SMALL_UPLOAD,
    /** Consists of many chunks. */
    LARGE_UPLOAD,
    /** Into memory that no device can access. */
    READBACK
  }

  /**
   * The calls occupy all threads for host calls; the transfers that they wait for still complete.
   */
  @ParameterizedTest
  @EnumSource
  @Rule({"Q4", "K7"})
  @FreshDevice("validate=off") // the transfers have one buffer
  void callsMayWaitForTransfersThatTheyEnqueue(Transfer transfer, Cts cts) {
    int count = 40;
    int size = transfer == Transfer.LARGE_UPLOAD ? 3 << 20 : 64;
    DeviceBuffer buffer = cts.buffer(size);
    Blocker blocker = new Blocker(cts, cts.queue(0)); // on the queue of the transfers
    DeviceQueue callers = cts.queue(cts.device().queueCount() - 1);
    TimelineSemaphore go = cts.semaphore();
    AtomicInteger begun = new AtomicInteger();
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TimelineSemaphore own = cts.semaphore();
      TimelineSemaphore end = cts.semaphore();
      ends.add(end);
      callers.hostCall(
          go.at(1),
          end.at(1),
          Mode.BLOCKING,
          call -> {
            begun.incrementAndGet();
            ByteBuffer memory = ByteBuffer.allocate(size);
            if (transfer == Transfer.READBACK) {
              cts.queue(0).readback(Fence.NONE, own.at(1), buffer, 0, memory);
            } else {
              cts.queue(0).upload(Fence.NONE, own.at(1), memory, buffer, 0);
            }
            own.await(1, Waits.LIMIT);
          });
    }
    go.signal(1);
    if (callers.index() > 0) { // otherwise, the calls follow the blocked work
      awaitTrue("a call to begin", () -> begun.get() > 0);
    }
    assertStaysPending(Fence.of(ends.stream().map(end -> end.at(1)).toList()));
    blocker.release();
    ends.forEach(end -> awaitReached(end, 1));
  }

  @Test
  @Rule("Q9")
  @Needs(Need.TWO_QUEUES)
  void aCallSeesAReachedWaitEvenIfTheProducerSettlesSlowly(Cts cts) {
    AtomicBoolean isCalled = new AtomicBoolean();
    AtomicLong seen = new AtomicLong(-1);
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore called = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    // Keeps the thread that completes the first queue's work busy when the producer ends.
    before.onReach(1, failure -> Waits.becomesTrue(CHANCE, isCalled::get));
    cts.queue(0).barrier(blocker.timepoint(), before.at(1));
    cts.queue(0).barrier(blocker.timepoint(), produced.at(1));
    cts.queue(1)
        .hostCall(
            produced.at(1),
            called.at(1),
            Mode.BLOCKING,
            context -> {
              seen.set(produced.value());
              isCalled.set(true);
            });
    blocker.release();
    awaitReached(called, 1);
    assertEquals(1, seen.get(), "the value of the semaphore that the host call waited for");
  }

  @Test
  @Rule({"Q6", "Q9"})
  @Needs({Need.TWO_QUEUES, Need.KERNEL_FAILURES})
  @FreshDevice("inflight=64")
  @GivesUp
  void aCallDoesNotRunIfItsIssuedProducerFails(Cts cts) {
    cts.allowWarnings(); // if this loses the device
    AtomicInteger calls = new AtomicInteger();
    TimelineSemaphore before = cts.semaphore();
    TimelineSemaphore produced = cts.semaphore();
    TimelineSemaphore called = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(0));
    long issued = cts.device().statistics().issued();
    before.onReach(1, failure -> Waits.becomesTrue(CHANCE, () -> calls.get() > 0));
    cts.queue(0).barrier(blocker.timepoint(), before.at(1));
    cts.queue(0)
        .dispatch(
            blocker.timepoint(), produced.at(1), cts.kernel("trap"), Workgroups.of(1), Args.of(41));
    cts.queue(1)
        .hostCall(produced.at(1), called.at(1), Mode.BLOCKING, context -> calls.incrementAndGet());
    awaitStatistics(
        "a producer and a host call to be issued", cts.device(), now -> now.issued() >= issued + 3);
    blocker.release();
    // Some devices are lost by a trap (rule Q7); others fail only this operation.
    awaitFailure(produced, 1);
    awaitFailure(called, 1);
    assertEquals(0, calls.get(), "calls behind work that failed");
  }

  @Test
  @Rule("Q1")
  void aCallMayEnqueueOperations(Cts cts) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceQueue queue = cts.queue();
    queue.hostCall(
        Fence.NONE,
        timeline.at(1),
        Mode.BLOCKING,
        outer -> queue.hostCall(timeline.at(1), timeline.at(2), Mode.BLOCKING, inner -> {}));
    awaitReached(timeline, 2);
  }

  @Test
  @Rule("K4")
  void manyCallsRunOnFewThreads(Cts cts) {
    int count = 1_000;
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> done = new ArrayList<>();
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    AtomicInteger calls = new AtomicInteger();
    for (int i = 0; i < count; i++) {
      TimelineSemaphore one = cts.semaphore();
      cts.queue()
          .hostCall(
              go.at(1),
              one.at(1),
              Mode.BLOCKING,
              context -> {
                threads.add(Thread.currentThread());
                calls.incrementAndGet();
              });
      done.add(one);
    }
    go.signal(1);
    awaitReached(Fence.of(done.stream().map(s -> s.at(1)).toList()));
    assertEquals(count, calls.get());
    assertTrue(threads.size() <= 64, () -> threads.size() + " threads for host calls");
  }

  @Test
  @Rule("M5")
  @SuppressWarnings("NullAway") // null on purpose
  void rejectsNull(Cts cts) {
    DeviceQueue queue = cts.queue();
    TimelineSemaphore done = cts.semaphore();
    assertNullRefused("waits", () -> queue.hostCall(null, done.at(1), Mode.BLOCKING, c -> {}));
    assertNullRefused("signals", () -> queue.hostCall(Fence.NONE, null, Mode.BLOCKING, c -> {}));
    assertNullRefused("mode", () -> queue.hostCall(Fence.NONE, done.at(1), null, c -> {}));
    assertNullRefused("call", () -> queue.hostCall(Fence.NONE, done.at(1), Mode.BLOCKING, null));
    assertPending(done, 1);
  }
}
