// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting by polling. */
@Timeout(60)
class BackOffTest {
  @Test
  void pollsOnceAfterTheDeadline() {
    AtomicInteger looks = new AtomicInteger();
    assertTrue(BackOff.await(this, System.nanoTime(), () -> looks.incrementAndGet() == 1));
    assertFalse(BackOff.await(this, System.nanoTime() - 1, () -> looks.incrementAndGet() == 0));
    assertEquals(2, looks.get());
  }

  /** A thread with its interrupt status set would not park. */
  @Test
  void anInterruptedThreadStillSleeps() {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Threads waiter =
        Threads.start(
            "waiter",
            () -> {
              Thread.currentThread().interrupt();
              assertTrue(BackOff.await(this, BackOff.never(), isOver::get));
              isInterrupted.set(Thread.currentThread().isInterrupted());
            });
    waiter.awaitBlocked();
    isOver.set(true);
    waiter.join();
    assertTrue(isInterrupted.get(), "the interrupt is still there");
  }
}
