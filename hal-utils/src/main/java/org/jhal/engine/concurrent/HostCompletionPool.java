package org.jhal.engine.concurrent;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few threads of a device that run host completions of one kind, in the order in which they come;
 * started when they are first needed.
 */
public final class HostCompletionPool implements Executor {
  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor pool;

  /**
   * No thread yet.
   *
   * @param name of the threads, before a number
   * @param domain identifies the device
   */
  public HostCompletionPool(String name, Object domain, int threads) {
    AtomicInteger count = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> new DeviceThread(name + "-" + count.getAndIncrement(), domain, body));
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable hostCompletion) {
    pool.execute(hostCompletion);
  }

  /** Takes no more; those that it has go on. */
  public void close() {
    pool.shutdown();
  }

  /** After {@link #close}: waits until all are over, or the deadline has passed. */
  public boolean awaitEnd(long deadline) {
    return Uninterruptibles.awaitTerminationUninterruptibly(
        pool, Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
  }
}
