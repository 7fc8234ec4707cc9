// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rules S4 and S6: host waits for several timepoints, of any semaphores. */
class FenceWaitTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final FakeTimelineSemaphore a = new FakeTimelineSemaphore("a");
  private final FakeTimelineSemaphore b = new FakeTimelineSemaphore("b");
  private final Fence both = Fence.of(a.at(1), b.at(2));

  @Test
  void anErrorWhileAFutureIsMadeLeavesNothingRegistered() {
    Error error = new OutOfMemoryError("for the test");
    b.failsRegistering(error);
    assertSame(error, assertThrows(Error.class, both::whenAll));
    assertEquals(0, a.registered());
  }

  @Test
  void aFailedMemberThatIsClosedIsRefused() {
    a.fail(new HalException(Status.DATA_LOSS, "lost"));
    a.close();
    HalException refused = assertThrows(HalException.class, both::whenAll);
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
  }

  @Test
  void aFutureCompletesWhenAllAreReached() {
    CompletableFuture<@Nullable Void> future = both.whenAll();
    a.signal(1);
    assertFalse(future.isDone());
    b.signal(2);
    assertTrue(future.isDone());
    assertFalse(future.isCompletedExceptionally());
    assertEquals(0, a.registered() + b.registered());
    assertTrue(both.whenAll().isDone(), "reached before");
    assertTrue(Fence.NONE.whenAll().isDone(), "the empty fence");
  }

  @Test
  void aFutureFailsWithTheFirstMemberEvenIfThatWasReached() {
    CompletableFuture<@Nullable Void> future = both.whenAll();
    a.signal(1);
    a.fail(new HalException(Status.DATA_LOSS, "gone"));
    CompletionException thrown = assertThrows(CompletionException.class, future::join);
    assertEquals("gone", assertInstanceOf(HalException.class, thrown.getCause()).getMessage());
    assertEquals(0, a.registered() + b.registered());
    assertThrows(CompletionException.class, both.whenAll()::join, "failed before");
    assertEquals(0, a.registered() + b.registered());
  }

  @Test
  void aLateFutureFailsLikeALateWait() {
    a.signal(1);
    CompletableFuture<@Nullable Void> late = both.whenAll(Duration.ofMillis(1));
    CompletionException thrown = assertThrows(CompletionException.class, late::join);
    HalException failure = assertInstanceOf(HalException.class, thrown.getCause());
    assertEquals(Status.DEADLINE_EXCEEDED, failure.status());
    HalException waited =
        assertThrows(HalException.class, () -> both.awaitAll(Duration.ofMillis(1)));
    assertEquals(waited.getMessage(), failure.getMessage());
    awaitNothingRegistered();
  }

  /** The thread that completes a late future does this right behind it. */
  private void awaitNothingRegistered() {
    until("nothing is registered", () -> a.registered() + b.registered() == 0);
  }

  @Test
  void aFutureWithoutTimeOnlyChecks() {
    for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
      CompletableFuture<@Nullable Void> late = both.whenAll(none);
      assertTrue(late.isCompletedExceptionally(), "at once");
      CompletionException thrown = assertThrows(CompletionException.class, late::join);
      HalException failure = assertInstanceOf(HalException.class, thrown.getCause());
      assertEquals(Status.DEADLINE_EXCEEDED, failure.status());
    }
    a.signal(1);
    b.signal(2);
    assertFalse(both.whenAll(Duration.ZERO).isCompletedExceptionally());
  }

  @Test
  void aFutureThatIsInTimeCompletes() {
    CompletableFuture<@Nullable Void> future = both.whenAll(FOR_EVER);
    a.signal(1);
    assertFalse(future.isDone());
    b.signal(2);
    assertTrue(future.isDone() && !future.isCompletedExceptionally());
  }

  @Test
  void aFutureThatItsOwnerCompletesLeavesNothingRegistered() {
    for (int i = 0; i < 3; i++) {
      CompletableFuture<@Nullable Void> cancelled = both.whenAll();
      assertTrue(cancelled.cancel(true));
      CompletableFuture<@Nullable Void> completed = both.whenAll();
      assertTrue(completed.complete(null));
      CompletableFuture<@Nullable Void> late = both.whenAll().orTimeout(1, TimeUnit.NANOSECONDS);
      assertThrows(CompletionException.class, late::join);
    }
    awaitNothingRegistered();
    a.signal(1);
    b.signal(2);
    assertTrue(both.whenAll().isDone());
  }

  @Test
  void aClosedMemberIsRefused() {
    b.close();
    HalException refused = assertThrows(HalException.class, both::whenAll);
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
    assertEquals(0, a.registered());
  }

  @Test
  void tryAwaitAllReturnsWhetherAllWereReachedInTime() throws Exception {
    assertFalse(both.tryAwaitAll(Duration.ZERO));
    assertFalse(both.tryAwaitAll(Duration.ofMillis(1)));
    a.signal(1);
    b.signal(2);
    assertTrue(both.tryAwaitAll(Duration.ofSeconds(1)));
    assertTrue(Fence.NONE.tryAwaitAll(Duration.ZERO));
    assertTrue(a.at(1).tryAwaitAll(LONG));
    assertEquals(List.of("try 1 PT1M"), a.awaited());
    a.fail(new HalException(Status.DEADLINE_EXCEEDED, "its own"));
    HalException failed = assertThrows(HalException.class, () -> both.tryAwaitAll(LONG));
    assertEquals("its own", failed.getMessage());
  }

  private interface Wait {
    void run() throws InterruptedException;
  }

  /** A wait on a thread of its own, and how it ended. */
  private static final class Waiting {
    private final Thread thread;
    private volatile @Nullable Throwable thrown;

    Waiting(Wait wait) {
      thread =
          new Thread(
              () -> {
                try {
                  wait.run();
                } catch (Throwable t) {
                  thrown = t;
                }
              },
              "fence-waiter");
      thread.setDaemon(true);
      thread.start();
    }

    /** Waits until the thread is parked by a fence wait. */
    Waiting parked() {
      until("the waiter parks", () -> LockSupport.getBlocker(thread) instanceof FenceWait);
      return this;
    }

    @Nullable Throwable end() throws InterruptedException {
      thread.join(LONG.toMillis());
      assertFalse(thread.isAlive(), "the fence wait has not returned after " + LONG);
      return thrown;
    }
  }

  static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "waited " + LONG + " until " + what);
      Thread.onSpinWait();
    }
  }

  @AfterEach
  void nothingStaysRegistered() {
    assertEquals(0, a.registered(), "callbacks left at a");
    assertEquals(0, b.registered(), "callbacks left at b");
  }

  @Test
  void waitingForTheEmptyFenceReturnsImmediately() throws InterruptedException {
    Fence.NONE.awaitAll();
    Fence.NONE.awaitAny();
    Fence.NONE.awaitAll(Duration.ZERO);
    Fence.NONE.awaitAny(Duration.ZERO);
  }

  @Test
  void awaitsASingleTimepointThroughItsSemaphore() throws InterruptedException {
    a.at(1).awaitAll();
    a.at(2).awaitAny(Duration.ofSeconds(3));

    assertEquals(List.of("1", "2 PT3S"), a.awaited());
  }

  @Test
  void reachedTimepointsDoNotBlock() throws InterruptedException {
    a.signal(5);
    b.signal(2);

    both.awaitAll();
    both.awaitAny();
    both.awaitAll(Duration.ZERO);
    both.awaitAny(Duration.ofSeconds(-1));
    both.awaitAll(FOR_EVER);
  }

  @Test
  void awaitAllWaitsForEveryTimepoint() throws InterruptedException {
    Waiting waiting = new Waiting(both::awaitAll);
    until("both are registered", () -> a.registered() == 1 && b.registered() == 1);
    a.signal(1);
    b.signal(1); // not enough
    waiting.parked();
    assertEquals(1, b.registered(), "the wait goes on for b");
    b.signal(2);

    assertNull(waiting.end());
  }

  @Test
  void awaitAnyReturnsAtTheFirstTimepoint() throws InterruptedException {
    Waiting waiting = new Waiting(() -> both.awaitAny(FOR_EVER));
    until("both are registered", () -> a.registered() == 1 && b.registered() == 1);
    waiting.parked();
    b.signal(2);

    assertNull(waiting.end());
  }

  @Test
  void aSpuriousWakeUpDoesNotEndTheWait() throws InterruptedException {
    Waiting waiting = new Waiting(both::awaitAll).parked();
    LockSupport.unpark(waiting.thread);
    waiting.parked();
    a.signal(1);
    waiting.parked();
    b.signal(2);

    assertNull(waiting.end());
  }

  @Test
  void aFailureOfAnyMemberEndsTheWaitAtOnce() throws InterruptedException {
    Exception cause = new IllegalStateException("the cause");
    HalException failure = new HalException(Status.ABORTED, "b is broken", cause);
    Waiting all = new Waiting(both::awaitAll).parked();
    Waiting any = new Waiting(both::awaitAny).parked();
    b.fail(failure);

    for (Waiting waiting : List.of(all, any)) {
      checkIsAgain(failure, waiting.end());
    }
  }

  @Test
  void aFailureTakesPrecedenceOverAReachedMember() throws InterruptedException {
    HalException failure = new HalException(Status.ABORTED, "b is broken");
    a.signal(1);
    b.fail(failure);

    checkIsAgain(failure, assertThrows(HalException.class, both::awaitAny));
    checkIsAgain(failure, assertThrows(HalException.class, both::awaitAll));
    checkIsAgain(failure, assertThrows(HalException.class, () -> both.awaitAny(Duration.ZERO)));
  }

  @Test
  void throwsTheFirstFailure() throws InterruptedException {
    HalException first = new HalException(Status.ABORTED, "first");
    Waiting waiting = new Waiting(both::awaitAll).parked();
    b.fail(first);
    a.fail(new HalException(Status.INTERNAL, "second"));

    checkIsAgain(first, waiting.end());
  }

  private static void checkIsAgain(HalException failure, @Nullable Throwable thrown) {
    assertNotNull(thrown, "the wait succeeded, though a member failed");
    HalException again = (HalException) thrown;
    assertNotSame(failure, again);
    assertEquals(failure.status(), again.status());
    assertEquals(failure.getMessage(), again.getMessage());
    assertSame(failure.getCause(), again.getCause());
    assertArrayEquals(failure.getStackTrace(), again.getSuppressed()[0].getStackTrace());
  }

  @Test
  void aMissedDeadlineExplainsOnlyOpenTimepoints() {
    a.signal(1);

    HalException all = assertThrows(HalException.class, () -> both.awaitAll(Duration.ofMillis(2)));
    HalException zero = assertThrows(HalException.class, () -> both.awaitAll(Duration.ZERO));
    HalException past =
        assertThrows(HalException.class, () -> both.awaitAll(Duration.ofSeconds(-Long.MAX_VALUE)));

    assertEquals(Status.DEADLINE_EXCEEDED, all.status());
    assertEquals("waited 0.002 s for all of [a@1, b@2]; b explains 2", all.getMessage());
    assertEquals(Status.DEADLINE_EXCEEDED, past.status());
    assertEquals("not all of [a@1, b@2] is reached", zero.getMessage()); // only a check: no search
    assertEquals("not all of [a@1, b@2] is reached", past.getMessage());
  }

  @Test
  void aMissedDeadlineOfAwaitAnyExplainsAllTimepoints() {
    HalException any = assertThrows(HalException.class, () -> both.awaitAny(Duration.ofNanos(1)));

    assertEquals(Status.DEADLINE_EXCEEDED, any.status());
    assertEquals(
        "waited 0.000000001 s for any of [a@1, b@2]; a explains 1; b explains 2", any.getMessage());
  }

  @Test
  void anInterruptionEndsTheWait() throws InterruptedException {
    for (Wait wait : List.<Wait>of(both::awaitAll, () -> both.awaitAny(FOR_EVER))) {
      Waiting waiting = new Waiting(wait).parked();
      waiting.thread.interrupt();

      assertEquals(InterruptedException.class, assertNotNullThrown(waiting.end()).getClass());
      nothingStaysRegistered();
    }
  }

  private static Throwable assertNotNullThrown(@Nullable Throwable thrown) {
    if (thrown == null) {
      throw new AssertionError("the interrupted wait succeeded");
    }
    return thrown;
  }

  @Test
  void anInterruptionBeforeTheWaitEndsItToo() {
    Thread.currentThread().interrupt();

    assertThrows(InterruptedException.class, both::awaitAll);
    assertFalse(Thread.interrupted(), "the flag is still set although the wait has thrown");
  }

  @Test
  void aClosedMemberIsRefusedAndNothingStaysRegisteredAtTheOthers() {
    b.close();

    HalException refused = assertThrows(HalException.class, both::awaitAll);

    assertEquals(Status.FAILED_PRECONDITION, refused.status());
  }

  /** Rules S3, S6: the failure of a member counts, whether it was reached before or not. */
  @Test
  void aMemberThatWasReachedBeforeTheWaitStillFailsIt() throws InterruptedException {
    a.signal(1);
    Waiting waiting = new Waiting(both::awaitAll).parked();
    HalException failure = new HalException(Status.ABORTED, "a failed after it was reached");
    a.fail(failure);
    checkIsAgain(failure, (HalException) assertNotNullThrown(waiting.end()));
  }

  @Test
  void aMemberThatWasReachedDuringTheWaitStillFailsIt() throws InterruptedException {
    Waiting waiting = new Waiting(both::awaitAll).parked();
    a.signal(1);
    HalException failure = new HalException(Status.ABORTED, "a failed after it was reached");
    a.fail(failure);
    checkIsAgain(failure, (HalException) assertNotNullThrown(waiting.end()));
  }

  /** The message names some of those that are not reached, and counts the rest. */
  @Test
  void aMissedDeadlineNamesAFewOfThousandsOfTimepoints() {
    List<Timepoint> many = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      many.add(new FakeTimelineSemaphore("s" + i).at(1));
    }
    many.get(1).semaphore().signal(1);
    Fence fence = Fence.of(many);
    String message =
        assertThrows(HalException.class, () -> fence.awaitAll(Duration.ofMillis(1))).getMessage();
    assertTrue(message.contains("for all of [s0@1, s1@1, "), message);
    assertTrue(message.contains("s7@1, and 1992 more]; "), message);
    assertTrue(message.endsWith("; and 1991 more are not reached"), message);
    assertTrue(message.length() < 4000, message);
  }
}
