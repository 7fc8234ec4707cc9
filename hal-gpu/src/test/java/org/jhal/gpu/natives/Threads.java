// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Threads of tests, and waits with a limit. A wait that fails dumps the stacks of all threads. */
final class Threads {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The body of a thread. */
  @FunctionalInterface
  public interface Body {
    void run() throws Exception;
  }

  private final Thread thread;
  private volatile @Nullable Throwable thrown;

  private Threads(String name, Body body) {
    thread =
        new Thread(
            null,
            () -> {
              try {
                body.run();
              } catch (Throwable t) {
                thrown = t;
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * {@code Thread.ofVirtual().factory()}, for a JDK that has it; by reflection, since the tests are
   * compiled for Java 17.
   */
  static ThreadFactory virtual() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (ThreadFactory)
        Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
  }

  static Threads start(String name, Body body) {
    return new Threads(name, body);
  }

  /** Waits until the thread has ended. If it threw, this fails with that exception as the cause. */
  void join() {
    await("the end of " + thread.getName(), () -> !thread.isAlive());
    Throwable failure = thrown;
    if (failure != null) {
      throw new AssertionError(thread.getName() + " threw " + failure, failure);
    }
  }

  /** Polls until {@code condition} holds. */
  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("waited " + LIMIT + " for " + what + dump());
      }
      LockSupport.parkNanos(50_000);
    }
  }

  private static String dump() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
      text.append("\n  ").append(entry.getKey().getName()).append(' ');
      text.append(entry.getKey().getState());
      Arrays.stream(entry.getValue()).limit(20).forEach(f -> text.append("\n    at ").append(f));
    }
    return text.toString();
  }
}
