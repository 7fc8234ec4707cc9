package org.jhal.utils;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting by looking. */
@Timeout(60)
class NapsTest {
  @Test
  void itLooksOnceThoughTheDeadlineHasPassed() {
    AtomicInteger looks = new AtomicInteger();
    assertTrue(Naps.await(this, System.nanoTime(), () -> looks.incrementAndGet() == 1));
    assertFalse(Naps.await(this, System.nanoTime() - 1, () -> looks.incrementAndGet() == 0));
    assertEquals(2, looks.get());
  }

  /** A parked thread whose flag is set would not sleep. */
  @Test
  void whoIsInterruptedSleepsAllTheSame() {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Threads waiter =
        Threads.start(
            "waiter",
            () -> {
              Thread.currentThread().interrupt();
              assertTrue(Naps.await(this, Naps.never(), isOver::get));
              isInterrupted.set(Thread.currentThread().isInterrupted());
            });
    waiter.awaitBlocked();
    isOver.set(true);
    waiter.join();
    assertTrue(isInterrupted.get(), "the interrupt is still there");
  }
}
