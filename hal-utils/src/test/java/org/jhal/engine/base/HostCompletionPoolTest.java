// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostCompletionPoolTest {
  private final List<Throwable> errors = new CopyOnWriteArrayList<>();
  private final HostCompletionPool pool = new HostCompletionPool("test", 1, errors::add);
  private final List<String> ran = new CopyOnWriteArrayList<>();

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS), "the latch was not opened");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitEnd() {
    pool.close();
    assertTrue(pool.awaitEnd(System.nanoTime() + TimeUnit.SECONDS.toNanos(30)), "tasks run still");
  }

  @Test
  void longWorkGivesWayToWaitingTasks() {
    CountDownLatch isQueued = new CountDownLatch(1);
    CountDownLatch isOver = new CountDownLatch(1);
    pool.execute(
        () -> {
          await(isQueued);
          ran.add("begin");
          assertTrue(
              pool.giveWay(
                  () -> {
                    assertFalse(pool.giveWay(() -> ran.add("never")), "no task waits");
                    ran.add("rest");
                    isOver.countDown();
                  }));
        });
    pool.execute(() -> ran.add("other"));
    isQueued.countDown();
    await(isOver);
    awaitEnd();
    assertEquals(List.of("begin", "other", "rest"), ran);
  }

  @Test
  void anExceptionOfATaskIsReported() {
    Error error = new StackOverflowError("on purpose");
    pool.execute(
        () -> {
          throw error;
        });
    pool.execute(() -> ran.add("next"));
    awaitEnd();
    assertEquals(List.of(error), errors);
    assertEquals(List.of("next"), ran);
  }

  @Test
  void noTaskGivesWayInAClosedPool() {
    CountDownLatch isClosed = new CountDownLatch(1);
    pool.execute(
        () -> {
          await(isClosed);
          if (!pool.giveWay(() -> ran.add("never"))) {
            ran.add("went on");
          }
        });
    pool.execute(() -> ran.add("other"));
    pool.close();
    assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {}));
    isClosed.countDown();
    awaitEnd();
    assertEquals(List.of("went on", "other"), ran);
  }
}
