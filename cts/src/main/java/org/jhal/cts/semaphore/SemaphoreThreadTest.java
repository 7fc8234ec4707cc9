// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Semaphores shared by several threads. */
@CtsSuite
class SemaphoreThreadTest {
  private static Task<@Nullable Void> waiter(Fence fence) {
    Task<@Nullable Void> task = Task.run("waiter", () -> fence.awaitAll(Waits.LIMIT));
    task.awaitBlocked();
    return task;
  }

  private static Task<@Nullable Void> anyWaiter(Fence fence) {
    Task<@Nullable Void> task = Task.run("waiter", () -> fence.awaitAny(Waits.LIMIT));
    task.awaitBlocked();
    return task;
  }

  @Test
  @Rule({"S2", "S5"})
  void aJumpReleasesAWaitForLess(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore(2);
    Task<?> three = waiter(semaphore.at(3));
    Task<?> ten = Task.run("unlimited", () -> semaphore.await(10));
    ten.awaitBlocked();
    semaphore.signal(10);
    three.join();
    ten.join();
    assertEquals(10, semaphore.value());
  }

  @Test
  @Rule("S2")
  void aSignalDoesNotReleaseAWaitForMore(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    Task<?> one = waiter(semaphore.at(1));
    Task<?> two = waiter(semaphore.at(2));
    semaphore.signal(1);
    one.join();
    assertTrue(two.isRunning(), "a wait for 2 was released by 1");
    semaphore.signal(2);
    two.join();
  }

