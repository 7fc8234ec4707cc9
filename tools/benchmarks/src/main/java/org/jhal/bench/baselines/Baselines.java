// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jhal.bench.measure.Bench;

/** Baselines that use the JDK alone. */
public final class Baselines {
  private Baselines() {}

  /** A thread that runs tasks in order. */
  public static ThreadPoolExecutor stream() {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        task -> daemon("bench-baseline", task));
  }

  /** A daemon thread, not started. */
  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * The simplest possible timeline: one thread raises it, and one thread waits for it, polling for
   * a while before it parks, as JHAL's host waits do.
   */
  public static final class Counter {
    private final long spinNanos;
    private volatile long value;
    private volatile Thread waiter = Thread.currentThread();
    private volatile boolean isParked;

    /** A counter at 0. */
    public Counter(long spinNanos) {
      this.spinNanos = spinNanos;
    }

    /** Raises the value by one. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread raises it
    public void advance() {
      value++;
      if (isParked) {
        LockSupport.unpark(waiter);
      }
    }

    /** Blocks until {@code wanted} is reached. */
    public void await(long wanted) throws InterruptedException, TimeoutException {
      if (value >= wanted) {
        return;
      }
      long start = System.nanoTime();
      while (System.nanoTime() - start < spinNanos) {
        if (value >= wanted) {
          return;
        }
        Thread.onSpinWait();
      }
      waiter = Thread.currentThread();
      isParked = true;
      try {
        while (value < wanted) {
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          long left = Bench.DEADLINE.toNanos() - (System.nanoTime() - start);
          if (left <= 0) {
            throw new TimeoutException(
                "a baseline's counter is at "
                    + value
                    + ", not at "
                    + wanted
                    + ", after "
                    + Bench.DEADLINE);
          }
          LockSupport.parkNanos(this, left);
        }
      } finally {
        isParked = false;
      }
    }
  }
}
