// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.Comparator;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.driver.support.EngineThread;

/**
 * The threads of a device that help with kernels in Java. They start when the first such kernel
 * needs help, and end when none has for a while.
 *
 * <p>Thread-safe.
 */
final class JavaThreads {
  private static final long IDLE_SECONDS = 10;

  private final int count;
  private final ThreadPoolExecutor threads;
  private final ExecutorService groups; // one thread for each workgroup of a cooperative kernel
  private final AtomicLong numbers = new AtomicLong();
  private volatile int most;

  /** Help with a kernel. */
  private record Help(int rank, long number, Runnable body) implements Runnable {
    /** The highest rank first; of one rank, in the order of the calls. */
    static final Comparator<Runnable> ORDER =
        Comparator.comparingInt((Runnable help) -> -((Help) help).rank)
            .thenComparingLong(help -> ((Help) help).number);

    @Override
    public void run() {
      body.run();
    }
  }

  /** For {@code count} threads, which may be 0. */
  JavaThreads(String device, int count) {
    this.count = count;
    this.most = count;
    AtomicInteger made = new AtomicInteger();
    int size = Math.max(1, count);
    threads =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(16, Help.ORDER),
            body -> new EngineThread(device + "-java" + made.getAndIncrement(), body));
    threads.allowCoreThreadTimeOut(true);
    AtomicInteger madeGroups = new AtomicInteger();
    groups =
        Executors.newCachedThreadPool(
            body -> new EngineThread(device + "-group" + madeGroups.getAndIncrement(), body));
  }

  /** How many there are at most. */
  int count() {
    return count;
  }

  /** Runs each task at once, on a thread of its own. */
  Executor groups() {
    return groups;
  }

  /** Lets at most {@code limit} threads help from now on; 0 to {@link #count()}. */
  synchronized void limit(int limit) {
    most = limit;
    int size = Math.max(1, limit);
    if (size > threads.getMaximumPoolSize()) {
      threads.setMaximumPoolSize(size);
      threads.setCorePoolSize(size);
    } else {
      threads.setCorePoolSize(size);
      threads.setMaximumPoolSize(size);
    }
  }

  /**
   * Runs {@code body} on one of the threads, maybe late, and never if none may help: a kernel does
   * not rely on help.
   */
  void execute(int rank, Runnable body) {
    if (most > 0) {
      threads.execute(new Help(rank, numbers.getAndIncrement(), body));
    }
  }

  /** Lets the threads end. */
  void close() {
    threads.shutdown();
    groups.shutdown();
  }
}
