// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a budget counts, above all of memory that was freed while the program has views of it. */
@Timeout(60)
class MemoryBudgetTest {
  private static final Cleaner CLEANER = Cleaner.create();

  private final MemoryBudget budget = new MemoryBudget("test-0", 100);

  /** It waits for the collector and its cleaner however slow they are. */
  private final MemoryBudget patient =
      new MemoryBudget("test-0", 100, TimeUnit.SECONDS.toNanos(30));

  /** Bytes that were used and freed. They linger as long as the result is reachable. */
  private static Object freed(MemoryBudget counts, long bytes, AtomicLong lingering) {
    counts.reserve(bytes);
    Object view = new Object(); // the action must not refer to it
    lingering.addAndGet(bytes);
    CLEANER.register(
        view,
        () -> {
          lingering.addAndGet(-bytes);
          counts.release(bytes);
        });
    counts.linger(bytes);
    return view;
  }

  @Test
  void countsUpToTheLimit() {
    budget.reserve(90);
    HalException refusal = assertThrows(HalException.class, () -> budget.reserve(11));
    assertEquals(Status.RESOURCE_EXHAUSTED, refusal.status());
    assertEquals("cannot allocate 11 bytes on test-0: 90 of 100 are in use", refusal.getMessage());
    budget.reserve(10);
    budget.giveBack(100);
    assertEquals(0, budget.used());
  }

  @Test
  void lingeringMemoryIsCollectedWhenItsRoomIsNeeded() {
    AtomicLong lingering = new AtomicLong();
    for (int i = 0; i < 20; i++) {
      freed(patient, 60, lingering);
      assertTrue(lingering.get() <= 100, "bytes that linger: " + lingering);
    }
    assertEquals(0, patient.used());
  }

  @Test
  void memoryWithReachableViewsCountsAndIsNamed() {
    AtomicLong lingering = new AtomicLong();
    Object view = freed(budget, 60, lingering);
    HalException refusal = assertThrows(HalException.class, () -> budget.reserve(41));
    assertEquals(
        "cannot allocate 41 bytes on test-0: 0 of 100 are in use; another 60 are freed memory that"
            + " the program still has mapped views of",
        refusal.getMessage());
    budget.reserve(40);
    assertEquals(40, budget.used());
    Reference.reachabilityFence(view);
  }

  @Test
  void anInterruptEndsNoWaitAndIsKept() {
    AtomicLong lingering = new AtomicLong();
    freed(patient, 60, lingering);
    Thread.currentThread().interrupt();
    patient.reserve(100);
    assertTrue(Thread.interrupted());
    assertEquals(0, lingering.get());
  }

  @Test
  void muchLingeringMemoryIsCollectedBeforeThereIsNoRoom() throws InterruptedException {
    AtomicLong lingering = new AtomicLong();
    MemoryBudget large = new MemoryBudget("test-1", 1 << 20);
    long deadline = System.nanoTime() + 30_000_000_000L;
    Object view = new Object();
    large.reserve(1 << 18);
    CLEANER.register(view, () -> lingering.set(1));
    large.linger(1 << 18);
    view = "another";
    large.reserve(1); // a quarter lingers: this starts a collection
    while (lingering.get() == 0) {
      assertTrue(System.nanoTime() < deadline, "the view was not collected");
      Thread.onSpinWait();
    }
    assertEquals("another", view);
  }
}
