// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

  /** How many workgroups of a cooperative kernel a device holds; each takes a thread. */
  public static final int RESIDENT = 64;

  private final int workers;
  private final Executor executor;
  private final @Nullable Executor threads;
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
    this(workers, executor, null, checks);
  }

  /**
   * For one stream that also runs cooperative kernels, unless they are checked.
   *
   * @param workers how many threads may help the stream's own; 0 or more
   * @param executor runs what they do, at once or later; streams may share it
   * @param threads runs each task at once on a thread of its own, of whatever stream: a workgroup
   *     of a cooperative kernel waits for others
   * @param checks what is checked while kernels run; null for nothing
   */
  public JavaGrid(
      int workers, Executor executor, @Nullable Executor threads, @Nullable KernelChecks checks) {
    this.workers = workers;
    this.executor = executor;
    this.threads = threads;
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
    if (kernel.isCooperative()) {
      runCooperative(body, count);
      return;
    }
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

  /** Runs each workgroup on a thread of its own, the first one on the calling thread. */
  private void runCooperative(MethodHandle body, long count) throws Throwable {
    GridBarrier barrier = new GridBarrier(count);
    long begun = 1;
    try {
      Executor each = Objects.requireNonNull(threads, "threads");
      for (; begun < count; begun++) {
        long at = begun;
        JavaWorkgroup group = new JavaWorkgroup();
        each.execute(() -> runMember(body, group, at, barrier));
      }
    } catch (Throwable t) { // a thread was refused: those that have begun cannot go on
      barrier.fail(t);
    }
    try {
      runMember(body, own, 0, barrier);
      Throwable failure = barrier.awaitEnd(begun);
      if (failure != null) {
        throw failure;
      }
    } finally {
      own.release();
    }
  }

  /** Runs one workgroup of a cooperative kernel. */
  private void runMember(MethodHandle body, JavaWorkgroup group, long index, GridBarrier barrier) {
    try {
      if (!barrier.hasFailed()) {
        if (group != own) {
          group.prepareAs(own);
        }
        group.moveTo(index);
        group.meetAt(barrier);
        body.invokeExact((Workgroup) group);
      }
    } catch (Throwable t) { // it fails the grid
      barrier.fail(t);
    } finally {
      barrier.end();
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
      Monitors.await(this, this::isEmpty);
    }

    private synchronized boolean isEmpty() {
      return inside == 0;
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
