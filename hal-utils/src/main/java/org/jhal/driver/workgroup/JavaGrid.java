package org.jhal.driver.workgroup;

import java.lang.invoke.MethodHandle;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.driver.Command;
import org.jhal.kernel.Workgroup;
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
  private final JavaWorkgroup own = new JavaWorkgroup();

  /**
   * For one stream.
   *
   * @param workers how many threads may help the stream's own; 0 or more
   * @param executor runs what they do; at least {@code workers} bodies at once
   */
  public JavaGrid(int workers, Executor executor) {
    this.workers = workers;
    this.executor = executor;
  }

  /**
   * Runs a dispatch of a kernel of a {@link JavaModule}, to its end.
   *
   * @param views its buffers, by parameter; other parameters have views of nothing
   * @throws Throwable the first that the kernel throws, whose other workgroups may have run
   */
  public void run(Command command, KernelView[] views) throws Throwable {
    MethodHandle kernel = ((JavaModule) command.kernel().module()).kernel(command.kernel().index());
    long count = (long) command.groupsX() * command.groupsY() * command.groupsZ();
    for (KernelView view : views) {
      view.begin();
    }
    own.prepare(command, views);
    long start = System.nanoTime();
    long next = 0;
    try {
      while (next < count && (workers == 0 || System.nanoTime() - start < ALONE_NANOS)) {
        own.moveTo(next++);
        kernel.invokeExact((Workgroup) own);
      }
      if (next < count) {
        runInParallel(kernel, command, views, next, count);
      }
    } finally {
      own.release();
    }
  }

  private void runInParallel(
      MethodHandle kernel, Command command, KernelView[] views, long first, long count)
      throws Throwable {
    AtomicLong next = new AtomicLong(first);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    int helpers = (int) Math.min(workers, count - first - 1);
    CountDownLatch helping = new CountDownLatch(helpers);
    for (int i = 0; i < helpers; i++) {
      executor.execute(
          () -> {
            try {
              JavaWorkgroup group = new JavaWorkgroup();
              group.prepare(command, views);
              drain(kernel, group, next, count, thrown);
            } catch (Throwable t) { // happens if the device was lost and the command is over
              thrown.compareAndSet(null, t);
            } finally {
              helping.countDown();
            }
          });
    }
    drain(kernel, own, next, count, thrown);
    helping.await();
    Throwable failure = thrown.get();
    if (failure != null) {
      throw failure;
    }
  }

  private static void drain(
      MethodHandle kernel,
      JavaWorkgroup group,
      AtomicLong next,
      long count,
      AtomicReference<@Nullable Throwable> thrown) {
    try {
      for (long at = next.getAndIncrement();
          at < count && thrown.get() == null;
          at = next.getAndIncrement()) {
        group.moveTo(at);
        kernel.invokeExact((Workgroup) group);
      }
    } catch (Throwable t) {
      thrown.compareAndSet(null, t);
    }
  }
}
