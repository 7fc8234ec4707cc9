// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * A second thread of a test.
 *
 * @param <T> what it returns
 */
public final class Task<T extends @Nullable Object> {
  private final Thread thread;
  private volatile @Nullable T result;
  private volatile @Nullable Throwable thrown;

  private Task(String name, Callable<T> body) {
    this.thread =
        new Thread(
            () -> {
              try {
                result = body.call();
              } catch (Throwable t) {
                thrown = t;
              }
            },
            "cts-" + name);
    thread.setDaemon(true);
  }

  /**
   * {@code Thread.ofVirtual().factory()}; the class files of the suite are those of Java 17. Skips
   * the test on a JDK without virtual threads.
   */
  public static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    if (Runtime.version().feature() < 21) {
      throw Cts.unsupported("virtual threads came with Java 21");
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (ThreadFactory)
        Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
  }

  /** Starts a thread that runs {@code body}. */
  public static <T extends @Nullable Object> Task<T> start(String name, Callable<T> body) {
    Task<T> task = new Task<>(name, body);
    task.thread.start();
    return task;
  }

  /** The body of a thread, which may throw. */
  @FunctionalInterface
  public interface Action {
    /** Runs the body. */
    void run() throws Exception;
  }

  /** Starts a thread that runs {@code body}. */
  public static Task<@Nullable Void> run(String name, Action body) {
    return Task.<@Nullable Void>start(
        name,
        () -> {
          body.run();
          return null;
        });
  }

  /** Waits until the thread has ended, and throws what it threw. */
  @SuppressWarnings("NullAway") // the result is null only if T allows it
  public T join() throws Exception {
    Throwable failure = joined();
    if (failure instanceof Exception e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return result;
  }

  /** Waits until the thread has ended. Returns what it threw, or null. */
  public @Nullable Throwable joined() {
    Waits.awaitTrue("thread " + thread.getName() + " to end", () -> !thread.isAlive());
    return thrown;
  }

  /** Whether the thread is still running. */
  public boolean isRunning() {
    return thread.isAlive();
  }

  /**
   * Waits until the thread blocks: parked, waiting or acquiring a lock. The thread may wake up
   * again immediately, so this only makes a race likely and proves nothing.
   */
  public void awaitBlocked() {
    Waits.awaitTrue(
        "thread " + thread.getName() + " to block",
        () ->
            switch (thread.getState()) {
              case WAITING, TIMED_WAITING, BLOCKED -> true;
              case TERMINATED ->
                  throw new AssertionFailedError(
                      "thread " + thread.getName() + " ended before it blocked", thrown);
              default -> false;
            });
  }

  /**
   * Waits until the thread waits for something to happen, or has ended. Unlike {@link
   * #awaitBlocked}, acquiring a lock of Java's does not count. So a thread whose only wait is that
   * of the call under test has got there.
   */
  public void awaitWaiting() {
    Waits.awaitTrue(
        "thread " + thread.getName() + " to wait",
        () ->
            switch (thread.getState()) {
              case WAITING, TIMED_WAITING, TERMINATED -> true;
              default -> false;
            });
  }

  /** Interrupts the thread. */
  public void interrupt() {
    thread.interrupt();
  }
}
