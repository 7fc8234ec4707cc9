// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.assertNullRefused;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Semaphores used by one thread. */
@CtsSuite
class SemaphoreTest {
  @Test
  @Rule("S1")
  void startsAtItsInitialValue(Cts cts) {
    assertEquals(123, cts.semaphore(123).value());
    assertEquals(0, cts.semaphore(0).value());
    assertEquals(Long.MAX_VALUE, cts.semaphore(Long.MAX_VALUE).value());
  }

  @Test
  @Rule("S1")
  void rejectsANegativeInitialValue(Cts cts) {
    assertHal(Status.OUT_OF_RANGE, () -> cts.semaphore(-1), "-1");
  }

  @Test
  @Rule("S1")
  void aSignalMaySkipValues(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(2);
    semaphore.signal(3);
    assertEquals(3, semaphore.value());
    semaphore.signal(40);
    assertEquals(40, semaphore.value());
    semaphore.signal(Long.MAX_VALUE);
    assertEquals(Long.MAX_VALUE, semaphore.value());
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 6, 0, -1, Long.MIN_VALUE})
  @Rule("S1")
  void rejectsSignalsNotAboveTheCurrentValue(long value, Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(7);
    assertHal(Status.OUT_OF_RANGE, () -> semaphore.signal(value), String.valueOf(value), "7");
    assertEquals(7, semaphore.value(), "value after a refused signal");
    semaphore.signal(8);
    assertEquals(8, semaphore.value());
  }

  @Test
  @Rule("S3")
  void readingTheValueThrowsTheFailure(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(5);
    assertNull(semaphore.failure());
    semaphore.fail(new HalException(Status.UNKNOWN, "something"));
    assertHal(Status.UNKNOWN, semaphore::value, "something");
    HalException failure = semaphore.failure();
    assertEquals(Status.UNKNOWN, failure == null ? null : failure.status());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("S3")
  void aFailureKeepsStatusMessageAndCause(Status status, Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    Throwable cause = new IllegalStateException("the cause");
    HalException failure = new HalException(status, "the message", cause);
    semaphore.fail(failure);
    HalException thrown = awaitFailure(semaphore, 1, status);
    assertEquals("the message", thrown.getMessage(), "message of the failure that a waiter got");
    assertSame(cause, thrown.getCause(), "cause of the failure that a waiter got");
    assertNotSame(failure, thrown, "the waiter's exception must have the waiter's stack");
    assertNotSame(thrown, awaitFailure(semaphore, 1, status));
  }

  @Test
  @Rule("S3")
  void theFirstFailureStays(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    semaphore.fail(new HalException(Status.DATA_LOSS, "first"));
    semaphore.fail(new HalException(Status.CANCELLED, "second"));
    assertHal(Status.DATA_LOSS, semaphore::value, "first");
    assertHal(Status.DATA_LOSS, () -> semaphore.await(1), "first");
  }

  /** How a thread learns of a failure: by a wait that may block, or at once. */
  enum Look {
    AWAIT(true) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) throws Exception {
        failing.await(1);
      }
    },
    AWAIT_FOR(true) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) throws Exception {
        failing.await(1, Waits.LIMIT);
      }
    },
    TRY_AWAIT(true) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) throws Exception {
        boolean unused = failing.tryAwait(1, Waits.LIMIT);
      }
    },
    AWAIT_ALL(true) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) throws Exception {
        other.at(1).and(failing.at(1)).awaitAll();
      }
    },
    AWAIT_ANY_FOR(true) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) throws Exception {
        other.at(1).and(failing.at(1)).awaitAny(Waits.LIMIT);
      }
    },
    VALUE(false) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) {
        long unused = failing.value();
      }
    },
    SIGNAL(false) {
      @Override
      void learn(TimelineSemaphore failing, TimelineSemaphore other) {
        failing.signal(1);
      }
    };

    private final boolean mayBlock;

    Look(boolean mayBlock) {
      this.mayBlock = mayBlock;
    }

    abstract void learn(TimelineSemaphore failing, TimelineSemaphore other) throws Exception;
  }

  /**
   * What a thread changes in an exception that it has caught, such as the suppressed ones, no other
   * thread sees. The stack trace is that of the thread, and not of the one that has failed the
   * timeline.
   */
  @ParameterizedTest
  @EnumSource
  @Rule("S3")
  void everyThreadThrowsAFailureOfItsOwn(Look look, Cts cts) {
    TimelineSemaphore failing = cts.semaphore();
    TimelineSemaphore other = cts.semaphore();
    HalException original = new HalException(Status.DATA_LOSS, "spoilt", new Exception("why"));
    List<Task<?>> tasks = new ArrayList<>();
    for (int i = 0; i < 2 && look.mayBlock; i++) {
      tasks.add(Task.run("early " + i, () -> look.learn(failing, other)));
      tasks.get(i).awaitBlocked();
    }
    failing.fail(original);
    for (int i = 0; i < 2; i++) {
      tasks.add(Task.run("late " + i, () -> look.learn(failing, other)));
    }
    List<Throwable> seen = new ArrayList<>(List.of(original));
    for (Task<?> task : tasks) {
      Throwable thrown = Objects.requireNonNull(task.joined(), look + " has thrown nothing");
      assertHal(Status.DATA_LOSS, assertInstanceOf(HalException.class, thrown), "spoilt");
      assertSame(original.getCause(), thrown.getCause(), "cause");
      assertTrue(
          Stream.of(thrown.getStackTrace()).anyMatch(at -> at.getMethodName().equals("learn")),
          () -> "the stack trace of another thread: " + List.of(thrown.getStackTrace()));
      for (Throwable earlier : seen) {
        assertNotSame(earlier, thrown);
      }
      seen.add(thrown);
    }
  }

  @Test
  @Rule("S3")
  void waitingForAReachedValueThrowsALaterFailure(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(5);
    semaphore.fail(new HalException(Status.ABORTED, "late"));
    assertHal(Status.ABORTED, () -> semaphore.await(1), "late");
    assertHal(Status.ABORTED, () -> semaphore.await(5, Duration.ZERO), "late");
    assertHal(Status.ABORTED, () -> semaphore.at(0).awaitAll(), "late");
    assertHal(Status.ABORTED, () -> semaphore.at(0).awaitAny(Duration.ZERO), "late");
    List<HalException> seen = new ArrayList<>();
    semaphore.onReach(1, seen::add);
    assertEquals(1, seen.size());
    assertHal(Status.ABORTED, seen.get(0), "late");
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(semaphore.at(1), done.at(1));
    assertHal(Status.ABORTED, awaitFailure(done, 1), "late");
  }

  @Test
  @Rule("S3")
  void signallingAfterAFailureThrowsIt(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(1);
    semaphore.fail(new HalException(Status.RESOURCE_EXHAUSTED, "used up"));
    assertHal(Status.RESOURCE_EXHAUSTED, () -> semaphore.signal(2), "used up");
    assertHal(Status.RESOURCE_EXHAUSTED, () -> semaphore.signal(0), "used up");
  }

  @Test
  @Rule("S4")
  void waitingForAReachedValueReturnsImmediately(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore(2);
    semaphore.await(0);
    semaphore.await(1);
    semaphore.await(2);
    semaphore.await(2, Duration.ZERO);
    semaphore.await(1, Duration.ofNanos(-1));
    semaphore.await(1, Duration.ofSeconds(Long.MAX_VALUE));
    Fence.of(semaphore.at(2)).awaitAll(Duration.ZERO);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1_000_000, -1, Long.MIN_VALUE})
  @Rule("S4")
  void aWaitEndsAtItsDeadline(long nanos, Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore(2);
    Duration timeout = Duration.ofNanos(nanos);
    assertHal(Status.DEADLINE_EXCEEDED, () -> semaphore.await(3, timeout));
    assertHal(Status.DEADLINE_EXCEEDED, () -> semaphore.at(3).awaitAll(timeout));
    assertHal(Status.DEADLINE_EXCEEDED, () -> semaphore.at(3).awaitAny(timeout));
    assertPending(semaphore, 3);
    assertEquals(2, semaphore.value());
    semaphore.signal(3);
    semaphore.await(3, timeout);
  }

  @Test
  @Rule("S4")
  void anInterruptedThreadDoesNotStartToWait(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> semaphore.await(1));
    Thread.currentThread().interrupt();
    assertThrows(
        InterruptedException.class,
        () -> Fence.of(semaphore.at(1), cts.semaphore().at(1)).awaitAny());
  }

  /** A wait of an interrupted thread. */
  @FunctionalInterface
  private interface Wait {
    void run() throws InterruptedException;
  }

  private static void assertNotInterrupted(String what, Wait wait) {
    Thread.currentThread().interrupt();
    try {
      wait.run();
    } catch (InterruptedException e) {
      throw new AssertionError(what + " was interrupted", e);
    }
    assertTrue(Thread.interrupted(), what + " has cleared the interrupt");
  }

  /** Whichever method waits: there is nothing that the interrupt could end. */
  @Test
  @Rule("S4")
  void anInterruptedThreadNeedNotWaitForWhatIsReached(Cts cts) {
    Duration limit = Duration.ofSeconds(30);
    TimelineSemaphore one = cts.semaphore();
    TimelineSemaphore other = cts.semaphore();
    TimelineSemaphore open = cts.semaphore();
    one.signal(3);
    other.signal(1);
    Fence two = Fence.of(one.at(3), other.at(1));
    Fence partly = Fence.of(open.at(1), one.at(2));
    assertNotInterrupted("await", () -> one.await(3));
    assertNotInterrupted("await with a limit", () -> one.await(2, limit));
    assertNotInterrupted("tryAwait", () -> assertTrue(one.tryAwait(3, limit)));
    assertNotInterrupted("a check", () -> assertTrue(one.tryAwait(3, Duration.ZERO)));
    for (Fence fence : List.of(Fence.NONE, one.at(3), two)) {
      assertNotInterrupted("awaitAll of " + fence, fence::awaitAll);
      assertNotInterrupted("awaitAll with a limit of " + fence, () -> fence.awaitAll(limit));
      assertNotInterrupted("awaitAny of " + fence, fence::awaitAny);
      assertNotInterrupted("awaitAny with a limit of " + fence, () -> fence.awaitAny(limit));
      assertNotInterrupted("tryAwaitAll of " + fence, () -> assertTrue(fence.tryAwaitAll(limit)));
    }
    assertNotInterrupted("awaitAny of a fence that is partly reached", partly::awaitAny);
    try (Sequence sequence = cts.device().createSequence()) {
      assertNotInterrupted("a sequence without steps", sequence::await);
      assertNotInterrupted("a sequence with a limit", () -> sequence.await(limit));
    }
    HostMemory memory = HostMemory.of(new byte[1]);
    assertNotInterrupted("awaitFree", memory::awaitFree);
    assertNotInterrupted("awaitFree with a limit", () -> memory.awaitFree(limit));
    assertPending(open, 1);
  }

  /** The failure is there, as a value would be. */
  @Test
  @Rule({"S3", "S4"})
  void anInterruptedThreadGetsAFailureThatIsThere(Cts cts) {
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore open = cts.semaphore();
    failed.fail(new HalException(Status.ABORTED, "on purpose"));
    for (Fence fence : List.of(failed.at(1), Fence.of(open.at(1), failed.at(1)))) {
      assertNotInterrupted(
          "awaitAll of " + fence, () -> assertHal(Status.ABORTED, () -> fence.awaitAll()));
      assertNotInterrupted(
          "awaitAny of " + fence, () -> assertHal(Status.ABORTED, () -> fence.awaitAny()));
    }
  }

  @Test
  @Rule("S6")
  void waitingForTheEmptyFenceReturnsImmediately(Cts cts) throws Exception {
    Fence.NONE.awaitAll();
    Fence.NONE.awaitAny();
    Fence.of().awaitAll(Duration.ZERO);
    Fence.NONE.awaitAny(Duration.ZERO);
    Fence.NONE.awaitAll(Duration.ofSeconds(Long.MAX_VALUE));
  }

  @Test
  @Rule("S6")
  void waitingForAllReturnsOnlyIfAllAreReached(Cts cts) throws Exception {
    TimelineSemaphore zero = cts.semaphore(0);
    TimelineSemaphore one = cts.semaphore(1);
    Fence both = Fence.of(zero.at(1), one.at(1));
    assertHal(Status.DEADLINE_EXCEEDED, () -> both.awaitAll(Duration.ZERO));
    zero.signal(1);
    both.awaitAll(Duration.ZERO);
    both.awaitAll();
  }

  @Test
  @Rule("S6")
  void waitingForAnyReturnsIfOneIsReached(Cts cts) throws Exception {
    TimelineSemaphore zero = cts.semaphore(0);
    TimelineSemaphore one = cts.semaphore(1);
    Fence.of(zero.at(1), one.at(1)).awaitAny(Duration.ZERO);
    Fence.of(zero.at(1), one.at(1)).awaitAny();
    Fence neither = Fence.of(zero.at(1), one.at(2));
    assertHal(Status.DEADLINE_EXCEEDED, () -> neither.awaitAny(Duration.ZERO));
    assertEquals(0, zero.value());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @Rule("S6")
  void waitingForAnyOfThreeReturnsIfOneIsReached(int reached, Cts cts) throws Exception {
    List<Timepoint> members = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      members.add(cts.semaphore(i == reached ? 1 : 0).at(1));
    }
    Fence.of(members).awaitAny(Duration.ZERO);
    Fence.of(members).awaitAny(Waits.LIMIT);
    assertHal(
        Status.DEADLINE_EXCEEDED, () -> Fence.of(members).awaitAll(Duration.ZERO), "not all of");
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule("S6")
  void aFailedMemberFailsTheWaitDespiteReachedMembers(Culprits culprits, Cts cts) {
    List<TimelineSemaphore> members = List.of(cts.semaphore(1), cts.semaphore(1), cts.semaphore(1));
    for (int culprit : culprits.which()) {
      members.get(culprit).fail(new HalException(Status.DATA_LOSS, "gone"));
    }
    Fence fence = Fence.of(members.stream().map(one -> one.at(1)).toList());
    assertHal(Status.DATA_LOSS, () -> fence.awaitAll(), "gone");
    assertHal(Status.DATA_LOSS, () -> fence.awaitAny(), "gone");
    assertHal(Status.DATA_LOSS, () -> fence.awaitAll(Duration.ZERO), "gone");
    assertHal(Status.DATA_LOSS, () -> fence.awaitAny(Duration.ZERO), "gone");
  }

  @Test
  @Rule("S1a")
  void aFenceKeepsTheLargerOfTwoValues(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore(1);
    TimelineSemaphore other = cts.semaphore();
    for (Fence fence :
        List.of(
            Fence.of(semaphore.at(1), other.at(0), semaphore.at(3)),
            Fence.of(semaphore.at(3), other.at(0), semaphore.at(1)),
            semaphore.at(1).and(other.at(0)).and(semaphore.at(3)))) {
      assertEquals(2, fence.size());
      assertSame(semaphore, fence.semaphore(0));
      assertEquals(3, fence.value(0));
      assertHal(Status.DEADLINE_EXCEEDED, () -> fence.awaitAll(Duration.ZERO));
    }
  }

  @Test
  @Rule("S1")
  void rejectsNegativeTimepoints(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    assertHal(Status.OUT_OF_RANGE, () -> semaphore.at(-1), "-1");
    assertHal(Status.OUT_OF_RANGE, () -> semaphore.await(-1), "-1");
    assertHal(Status.OUT_OF_RANGE, () -> semaphore.await(-1, Duration.ZERO), "-1");
    assertHal(Status.OUT_OF_RANGE, () -> semaphore.onReach(-1, failure -> {}), "-1");
    assertHal(Status.OUT_OF_RANGE, () -> semaphore.whenReached(-1), "-1");
  }

  @Test
  @Rule("S3")
  @SuppressWarnings("NullAway") // null on purpose
  void rejectsNull(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    assertNullRefused("failure", () -> semaphore.fail(null));
    assertNullRefused("timeout", () -> semaphore.await(1, null));
    assertNullRefused("callback", () -> semaphore.onReach(1, null));
    assertPending(semaphore, 1);
  }
}
