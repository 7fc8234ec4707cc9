// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Callbacks and stages of timepoints. */
@CtsSuite
class SemaphoreObserverTest {
  @Test
  @Rule({"S2", "S7"})
  void oneSignalReleasesInOrderOfValueThenOfRegistration(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<String> order = new ArrayList<>();
    long[] values = {3, 1, 2, 3, 1, 9, 2, 1};
    for (int i = 0; i < values.length; i++) {
      String name = values[i] + "#" + i;
      semaphore.onReach(values[i], failure -> order.add(name));
    }
    semaphore.signal(8);
    assertEquals(List.of("1#1", "1#4", "1#7", "2#2", "2#6", "3#0", "3#3"), order);
    semaphore.signal(9);
    assertEquals("9#5", order.get(7));
  }

  @Test
  @Rule("S2")
  void thousandsOfCallbacksRunInOrderOfValue(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<Long> values = new ArrayList<>();
    for (long value = 1; value <= 5_000; value++) {
      values.add(value);
    }
    Collections.shuffle(values, cts.random());
    List<Long> order = new ArrayList<>();
    values.forEach(value -> semaphore.onReach(value, failure -> order.add(value)));
    semaphore.signal(2_500);
    semaphore.signal(5_000);
    Collections.sort(values);
    assertEquals(values, order);
  }

  @Test
  @Rule("S7")
  void aCallbackRunsOnceOnTheSignallingThread(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    semaphore.onReach(
        1,
        failure -> {
          assertNull(failure);
          calls.incrementAndGet();
          thread.set(Thread.currentThread());
        });
    assertEquals(0, calls.get());
    semaphore.signal(1);
    assertEquals(1, calls.get(), "calls when signal() has returned");
    assertSame(Thread.currentThread(), thread.get());
    semaphore.signal(2);
    semaphore.fail(new HalException(Status.ABORTED, "later"));
    assertEquals(1, calls.get());
  }

  @Test
  @Rule("S7")
  void aCallbackOnAReachedOrFailedTimepointRunsImmediately(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(4);
    AtomicInteger calls = new AtomicInteger();
    semaphore.onReach(4, failure -> calls.incrementAndGet());
    assertEquals(1, calls.get());
    semaphore.fail(new HalException(Status.ABORTED, "gone"));
    List<HalException> failures = new ArrayList<>();
    semaphore.onReach(9, failures::add);
    assertEquals(1, failures.size());
    assertHal(Status.ABORTED, failures.get(0), "gone");
  }

  @Test
  @Rule({"S3", "S7"})
  void aFailureReachesCallbacksAndFutures(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<HalException> failures = new ArrayList<>();
    semaphore.onReach(1, failures::add);
    semaphore.onReach(100, failures::add);
    CompletableFuture<@Nullable Void> future = semaphore.whenReached(7);
    semaphore.fail(new HalException(Status.DATA_LOSS, "gone"));
    assertEquals(2, failures.size());
    failures.forEach(failure -> assertHal(Status.DATA_LOSS, failure, "gone"));
    assertHal(Status.DATA_LOSS, failureOf(future), "gone");
    assertHal(Status.DATA_LOSS, failureOf(semaphore.whenReached(7)), "gone");
  }

  private static HalException failureOf(CompletableFuture<@Nullable Void> stage) {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    stage.whenComplete((nothing, failure) -> thrown.set(failure));
    Throwable failure = awaitSet("the failure of a stage", thrown);
    // The JDK wraps an exception that passes through a dependent stage.
    return assertInstanceOf(
        HalException.class, failure instanceof CompletionException ? failure.getCause() : failure);
  }

  @Test
  @Rule("S7")
  void aCancelledCallbackNeverRunsAndOthersDo(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<String> ran = new ArrayList<>();
    semaphore.onReach(1, failure -> ran.add("first"));
    Registration second = semaphore.onReach(1, failure -> ran.add("second"));
    Registration third = semaphore.onReach(1, failure -> ran.add("third"));
    assertTrue(second.cancel());
    assertFalse(second.cancel(), "cancelled before");
    semaphore.signal(1);
    assertEquals(List.of("first", "third"), ran);
    assertFalse(third.cancel(), "has run");
    assertFalse(second.cancel());
  }

