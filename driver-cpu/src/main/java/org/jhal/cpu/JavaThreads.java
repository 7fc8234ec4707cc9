// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.driver.support.EngineThread;

/**
 * The threads of a device that help with kernels in Java. They start when the first such kernel
 * needs help, and end when none has for a while.
 *
 * <p>Thread-safe.
 */
final class JavaThreads implements Executor {
  private static final long IDLE_SECONDS = 10;

  private final int count;
  private final ThreadPoolExecutor threads;

  /** For {@code count} threads, which may be 0. */
  JavaThreads(String device, int count) {
    this.count = count;
    AtomicInteger made = new AtomicInteger();
    int size = Math.max(1, count);
    threads =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> new EngineThread(device + "-java" + made.getAndIncrement(), body));
    threads.allowCoreThreadTimeOut(true);
  }

  /** How many there are at most. */
  int count() {
    return count;
  }

  @Override
  public void execute(Runnable body) {
    threads.execute(body);
  }

  /** Lets the threads end. */
  void close() {
    threads.shutdown();
  }
}
