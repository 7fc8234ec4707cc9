package org.jhal.engine.base;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.driver.HostThreads;
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

  /**
   * Creates a pool without threads.
   *
   * @param name prefix of the threads' names, which end in a number
   * @param threads how many threads the pool may have
   */
  HostCompletionPool(String name, int threads) {
    AtomicInteger count = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> new EngineThread(name + "-" + count.getAndIncrement(), body));
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable hostCompletion) {
    pool.execute(hostCompletion);
  }

  @Override
  public boolean giveWay(Runnable rest) {
    if (pool.getQueue().isEmpty()) {
      return false;
    }
    try {
      pool.execute(rest);
      return true;
    } catch (RejectedExecutionException e) {
      return false; // closed: those that wait get their turn when the caller is done
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
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return pool.awaitTermination(
              Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
