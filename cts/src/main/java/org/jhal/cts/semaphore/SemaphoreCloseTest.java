// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Closing a semaphore. */
@CtsSuite
class SemaphoreCloseTest {
  @Test
  @Rule("S8")
  void closingCancelsHostWaits(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore other = cts.semaphore();
    List<Task<?>> waiters =
        List.of(
            Task.run("one", () -> semaphore.await(1)),
            Task.run("all", () -> Fence.of(other.at(1), semaphore.at(1)).awaitAll(Waits.LIMIT)),
            Task.run("any", () -> Fence.of(other.at(1), semaphore.at(1)).awaitAny(Waits.LIMIT)));
    waiters.forEach(Task::awaitWaiting);
    semaphore.close();
    for (Task<?> task : waiters) {
      HalException thrown = assertInstanceOf(HalException.class, task.joined());
      assertHal(Status.CANCELLED, thrown);
    }
    assertPending(other, 1);
  }

  @Test
  @Rule("S8")
  void closingCancelsCallbacksAndStages(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    List<HalException> failures = new ArrayList<>();
    semaphore.onReach(1, failures::add);
    semaphore.onReach(1_000, failures::add);
    CompletableFuture<@Nullable Void> future = semaphore.whenReached(1);
    semaphore.close();
    assertEquals(2, failures.size(), "callbacks that were cancelled");
    failures.forEach(failure -> assertHal(Status.CANCELLED, failure));
    assertTrue(future.isCompletedExceptionally());
  }

  @Test
  @Rule("S8")
  void closingCancelsParkedOperations(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore other = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore afterwards = cts.semaphore();
    cts.queue().barrier(Fence.of(other.at(1), semaphore.at(1)), done.at(1));
    cts.queue().barrier(done.at(1), afterwards.at(1));
    semaphore.close();
    awaitFailure(done, 1, Status.CANCELLED);
    awaitFailure(afterwards, 1, Status.CANCELLED);
    assertPending(other, 1);
    TimelineSemaphore works = cts.semaphore();
    cts.queue().barrier(Fence.NONE, works.at(1));
    awaitReached(works, 1);
  }

  @Test
  @Rule("S8")
  void aRunningHostCallGoesOnAndItsSignalIsDropped(Cts cts) {
    TimelineSemaphore closed = cts.semaphore();
    TimelineSemaphore open = cts.semaphore();
    HeldOperation held =
        new HeldOperation(cts, cts.queue(), Fence.NONE, Fence.of(closed.at(1), open.at(1)));
    held.awaitRunning();
    closed.close();
    held.complete();
    awaitReached(open, 1);
    assertHal(Status.FAILED_PRECONDITION, closed::value);
  }

  @Test
  @Rule("S8")
  void deviceWorkGoesOnAndItsSignalIsDropped(Cts cts) {
    TimelineSemaphore closed = cts.semaphore();
    TimelineSemaphore open = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(blocker.timepoint(), Fence.of(closed.at(1), open.at(1)));
    closed.close();
    blocker.release();
    awaitReached(open, 1);
  }

  @Test
  @Rule("S8")
  void aClosedSemaphoreRejectsEveryCall(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore(3);
    TimelineSemaphore other = cts.semaphore();
    DeviceQueue queue = cts.queue();
    semaphore.close();
    semaphore.close();
    assertHal(Status.FAILED_PRECONDITION, semaphore::value);
    assertHal(Status.FAILED_PRECONDITION, () -> semaphore.signal(4));
    assertHal(Status.FAILED_PRECONDITION, () -> semaphore.await(1));
    assertHal(Status.FAILED_PRECONDITION, () -> semaphore.await(9, Duration.ZERO));
    assertHal(Status.FAILED_PRECONDITION, () -> semaphore.onReach(1, failure -> {}));
    assertHal(Status.FAILED_PRECONDITION, () -> semaphore.whenReached(1));
    assertHal(Status.FAILED_PRECONDITION, () -> queue.barrier(semaphore.at(1), other.at(1)));
    assertHal(Status.FAILED_PRECONDITION, () -> queue.barrier(Fence.NONE, semaphore.at(9)));
    semaphore.fail(new HalException(Status.ABORTED, "dropped"));
    assertNull(semaphore.failure());
    assertPending(other, 1);
  }

  @Test
  @Rule("S8")
  void closingAFailedSemaphoreDoesNotChangeADeliveredFailure(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(semaphore.at(1), done.at(1));
    semaphore.fail(new HalException(Status.DATA_LOSS, "gone"));
    semaphore.close();
    assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "gone");
    HalException kept = semaphore.failure();
    assertNotNull(kept, "the failure of a timeline that was closed later");
    assertHal(Status.DATA_LOSS, kept, "gone");
  }

  @Test
  @Rule("S8")
  void aSemaphoreOutlivesItsDevice(Cts cts) throws Exception {
    Device device = cts.backend().open(cts.uri());
    TimelineSemaphore semaphore = device.createSemaphore(1);
    TimelineSemaphore done = cts.semaphore();
    device.close();
    assertEquals(1, semaphore.value());
    List<HalException> failures = new ArrayList<>();
    semaphore.onReach(9, failures::add);
    cts.queue().barrier(semaphore.at(2), done.at(1));
    semaphore.signal(2);
    semaphore.await(2, Waits.LIMIT);
    awaitReached(done, 1);
    semaphore.fail(new HalException(Status.ABORTED, "still alive"));
    assertEquals(1, failures.size());
    semaphore.close();
    semaphore.close();
  }

  @Test
  @Rule("S8")
  void aSemaphoreMayBeClosedInItsOwnCallback(Cts cts) {
    TimelineSemaphore semaphore = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<@Nullable HalException> later = new AtomicReference<>();
    semaphore.onReach(1, failure -> semaphore.close());
    semaphore.onReach(2, later::set);
    cts.queue().hostCall(Fence.NONE, done.at(1), HostCall.Mode.BLOCKING, c -> semaphore.signal(1));
    awaitReached(done, 1);
    assertHal(Status.CANCELLED, Waits.awaitSet("the other callback to be cancelled", later));
  }

  @Test
  @Rule("S8")
  void closingRacesWithSignallingAndWaiting(Cts cts) throws Exception {
    for (int round = 0; round < 300; round++) {
      TimelineSemaphore semaphore = cts.device().createSemaphore(0);
      TimelineSemaphore done = cts.device().createSemaphore(0);
      Task<?> waiter = Task.run("waiter", () -> semaphore.await(2, Waits.LIMIT));
      Task<?> signaller = Task.run("signaller", () -> semaphore.signal(1));
      Task<?> enqueuer =
          Task.run("enqueuer", () -> cts.queue().barrier(semaphore.at(1), done.at(1)));
      semaphore.close();
      Throwable waited = waiter.joined();
      Status status = assertInstanceOf(HalException.class, waited).status();
      assertTrue(
          status == Status.CANCELLED || status == Status.FAILED_PRECONDITION,
          () -> "got " + waited);
      refusedOrNot(signaller);
      if (refusedOrNot(enqueuer)) {
        awaitOver(done);
      }
      done.close();
    }
  }

  private static boolean refusedOrNot(Task<?> task) {
    Throwable thrown = task.joined();
    if (thrown != null) {
      assertHal(Status.FAILED_PRECONDITION, assertInstanceOf(HalException.class, thrown));
    }
    return thrown == null;
  }

  private static void awaitOver(TimelineSemaphore done) throws InterruptedException {
    try {
      done.await(1, Waits.LIMIT);
    } catch (HalException e) {
      assertHal(Status.CANCELLED, e);
    }
  }
}
