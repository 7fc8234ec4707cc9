// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Threads of tests, and waits with a limit. A wait that fails dumps the stacks of all threads. */
public final class Threads {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The body of a thread. */
  @FunctionalInterface
  public interface Body {
    void run() throws Exception;
  }

  private final Thread thread;
  private volatile @Nullable Throwable thrown;

  private Threads(String name, long stack, Body body) {
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
            name,
            stack);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * {@code Thread.ofVirtual().factory()}, for a JDK that has it; by reflection, since the tests are
   * compiled for Java 17.
   */
  public static ThreadFactory virtual() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (ThreadFactory)
        Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
  }

  public static Threads start(String name, Body body) {
    return new Threads(name, 0, body);
  }

  /** Runs {@code body} on a stack so small that recursion over many objects would overflow it. */
  public static void onSmallStack(Body body) {
    new Threads("small-stack", 128 << 10, body).join();
  }

  /** Runs all bodies at once, and waits for them. */
  public static void together(Body... bodies) {
    CyclicBarrier start = new CyclicBarrier(bodies.length);
    Threads[] threads = new Threads[bodies.length];
    for (int i = 0; i < bodies.length; i++) {
      Body body = bodies[i];
      threads[i] =
          start(
              "together-" + i,
              () -> {
                start.await();
                body.run();
              });
    }
    for (Threads thread : threads) {
      thread.join();
    }
  }

  /** Waits until the thread has ended. If it threw, this fails with what it threw as the cause. */
  public void join() {
    await("the end of " + thread.getName(), () -> !thread.isAlive());
    Throwable failure = thrown;
    if (failure != null) {
      throw new AssertionError(thread.getName() + " threw " + failure, failure);
    }
  }

  public void interrupt() {
    thread.interrupt();
  }

  /** Waits until the thread is parked or waits for a monitor. */
  public void awaitBlocked() {
    await(
        thread.getName() + " to block",
        () ->
            thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
  }

  public Thread thread() {
    return thread;
  }

  /** Polls until {@code condition} holds. */
  public static void await(String what, BooleanSupplier condition) {
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
