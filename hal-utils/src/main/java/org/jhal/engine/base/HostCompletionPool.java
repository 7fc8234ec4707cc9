// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jhal.driver.HostThreads;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.EngineThread;

/**
 * A small pool of threads of one device that run host completions of one kind, in the order in
 * which they arrive. Threads are started when they are first needed, and end when they are idle.
 *
 * <p>Thread-safe.
 */
public final class HostCompletionPool implements HostThreads {
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor pool;
  private final Consumer<Throwable> onError;

  /**
   * Creates a pool without threads.
   *
   * @param name prefix of the threads' names, which end in a number
   * @param threads how many threads the pool may have
   * @param onError gets what a task throws: tasks throw nothing, so it is an error of the engine or
   *     the driver
   */
  HostCompletionPool(String name, int threads, Consumer<Throwable> onError) {
    this.onError = onError;
    AtomicInteger count = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            EngineThread.factory(() -> name + "-" + count.getAndIncrement()));
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs {@code task} on one of the threads.
   *
   * @throws RejectedExecutionException if the pool is closed, or no thread can be started
   */
  @Override
  public void execute(Runnable task) {
    try {
      pool.execute(() -> run(task));
    } catch (OutOfMemoryError e) {
      throw new RejectedExecutionException("no thread can be started: " + e.getMessage(), e);
    }
  }

  private void run(Runnable task) {
    Throwable thrown = Attempt.of(task);
    if (thrown != null) {
      onError.accept(thrown);
    }
  }

  @Override
  public boolean giveWay(Runnable rest) {
    if (pool.getQueue().isEmpty()) {
      return false;
    }
    try {
      execute(rest);
      return true;
    } catch (RejectedExecutionException e) {
      return false; // those that wait get their turn when the caller is done
    }
  }

  /** Refuses further completions. Those already accepted still run. */
  public void close() {
    pool.shutdown();
  }

  /**
   * After {@link #close}: waits until all completions have run. Returns false if the deadline
   * passes first.
   */
  public boolean awaitEnd(long deadline) {
    return BackOff.await(this, deadline, pool::isTerminated);
  }
}