  @Test
  @Rule("S7")
  void aCancelledCallbackBecomesUnreachable(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    WeakReference<Object> marker = registerAndCancel(semaphore);
    awaitTrue(
        "a cancelled callback to become unreachable",
        () -> {
          System.gc();
          return marker.get() == null;
        });
    assertPending(semaphore, 1);
  }

  private static WeakReference<Object> registerAndCancel(TimelineSemaphore semaphore) {
    List<HalException> marker = new ArrayList<>();
    TimepointCallback callback = marker::add;
    assertTrue(semaphore.onReach(1, callback).cancel());
    return new WeakReference<>(marker);
  }

  @Test
  @Rule("S7")
  void aCallbackMaySignalFailAndEnqueue(Cts cts) {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore third = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    first.onReach(
        1,
        failure -> {
          second.signal(5);
          third.fail(new HalException(Status.ABORTED, "from a callback"));
          cts.queue().barrier(second.at(5), done.at(1));
          first.signal(2);
        });
    first.signal(1);
    assertEquals(2, first.value());
    assertEquals(5, second.value());
    assertHal(Status.ABORTED, third::value, "from a callback");
    awaitReached(done, 1);
  }

  @Test
  @Rule("S7")
  void callbacksOfASignalFromACallbackRunAfterIt(Cts cts) {
    TimelineSemaphore outer = cts.semaphore();
    TimelineSemaphore inner = cts.semaphore();
    List<String> order = new ArrayList<>();
    inner.onReach(1, failure -> order.add("inner"));
    outer.onReach(
        1,
        failure -> {
          order.add("outer begins");
          inner.signal(1);
          order.add("outer ends");
        });
    outer.signal(1);
    assertEquals(List.of("outer begins", "outer ends", "inner"), order);
  }

