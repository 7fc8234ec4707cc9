package org.jhal.utils;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that does one job in steps, and parks while there is nothing to do. Where it is not
 * started, a test runs the steps itself.
 *
 * <p>Thread-safe: anybody may wake or stop it.
 */
final class Role {
  private final BooleanSupplier step;
  private final EngineThread thread;
  private volatile boolean isWoken;
  private volatile boolean isStopped;

  /**
   * A role of {@code domain}, not started.
   *
   * @param step does one thing and returns true, or returns false if there is nothing to do
   */
  Role(String name, @Nullable Object domain, Runnable atStart, BooleanSupplier step) {
    this.step = step;
    this.thread =
        new EngineThread(
            name,
            domain,
            () -> {
              atStart.run();
              loop();
            });
  }

  void start() {
    thread.start();
  }

  /** Makes the role look for work again. Cheap if it was woken already and has not looked yet. */
  void wake() {
    if (!isWoken) {
      isWoken = true;
      LockSupport.unpark(thread);
    }
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  private void loop() {
    while (true) {
      // Work that is added before a wake() that finds isWoken still set is seen by the steps after
      // this line.
      isWoken = false;
      while (step.getAsBoolean()) {
        continue;
      }
      if (isStopped) {
        return;
      }
      while (!isWoken) {
        LockSupport.park(this);
      }
    }
  }

  /**
   * Ends the thread when it has nothing to do, and waits for that; false if it did not end in time.
   */
  boolean stop(long deadline) {
    isStopped = true;
    wake();
    Uninterruptibles.joinUninterruptibly(
        thread, Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    return !thread.isAlive();
  }
}
