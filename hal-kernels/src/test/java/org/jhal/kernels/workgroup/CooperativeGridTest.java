// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.kernel.Workgroup;
import org.jhal.kernels.bundle.KernelSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workgroups that wait for each other, and what ends their waits. */
@Timeout(60)
class CooperativeGridTest {
  private static final int GROUPS = 8;

  /** A kernel in Java. */
  private interface Body {
    void run(Workgroup group) throws Exception;
  }

  private final AtomicInteger inside = new AtomicInteger();

  private void start(Runnable body) {
    new Thread(body, "group").start();
  }

  private void run(boolean isCooperative, Executor threads, Body body) throws Throwable {
    Body counted =
        group -> {
          inside.incrementAndGet();
          try {
            body.run(group);
          } finally {
            inside.decrementAndGet();
          }
        };
    MethodHandle kernel =
        MethodHandles.lookup()
            .findVirtual(Body.class, "run", MethodType.methodType(void.class, Workgroup.class))
            .bindTo(counted);
    KernelSpec spec = new KernelSpec("kernel", List.of(), Workgroups.of(1), 16, isCooperative);
    try {
      new JavaGrid(0, Runnable::run, threads, null)
          .run(new GridKernel(kernel, spec), 2, 2, 2, new byte[0], new KernelView[0]);
    } finally {
      assertEquals(0, inside.get(), "workgroups that have outlived the grid");
    }
  }

  private static int rank(Workgroup group) {
    return (group.groupZ() * 2 + group.groupY()) * 2 + group.groupX();
  }

  @Test
  void eachRoundHasAllWorkgroups() throws Throwable {
    AtomicIntegerArray rounds = new AtomicIntegerArray(GROUPS);
    run(
        true,
        this::start,
        group -> {
          group.shared().putInt(0, 100 + rank(group));
          for (int round = 1; round <= 50; round++) {
            assertEquals(round, rounds.incrementAndGet(rank(group)));
            group.syncGrid();
            for (int i = 0; i < GROUPS; i++) {
              assertTrue(rounds.get(i) >= round && rounds.get(i) <= round + 1, rounds::toString);
            }
          }
          assertEquals(100 + rank(group), group.shared().getInt(0), "its own memory");
        });
    for (int i = 0; i < GROUPS; i++) {
      assertEquals(50, rounds.get(i));
    }
  }

  @Test
  void aWorkgroupThatEndsFailsThoseThatWait() {
    HalException failure =
        assertThrows(
            HalException.class,
            () ->
                run(
                    true,
                    this::start,
                    group -> {
                      group.syncGrid();
                      if (rank(group) != 5) {
                        group.syncGrid();
                      }
                    }));
    assertEquals(Status.ABORTED, failure.status());
    assertTrue(failure.getMessage().contains("some of which have ended"), failure::getMessage);
  }

  @Test
  void theFirstFailureIsTheReason() {
    IllegalStateException thrown = new IllegalStateException("on purpose");
    for (int guilty : new int[] {0, 3, GROUPS - 1}) {
      Throwable failure =
          assertThrows(
              IllegalStateException.class,
              () ->
                  run(
                      true,
                      this::start,
                      group -> {
                        group.syncGrid();
                        if (rank(group) == guilty) {
                          throw thrown;
                        }
                        group.syncGrid();
                      }));
      assertSame(thrown, failure);
    }
  }

  @Test
  void aRefusedThreadFailsTheGrid() {
    RejectedExecutionException refused = new RejectedExecutionException("no more threads");
    AtomicInteger left = new AtomicInteger(4);
    Executor few =
        body -> {
          if (left.getAndDecrement() == 0) {
            throw refused;
          }
          start(body);
        };
    assertSame(
        refused,
        assertThrows(
            RejectedExecutionException.class, () -> run(true, few, group -> group.syncGrid())));
  }

  @Test
  void anInterruptIsKeptForLater() throws Throwable {
    Thread owner = Thread.currentThread();
    run(
        true,
        this::start,
        group -> {
          if (rank(group) == 0) {
            owner.interrupt();
          }
          group.syncGrid();
        });
    assertTrue(Thread.interrupted(), "the interrupt is lost");
  }

  @Test
  void otherKernelsDoNotWait() {
    IllegalStateException failure =
        assertThrows(
            IllegalStateException.class, () -> run(false, this::start, group -> group.syncGrid()));
    assertTrue(String.valueOf(failure.getMessage()).contains("not declared as cooperative"));
    assertFalse(Thread.currentThread().isInterrupted());
  }
}
