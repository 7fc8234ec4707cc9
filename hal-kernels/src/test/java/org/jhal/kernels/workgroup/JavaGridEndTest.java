// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Workgroups;
import org.jhal.kernel.Workgroup;
import org.jhal.kernels.bundle.KernelSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A grid ends only when no helper runs a workgroup of it any more, however it ends. */
@Timeout(60)
class JavaGridEndTest {
  private static final long LIMIT_SECONDS = 20;

  /** Longer than the stream's thread runs a grid without help. */
  private static final long ALONE_NANOS = 1_000_000;

  private final Thread owner = Thread.currentThread();
  private final CountDownLatch helperIsInside = new CountDownLatch(1);
  private final CompletableFuture<Thread> helper = new CompletableFuture<>();
  private volatile boolean isOver;
  private volatile boolean hasOutlivedTheGrid; // a helper
  private volatile boolean ownerIsDone; // with its own workgroups
  private boolean interruptsItself;

  /** The first workgroup takes long enough for the grid to ask for help. */
  void kernel(Workgroup group) throws InterruptedException {
    if (group.groupX() == 0) {
      long end = System.nanoTime() + ALONE_NANOS;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    } else if (Thread.currentThread() == owner) {
      assertTrue(helperIsInside.await(LIMIT_SECONDS, TimeUnit.SECONDS), "no helper has come");
      if (interruptsItself) {
        owner.interrupt();
      }
      ownerIsDone = true;
    } else {
      helperIsInside.countDown();
      stayUntilTheOwnerWaits();
      hasOutlivedTheGrid |= isOver;
    }
  }

  private void stayUntilTheOwnerWaits() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!isOver && !(ownerIsDone && owner.getState() == Thread.State.WAITING)) {
      assertTrue(
          System.nanoTime() - deadline < 0, () -> "the grid's thread is " + owner.getState());
      Thread.onSpinWait();
    }
  }

  private void start(Runnable body) {
    Thread thread = new Thread(body, "helper");
    helper.complete(thread);
    thread.start();
  }

  private void assertNoHelperHasOutlivedTheGrid() throws InterruptedException {
    Thread started = helper.join();
    started.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    assertFalse(started.isAlive(), "the helper has not ended");
    assertFalse(hasOutlivedTheGrid, "a helper was in the kernel when the grid had ended");
  }

  private void run(int workers, Executor executor, int groups) throws Throwable {
    MethodHandle kernel =
        MethodHandles.lookup()
            .findVirtual(
                JavaGridEndTest.class, "kernel", MethodType.methodType(void.class, Workgroup.class))
            .bindTo(this);
    try {
      KernelSpec spec = new KernelSpec("kernel", List.of(), Workgroups.of(1), 0);
      new JavaGrid(workers, executor, null)
          .run(new GridKernel(kernel, spec), groups, 1, 1, new byte[0], new KernelView[0]);
    } finally {
      isOver = true;
    }
  }

  @Test
  void anInterruptOfTheThreadIsKeptForLater() throws Throwable {
    interruptsItself = true;
    run(1, this::start, 3);
    assertTrue(Thread.interrupted(), "the interrupt is lost");
    assertNoHelperHasOutlivedTheGrid();
  }

  @Test
  void aRefusedHelperFailsTheGridWhenTheOthersHaveLeft() throws Exception {
    RejectedExecutionException refused = new RejectedExecutionException("no more helpers");
    AtomicInteger asked = new AtomicInteger();
    Executor executor =
        body -> {
          if (asked.getAndIncrement() == 0) {
            start(body);
            try {
              assertTrue(helperIsInside.await(LIMIT_SECONDS, TimeUnit.SECONDS), "no helper");
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          } else {
            ownerIsDone = true;
            throw refused;
          }
        };
    assertSame(refused, assertThrows(RejectedExecutionException.class, () -> run(2, executor, 4)));
    assertNoHelperHasOutlivedTheGrid();
  }
}
