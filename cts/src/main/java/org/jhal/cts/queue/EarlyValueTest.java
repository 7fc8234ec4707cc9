// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.pollReached;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.OperationKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A short operation is followed in its stream by a long one. Whoever wants to know when the short
 * one is over learns that while the long one runs, however late they say so.
 */
@CtsSuite
class EarlyValueTest {
  private static final String ROOM = "inflight=64";

  /** Enqueues {@code kind} on the first queue, and work behind it that a blocked queue holds up. */
  private static TimelineSemaphore behindShortWork(
      Cts cts, OperationKind kind, TimelineSemaphore done) {
    TimelineSemaphore late = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue(1));
    kind.enqueue(cts, cts.queue(0), Fence.NONE, done.at(1), cts.buffer(64));
    cts.queue(0).fill(blocker.timepoint(), late.at(1), cts.buffer(64), 0, 16, FillPattern.ZERO);
    return late;
  }

  private static TimelineSemaphore behindFill(Cts cts, TimelineSemaphore done) {
    return behindShortWork(cts, OperationKind.FILL, done);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FILE_READ", "FILE_WRITE"}) // whose parts are enqueued behind the long work
  @Rule("S4")
  @Needs(Need.TWO_QUEUES)
  void aWaitThatBeginsLaterEndsBeforeTheLongWork(OperationKind kind, Cts cts) {
    kind.need(cts);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindShortWork(cts, kind, done);
    awaitReached(done, 1);
    assertPending(late, 1);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FILE_READ", "FILE_WRITE"})
  @Rule("S1")
  @Needs(Need.TWO_QUEUES)
  void lookingAtTheValueShowsIt(OperationKind kind, Cts cts) {
    kind.need(cts);
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindShortWork(cts, kind, done);
    pollReached(done, 1);
    assertPending(late, 1);
  }

  @Test
  @Rule("S4")
  @Needs(Need.TWO_QUEUES)
  void checkingForTheValueShowsIt(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, done);
    awaitTrue("the value", () -> isReached(done));
    assertPending(late, 1);
  }

  private static boolean isReached(TimelineSemaphore semaphore) {
    try {
      return semaphore.tryAwait(1, Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  @Rule("S7")
  @Needs(Need.TWO_QUEUES)
  void aCallbackRunsBeforeTheLongWorkEnds(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, done);
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<@Nullable HalException> failure = new AtomicReference<>();
    done.onReach(
        1,
        failed -> {
          failure.set(failed);
          calls.incrementAndGet();
        });
    awaitTrue("the callback", () -> calls.get() == 1);
    assertNull(failure.get());
    assertPending(late, 1);
  }

  @Test
  @Rule("S7")
  @Needs(Need.TWO_QUEUES)
  void aFutureCompletesBeforeTheLongWorkEnds(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, done);
    CompletableFuture<?> future = done.whenReached(1);
    awaitTrue("the future", future::isDone);
    assertPending(late, 1);
  }

  @Test
  @Rule("Q5")
  @Needs(Need.THREE_QUEUES)
  @FreshDevice({ROOM, "queues=3"})
  void anotherQueueGoesOn(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, done);
    cts.queue(2).barrier(done.at(1), next.at(1));
    pollReached(next, 1);
    assertPending(late, 1);
  }

  /** The host has to see that its waits are reached before it begins. */
  @Test
  @Rule("Q5")
  @Needs(Need.THREE_QUEUES)
  @FreshDevice({ROOM, "queues=3"})
  void aHostCallOfAnotherQueueBegins(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, done);
    AtomicInteger calls = new AtomicInteger();
    cts.queue(2)
        .hostCall(
            done.at(1), Fence.NONE, HostCall.Mode.BLOCKING, context -> calls.incrementAndGet());
    awaitTrue("the host call", () -> calls.get() == 1);
    assertPending(late, 1);
  }

  @Test
  @Rule("S9")
  @Needs({Need.TWO_QUEUES, Need.SECOND_DEVICE})
  void aSecondDeviceGoesOn(Cts cts) {
    goesOn(cts, cts.openSecond(ROOM).queue(0));
  }

  @Test
  @Rule("S9")
  @Needs({Need.TWO_QUEUES, Need.OTHER_DRIVER})
  void aDeviceOfAnotherDriverGoesOn(Cts cts) {
    goesOn(cts, cts.other().queue(0));
  }

  private static void goesOn(Cts cts, DeviceQueue other) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore next = cts.semaphore(other.device(), 0);
    TimelineSemaphore late = behindFill(cts, done);
    other.barrier(done.at(1), next.at(1));
    pollReached(next, 1);
    assertPending(late, 1);
  }

  @Test
  @Rule("Q2")
  @Needs(Need.TWO_QUEUES)
  void borrowedMemoryComesBackBeforeTheLongWorkEnds(Cts cts) {
    TimelineSemaphore late = cts.semaphore();
    HostMemory memory = HostMemory.of(ByteBuffer.allocate(64));
    Blocker blocker = new Blocker(cts, cts.queue(1));
    cts.queue(0).upload(Fence.NONE, Fence.NONE, memory, cts.buffer(64), 0);
    cts.queue(0).fill(blocker.timepoint(), late.at(1), cts.buffer(64), 0, 16, FillPattern.ZERO);
    awaitTrue("the memory to be returned", () -> !memory.isBorrowed());
    assertPending(late, 1);
  }

  /** What waits for room is issued when the short work has made some. */
  @Test
  @Rule("Q1")
  @Needs(Need.TWO_QUEUES)
  @FreshDevice({"inflight=2", "queues=2"})
  void roomInAFullStreamIsSeenBeforeTheLongWorkEnds(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore last = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, done);
    cts.queue(0).barrier(Fence.NONE, last.at(1));
    awaitTrue("the last operation to be issued", () -> last.explain(1).contains("ISSUED"));
    assertPending(late, 1);
  }

  @Test
  @Rule("Q10")
  @Needs(Need.TWO_QUEUES)
  void aFailureIsSeenBeforeTheLongWorkEnds(Cts cts) {
    TimelineSemaphore cause = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore late = behindFill(cts, cts.semaphore());
    cts.queue(0).barrier(cause.at(1), done.at(1));
    cause.fail(new HalException(Status.ABORTED, "on purpose"));
    awaitTrue("the failure", () -> done.failure() != null);
    assertPending(late, 1);
  }
}
