// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;

/** Entering a gate, shutting it, and waiting until it is empty. */
class GateTest {
  private final Gate gate = new Gate();

  private static long in(long seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void noThreadEntersAShutGate() {
    assertTrue(gate.tryEnter());
    gate.leave();
    assertFalse(gate.isShut());
    assertTrue(gate.shut());
    assertTrue(gate.isShut());
    assertFalse(gate.tryEnter());
    assertFalse(gate.shut(), "shut by an earlier call");
  }

  @Test
  void awaitEmptySucceedsForAnEmptyGatePastTheDeadline() {
    gate.shut();
    assertTrue(gate.awaitEmpty(System.nanoTime() - 1));
  }

  /** Both are compiled first: the frames of compiled and of interpreted code differ in size. */
  @Test
  void stackForEnteringSufficesForLeaving() {
    for (int i = 0; i < 500_000; i++) {
      assertTrue(gate.tryEnter());
      gate.leave();
    }
    for (int i = 0; i < 64; i++) {
      Gate entered = new Gate();
      Threads.onSmallStack(() -> overflow(entered));
      entered.shut();
      assertTrue(entered.awaitEmpty(System.nanoTime()));
    }
  }

  private static void overflow(Gate entered) {
    try {
      enterDeep(entered);
    } catch (StackOverflowError e) {
      return; // on purpose
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void enterDeep(Gate entered) {
    if (!entered.tryEnter()) {
      return; // unreachable; no call may come between entering and leaving
    }
    try {
      enterDeep(entered);
    } finally {
      entered.leave();
    }
  }

  @Test
  void awaitEmptyEndsAtTheDeadlineIfAThreadStays() {
    assertTrue(gate.tryEnter());
    gate.shut();
    assertFalse(gate.awaitEmpty(System.nanoTime()));
    gate.leave();
    assertTrue(gate.awaitEmpty(System.nanoTime()));
  }

  @Test
  void awaitEmptyEndsWhenTheLastThreadLeaves() {
    assertTrue(gate.tryEnter());
    assertTrue(gate.tryEnter());
    gate.shut();
    Threads waiter = Threads.start("closer", () -> assertTrue(gate.awaitEmpty(in(3600))));
    waiter.awaitBlocked();
    gate.leave();
    gate.leave();
    waiter.join();
  }

  @Test
  void anInterruptDoesNotEndTheWaitAndIsKept() {
    assertTrue(gate.tryEnter());
    gate.shut();
    Threads waiter =
        Threads.start(
            "closer",
            () -> {
              assertTrue(gate.awaitEmpty(in(3600)));
              assertTrue(Thread.currentThread().isInterrupted());
            });
    waiter.awaitBlocked();
    waiter.interrupt();
    gate.leave();
    waiter.join();
  }

  @Test
  void noThreadIsInsideAShutAndEmptyGate() {
    for (int round = 0; round < 300; round++) {
      Gate tried = new Gate();
      AtomicInteger inside = new AtomicInteger();
      Threads.Body visitor =
          () -> {
            while (tried.tryEnter()) {
              inside.incrementAndGet();
              inside.decrementAndGet();
              tried.leave();
            }
          };
      Threads.together(
          visitor,
          visitor,
          () -> {
            tried.shut();
            assertTrue(tried.awaitEmpty(in(30)), "a thread did not leave");
            assertEquals(0, inside.get());
          });
    }
  }
}