  @Test
  @Rule("S6")
  void waitingForAnyWakesOnTheSecond(Cts cts) throws Exception {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    Task<?> any = anyWaiter(Fence.of(first.at(1), second.at(1)));
    second.signal(1);
    any.join();
    assertEquals(0, first.value());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @Rule("S6")
  void waitingForAnyOfThreeWakesOnEach(int reached, Cts cts) throws Exception {
    List<Timepoint> members = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      members.add(cts.semaphore().at(1));
    }
    Task<?> any = anyWaiter(Fence.of(members));
    members.get(reached).semaphore().signal(1);
    any.join();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"S6", "S3"})
  void aMemberThatFailsAfterItWasReachedFailsAWaitForAll(boolean isReachedBefore, Cts cts)
      throws Exception {
    TimelineSemaphore before = cts.semaphore(1);
    TimelineSemaphore meanwhile = cts.semaphore();
    TimelineSemaphore open = cts.semaphore();
    TimelineSemaphore last = cts.semaphore();
    Task<?> all = waiter(Fence.of(before.at(1), meanwhile.at(1), open.at(1)));
    Task<?> any = anyWaiter(Fence.of(meanwhile.at(2), open.at(1), last.at(1)));
    meanwhile.signal(1);
    assertStaysPending(open.at(1));
    assertTrue(all.isRunning(), "a wait for all of three was released by two");
    assertTrue(any.isRunning(), "a wait for any of three was released by none");
    (isReachedBefore ? before : meanwhile).fail(new HalException(Status.DATA_LOSS, "gone"));
    assertHal(Status.DATA_LOSS, assertInstanceOf(HalException.class, all.joined()), "gone");
    if (isReachedBefore) {
      last.signal(1); // none of the members of `any` has failed
      any.join();
    } else {
      assertHal(Status.DATA_LOSS, assertInstanceOf(HalException.class, any.joined()), "gone");
    }
    assertPending(open, 1);
  }

  @Test
  @Rule("S2")
  void twoThreadsSignalEachOtherInTurn(Cts cts) throws Exception {
    TimelineSemaphore ping = cts.semaphore();
    TimelineSemaphore pong = cts.semaphore();
    int rounds = 2_000;
    Task<?> partner =
        Task.run(
            "partner",
            () -> {
              for (int i = 1; i <= rounds; i++) {
                ping.await(i, Waits.LIMIT);
                pong.signal(i);
              }
            });
    for (int i = 1; i <= rounds; i++) {
      ping.signal(i);
      pong.await(i, Waits.LIMIT);
    }
    partner.join();
    assertEquals(rounds, pong.value());
  }

  @Test
  @Rule("S5")
  void oneValueMayBeWaitedForManyTimes(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    List<Task<?>> waiters = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      waiters.add(waiter(semaphore.at(5)));
    }
    semaphore.signal(5);
    for (Task<?> waiter : waiters) {
      waiter.join();
    }
    awaitReached(semaphore, 5);
    awaitReached(semaphore, 5);
  }

  @Test
  @Rule("S6")
  void twoThreadsWaitForAllOfTheSameTwo(Cts cts) throws Exception {
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    Fence both = Fence.of(first.at(1), second.at(2));
    Task<?> one = waiter(both);
    Task<?> two = waiter(both);
    second.signal(2);
    assertTrue(one.isRunning() && two.isRunning(), "a wait for all was released by one of two");
    first.signal(1);
    one.join();
    two.join();
  }

  @Test
  @Rule("S3")
  void aFailureWakesEveryWaiter(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(1);
    Task<?> near = waiter(semaphore.at(2));
    Task<?> far = waiter(semaphore.at(Long.MAX_VALUE));
    semaphore.fail(new HalException(Status.CANCELLED, "never mind"));
    for (Task<?> task : List.of(near, far)) {
      HalException thrown = assertInstanceOf(HalException.class, task.joined());
      assertHal(Status.CANCELLED, thrown, "never mind");
    }
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(3);
  }

  @ParameterizedTest
  @MethodSource("culprits")
  @Rule("S6")
  void aFailedMemberWakesWaitsForAllAndForAny(Culprits culprits, Cts cts) {
    List<TimelineSemaphore> members = List.of(cts.semaphore(), cts.semaphore(), cts.semaphore());
    Fence fence = Fence.of(members.stream().map(one -> one.at(1)).toList());
    Task<?> all = waiter(fence);
    Task<?> any = anyWaiter(fence);
    for (int culprit : culprits.which()) {
      members.get(culprit).fail(new HalException(Status.CANCELLED, "never mind"));
    }
    for (Task<?> task : List.of(all, any)) {
      HalException thrown = assertInstanceOf(HalException.class, task.joined());
      assertHal(Status.CANCELLED, thrown, "never mind");
    }
    for (int other : culprits.others()) {
      assertPending(members.get(other), 1);
      members.get(other).signal(1);
    }
  }

  @Test
  @Rule("S4")
  void anInterruptionEndsAWait(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore other = cts.semaphore();
    List<Task<?>> waiters =
        List.of(
            waiter(semaphore.at(1)),
            waiter(Fence.of(semaphore.at(1), other.at(1))),
            anyWaiter(Fence.of(semaphore.at(1), other.at(1))));
    for (Task<?> task : waiters) {
      task.interrupt();
      assertInstanceOf(InterruptedException.class, task.joined());
    }
    semaphore.signal(1);
    other.signal(1);
  }

  @Test
  @Rule({"S4", "K5"})
  @FreshDevice("spin=1s")
  void anInterruptionEndsAWaitThatPolls(Cts cts) {
    Timepoint held = new Blocker(cts, cts.queue()).timepoint();
    for (int round = 0; round < 4; round++) {
      AtomicBoolean isBegun = new AtomicBoolean();
      Task<?> waiter =
          Task.run(
              "waiter",
              () -> {
                isBegun.set(true);
                held.awaitAll(Waits.LIMIT);
              });
      Waits.awaitTrue("a waiter to begin", isBegun::get);
      assertStaysPending(held); // long enough for the waiter to poll
      waiter.interrupt();
      assertInstanceOf(InterruptedException.class, waiter.joined());
    }
  }

  @Test
  @Rule("S4")
  void anExpiredWaitLeavesTheThreadUnreachable(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore other = cts.semaphore();
    List<WeakReference<Thread>> threads = new ArrayList<>();
    for (Fence fence : List.of(semaphore.at(1), Fence.of(semaphore.at(1), other.at(1)))) {
      Thread expiring =
          new Thread(
              () -> {
                try {
                  fence.awaitAll(Duration.ofMillis(1));
                } catch (HalException | InterruptedException expected) {
                  // the thread ends
                }
              });
      expiring.start();
      expiring.join(Waits.LIMIT.toMillis());
      threads.add(new WeakReference<>(expiring));
    }
    Waits.awaitTrue(
        "the threads to become unreachable, whose waits for " + semaphore + " are over",
        () -> {
          System.gc();
          return threads.stream().allMatch(thread -> thread.get() == null);
        });
    assertPending(semaphore, 1);
  }

  @Test
  @Rule("S1")
  void theValueNeverDecreases(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    int last = 20_000;
    List<Task<?>> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(
          Task.run(
              "reader",
              () -> {
                long seen = 0;
                while (seen < last) {
                  long now = semaphore.value();
                  assertTrue(now >= seen, () -> "the value went from above " + now + " back to it");
                  semaphore.await(now, Duration.ZERO);
                  seen = now;
                }
              }));
    }
    for (int value = 1; value <= last; value++) {
      semaphore.signal(value);
    }
    for (Task<?> reader : readers) {
      reader.join();
    }
  }

  @Test
  @Rule("S1")
  void racingSignalsOfOneValueAreAcceptedAtMostOnce(Cts cts) throws Exception {
    TimelineSemaphore semaphore = cts.semaphore();
    int threads = 3;
    int last = 2_000;
    AtomicInteger accepted = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Task<?>> racers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      racers.add(
          Task.run(
              "racer",
              () -> {
                start.await();
                for (int value = 1; value <= last; value++) {
                  try {
                    semaphore.signal(value);
                    accepted.incrementAndGet();
                  } catch (HalException e) {
                    assertHal(Status.OUT_OF_RANGE, e);
                  }
                }
              }));
    }
    for (Task<?> racer : racers) {
      racer.join();
    }
    assertEquals(last, semaphore.value());
    assertTrue(accepted.get() <= last, () -> accepted + " signals of " + last + " values accepted");
    assertTrue(accepted.get() > 0);
  }

  @Test
  @Rule("S3")
  void racingFailuresDeliverOneToAllWaiters(Cts cts) throws Exception {
    for (int round = 0; round < 200; round++) {
      TimelineSemaphore semaphore = cts.device().createSemaphore(0);
      CyclicBarrier start = new CyclicBarrier(3);
      List<Task<?>> racers = new ArrayList<>();
      for (String name : List.of("left", "right")) {
        racers.add(
            Task.run(
                name,
                () -> {
                  start.await();
                  semaphore.fail(new HalException(Status.ABORTED, name));
                }));
      }
      Task<?> waiter = Task.run("waiter", () -> semaphore.await(1, Waits.LIMIT));
      start.await();
      for (Task<?> racer : racers) {
        racer.join();
      }
      HalException failure = semaphore.failure();
      assertNotNull(failure);
      HalException thrown = assertInstanceOf(HalException.class, waiter.joined());
      assertEquals(failure.getMessage(), thrown.getMessage());
      semaphore.close();
    }
  }
}