  @Test
  @Rule("S7")
  void callbacksHoldNoLock(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    semaphore.onReach(
        1,
        failure -> {
          Task<?> other =
              Task.run(
                  "other",
                  () -> {
                    assertEquals(1, semaphore.value());
                    semaphore.onReach(5, f -> {}).cancel();
                    semaphore.signal(2);
                    TimelineSemaphore done = cts.semaphore();
                    cts.queue().barrier(semaphore.at(2), done.at(1));
                    awaitReached(done, 1);
                  });
          try {
            thrown.set(other.joined());
          } catch (AssertionError e) {
            thrown.set(e);
          }
        });
    semaphore.signal(1);
    assertNull(thrown.get(), "another thread could not work while a callback ran");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"S7", "S3", "S8"})
  void callbacksOfAFailureAndOfACloseHoldNoLock(boolean isClose, Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    semaphore.onReach(
        1,
        failure -> {
          Task<?> other =
              Task.run(
                  "other",
                  () -> {
                    if (!isClose) {
                      TimelineSemaphore done = cts.semaphore();
                      cts.queue().barrier(semaphore.at(2), done.at(1));
                      awaitFailure(done, 1, Status.DATA_LOSS);
                      semaphore.fail(new HalException(Status.ABORTED, "again"));
                    }
                    semaphore.close();
                  });
          try {
            thrown.set(other.joined());
          } catch (AssertionError e) {
            thrown.set(e);
          }
        });
    if (isClose) {
      semaphore.close();
    } else {
      semaphore.fail(new HalException(Status.DATA_LOSS, "gone"));
    }
    assertNull(thrown.get(), "another thread could not work while a callback ran");
  }

  @Test
  @Rule({"S6", "S7"})
  void aCallbackMayCheckSeveralTimepoints(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore exact = cts.semaphore(3);
    TimelineSemaphore never = cts.semaphore();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    semaphore.onReach(
        1,
        failure -> {
          try {
            Fence.of(semaphore.at(1), exact.at(3), exact.at(2)).awaitAll(Duration.ZERO);
            Fence.of(never.at(1), never.at(2), exact.at(3)).awaitAny(Duration.ZERO);
            assertHal(
                Status.DEADLINE_EXCEEDED,
                () -> Fence.of(never.at(1), exact.at(4)).awaitAny(Duration.ZERO));
          } catch (HalException | InterruptedException | AssertionError e) {
            thrown.set(e);
          }
        });
    semaphore.signal(1);
    assertNull(thrown.get(), "a look at timepoints that are reached exactly");
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule("S7")
  void anExceptionInACallbackIsLoggedAndDropped(Culprits culprits, Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<Integer> ran = new ArrayList<>();
    for (int i = 0; i < culprits.count(); i++) {
      int own = i;
      semaphore.onReach(
          1,
          failure -> {
            if (culprits.has(own) && own % 2 == 0) {
              throw new IllegalStateException("thrown by callback " + own);
            }
            if (culprits.has(own)) {
              throw new AssertionError("thrown by callback " + own);
            }
            ran.add(own);
          });
    }
    semaphore.signal(1);
    assertEquals(culprits.others(), ran);
    assertEquals(1, semaphore.value());
    culprits.which().forEach(culprit -> cts.awaitLog("thrown by callback " + culprit));
  }

  /** Of several stages derived from one future, some are cancelled and some throw. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule("S7")
  void cancelledAndThrowingDerivedStagesAffectNoOther(Culprits culprits, Cts cts) throws Exception {
    for (boolean fails : new boolean[] {false, true}) {
      TimelineSemaphore semaphore = cts.semaphore();
      CompletableFuture<@Nullable Void> source = semaphore.whenReached(1);
      List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
      List<CompletableFuture<@Nullable Void>> derived = new ArrayList<>();
      for (int i = 0; i < 2 * culprits.count(); i++) {
        int own = i % culprits.count();
        boolean throwsIt = i >= culprits.count() && culprits.has(own);
        derived.add(
            source.whenComplete(
                (nothing, failure) -> {
                  if (throwsIt) {
                    throw new IllegalStateException("thrown by " + own);
                  }
                  ran.add(own);
                }));
      }
      culprits.which().forEach(culprit -> assertTrue(derived.get(culprit).cancel(true)));
      if (fails) {
        semaphore.fail(new HalException(Status.DATA_LOSS, "gone"));
      } else {
        semaphore.signal(1);
      }
      for (int i = 0; i < derived.size(); i++) {
        CompletableFuture<@Nullable Void> one = derived.get(i);
        awaitTrue("a derived stage to complete", one::isDone);
        boolean isCulprit = culprits.has(i % culprits.count());
        assertEquals(isCulprit || fails, one.isCompletedExceptionally(), "derived stage " + i);
        assertEquals(isCulprit && i < culprits.count(), one.isCancelled(), "derived stage " + i);
        if (fails && !isCulprit) {
          assertHal(Status.DATA_LOSS, failureOf(one), "gone");
        }
      }
      List<Integer> expected = new ArrayList<>(culprits.others());
      expected.addAll(culprits.others());
      awaitTrue("the actions of all others to run", () -> ran.size() >= expected.size());
      Collections.sort(expected);
      Collections.sort(ran);
      assertEquals(expected, ran);
      assertTrue(source.isDone());
    }
  }

  @Test
  @Rule("S7")
  void anExceptionOnACompletionThreadIsLoggedAndDropped(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    done.onReach(
        1,
        failure -> {
          throw new IllegalStateException("thrown on completion");
        });
    cts.queue().barrier(Fence.NONE, done.at(1));
    awaitReached(done, 1);
    cts.awaitLog("thrown on completion");
    cts.queue().barrier(done.at(1), done.at(2));
    awaitReached(done, 2);
  }

  @Test
  @Rule("S7")
  void aFutureCompletesWithItsTimepoint(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    CompletableFuture<@Nullable Void> future = semaphore.whenReached(2);
    semaphore.signal(1);
    assertFalse(future.isDone());
    TimelineSemaphore go = cts.semaphore();
    cts.queue().barrier(go.at(1), semaphore.at(2));
    go.signal(1);
    future.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
    semaphore.whenReached(2).get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /**
   * A future that its owner has completed can be collected: the timeline no longer refers to it.
   */
  @Test
  @Rule("S7")
  void aFutureCompletedByItsOwnerBecomesUnreachable(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    List<WeakReference<Object>> gone = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Object mine = new Object();
      CompletableFuture<@Nullable Void> future =
          i % 2 == 0
              ? semaphore.whenReached(1)
              : semaphore.at(1).and(cts.semaphore().at(0)).whenAll();
      CompletableFuture<Void> dependant = future.thenRun(() -> Objects.requireNonNull(mine));
      if (i % 4 < 2) {
        assertTrue(future.cancel(true));
      } else {
        assertThrows(CompletionException.class, future.orTimeout(1, TimeUnit.NANOSECONDS)::join);
      }
      assertThrows(CompletionException.class, dependant::join); // completes after the future
      gone.add(new WeakReference<>(mine));
    }
    awaitTrue(
        "objects of completed futures to be collected",
        () -> {
          System.gc();
          return gone.stream().allMatch(one -> one.get() == null);
        });
    assertPending(semaphore, 1);
    CompletableFuture<@Nullable Void> last = semaphore.whenReached(1);
    semaphore.signal(1);
    last.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  @Rule({"S4", "S6", "S7"})
  void aFutureOfAFenceCompletesWithItsLastMember(Cts cts) throws Exception {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore failing = cts.semaphore();
    CompletableFuture<@Nullable Void> both = first.at(1).and(second.at(1)).whenAll();
    CompletableFuture<@Nullable Void> failed = first.at(1).and(failing.at(1)).whenAll();
    cts.queue().barrier(Fence.NONE, first.at(1));
    awaitReached(first, 1);
    assertFalse(both.isDone());
    assertFalse(first.at(1).and(second.at(1)).tryAwaitAll(Duration.ZERO));
    assertFalse(second.tryAwait(1, Duration.ofMillis(1)));
    assertTrue(first.tryAwait(1, Duration.ZERO));
    cts.queue().barrier(Fence.NONE, second.at(1));
    both.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertTrue(second.tryAwait(1, Waits.LIMIT));
    failing.fail(new HalException(Status.DEADLINE_EXCEEDED, "of its own"));
    CompletionException thrown = assertThrows(CompletionException.class, failed::join);
    assertHal(
        Status.DEADLINE_EXCEEDED,
        assertInstanceOf(HalException.class, thrown.getCause()),
        "of its own");
    assertHal(Status.DEADLINE_EXCEEDED, () -> failing.tryAwait(1, Duration.ZERO), "of its own");
  }

  @Test
  @Rule("S7")
  void completingAFutureAffectsNoOtherObserver(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    CompletableFuture<@Nullable Void> sound = semaphore.whenReached(1);
    List<String> ran = Collections.synchronizedList(new ArrayList<>());
    sound.thenRun(() -> ran.add("dependant"));
    semaphore.onReach(1, failure -> ran.add("callback"));
    assertTrue(semaphore.whenReached(1).cancel(true));
    assertTrue(semaphore.whenReached(1).complete(null));
    assertTrue(semaphore.whenReached(1).completeExceptionally(new IllegalStateException("mine")));
    assertFalse(sound.isDone(), "a future that its owner completed completed another one");
    assertEquals(List.of(), ran);
    assertPending(semaphore, 1);
    semaphore.signal(1);
    sound.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
    awaitTrue("both observers to run", () -> ran.equals(List.of("dependant", "callback")));
  }
}
