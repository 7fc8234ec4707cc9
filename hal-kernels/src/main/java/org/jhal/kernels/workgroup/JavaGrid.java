// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HalException;
import org.jhal.kernel.Workgroup;
import org.jhal.kernels.check.KernelChecks;
import org.jspecify.annotations.Nullable;

/**
 * Runs the workgroups of a dispatch on the stream's thread. After a moment the device's workers
 * help.
 *
 * <p>Owned by the stream's thread.
 */
public final class JavaGrid {
  /** How long the stream's thread runs alone; waking workers costs about as much. */
  private static final long ALONE_NANOS = 50_000;

  private final int workers;
  private final Executor executor;
  private final @Nullable KernelChecks checks;
  private final JavaWorkgroup own = new JavaWorkgroup();

  /**
   * For one stream.
   *
   * @param workers how many threads may help the stream's own; 0 or more
   * @param executor runs what they do, at once or later; streams may share it
   * @param checks what is checked while kernels run, one workgroup after the other; null for
   *     nothing
   */
  public JavaGrid(int workers, Executor executor, @Nullable KernelChecks checks) {
    this.workers = workers;
    this.executor = executor;
    this.checks = checks;
  }

  /**
   * Runs a dispatch of a kernel, to its end.
   *
   * @param countX workgroups along the first axis
   * @param countY workgroups along the second axis
   * @param countZ workgroups along the third axis
   * @param arguments all arguments, in their {@link org.jhal.kernels.bundle.ArgumentLayout}
   * @param views its buffers, by parameter; other parameters have views of nothing
   * @throws Throwable the first that the kernel throws, whose other workgroups may have run; or
   *     what the checks have found
   */
  public void run(
      GridKernel kernel, int countX, int countY, int countZ, byte[] arguments, KernelView[] views)
      throws Throwable {
    long count = (long) countX * countY * countZ;
    for (KernelView view : views) {
      view.begin();
    }
    own.prepare(kernel, countX, countY, countZ, arguments, views);
    if (checks != null) {
      runChecked(
          kernel.body(), count, checks, new DispatchCheck(checks, kernel, countX, countY, views));
      return;
    }
    MethodHandle body = kernel.body();
    long start = System.nanoTime();
    long next = 0;
    try {
      while (next < count && (workers == 0 || System.nanoTime() - start < ALONE_NANOS)) {
        own.moveTo(next++);
        body.invokeExact((Workgroup) own);
      }
      if (next < count) {
        runInParallel(body, next, count);
      }
    } finally {
      own.release();
    }
  }

  private void runChecked(MethodHandle body, long count, KernelChecks by, DispatchCheck check)
      throws Throwable {
    own.check(check);
    Throwable thrown = null;
    try {
      for (long at = 0; at < count; at++) {
        own.moveTo(at);
        check.begin(at);
        try {
          body.invokeExact((Workgroup) own);
        } catch (DispatchCheck.Stray e) { // which is reported; the other groups go on
          continue;
        }
      }
    } catch (Throwable t) {
      thrown = t;
    } finally {
      check.end();
      own.release();
    }
    List<HalException> wrong = new ArrayList<>();
    by.report(check.reports(), thrown == null ? List.of() : List.of(thrown), wrong::add);
    if (!wrong.isEmpty()) {
      throw wrong.get(0);
    }
    if (thrown != null) {
      throw thrown;
    }
  }

  private void runInParallel(MethodHandle body, long first, long count) throws Throwable {
    AtomicLong next = new AtomicLong(first);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Helpers helpers = new Helpers();
    Runnable helper =
        () -> {
          if (helpers.enter()) { // otherwise the grid has ended without it
            try {
              help(body, next, count, thrown);
            } finally {
              helpers.leave();
            }
          }
        };
    try {
      for (long i = Math.min(workers, count - first - 1); i > 0; i--) {
        executor.execute(helper);
      }
      drain(body, own, next, count, thrown);
    } catch (Throwable t) { // a helper may have been refused
      thrown.compareAndSet(null, t);
    } finally {
      helpers.end();
    }
    Throwable failure = thrown.get();
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * The threads that help with one grid. One that comes when the grid has ended, since others held
   * it up, has nothing to do with it.
   */
  private static final class Helpers {
    @GuardedBy("this")
    private int inside;

    @GuardedBy("this")
    private boolean isOver;

    synchronized boolean enter() {
      if (!isOver) {
        inside++;
      }
      return !isOver;
    }

    synchronized void leave() {
      inside--;
      notifyAll();
    }

    /** Lets no more in, and waits for those inside, even if the thread is interrupted. */
    synchronized void end() {
      isOver = true;
      boolean interrupted = false;
      while (inside > 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Runs workgroups until none is left, or one has thrown. */
  private void help(
      MethodHandle body, AtomicLong next, long count, AtomicReference<@Nullable Throwable> thrown) {
    try {
      JavaWorkgroup group = new JavaWorkgroup();
      group.prepareAs(own);
      drain(body, group, next, count, thrown);
    } catch (Throwable t) { // it fails the grid
      thrown.compareAndSet(null, t);
    }
  }

  private static void drain(
      MethodHandle body,
      JavaWorkgroup group,
      AtomicLong next,
      long count,
      AtomicReference<@Nullable Throwable> thrown)
      throws Throwable {
    for (long at = next.getAndIncrement();
        at < count && thrown.get() == null;
        at = next.getAndIncrement()) {
      group.moveTo(at);
      body.invokeExact((Workgroup) group);
    }
  }
}
