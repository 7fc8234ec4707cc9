// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * A thread that does its work in steps and parks while there is none. A test may leave it unstarted
 * and run the steps itself.
 *
 * <p>Thread-safe: any thread may wake or stop it.
 */
public final class WorkerThread {
  /**
   * After this many crashes a step that throws counts as one without work, so that the thread does
   * not crash in a busy loop.
   */
  private static final int MAX_CRASHES = 100;

  private final Runnable step;
  private final Runnable crash = this::crash; // made here: memory or stack may be short later
  private final LongPredicate spins;
  private final long lookNanos;
  private final Consumer<Throwable> onCrash;
  private final EngineThread thread;
  private volatile boolean isWoken; // set by any thread, cleared by this one before its steps
  private volatile boolean isParked; // parked or about to be; written by this thread, read by any
  private volatile boolean isStopped; // set once, by any thread

  // Used by this thread alone.
  private boolean hasMore; // what the last step returned
  private int crashes; // how many steps threw
  private @Nullable Throwable crashedBy; // what the last one threw

  /**
   * Creates a thread, which is not started.
   *
   * @param spins whether it still spins for more work, after so many nanoseconds, or parks
   * @param lookNanos how long it parks at most before it runs a step unwoken
   * @param atStart runs first, on the thread
   * @param step does a piece of work and returns true, or returns false if there is nothing to do
   * @param onCrash receives, on the thread, what {@code atStart} or {@code step} threw. It first
   *     notes that where another thread finds it, should the rest fail
   */
  public WorkerThread(
      String name,
      LongPredicate spins,
      long lookNanos,
      Runnable atStart,
      BooleanSupplier step,
      Consumer<Throwable> onCrash) {
    this.step = () -> hasMore = step.getAsBoolean();
    this.spins = spins;
    this.lookNanos = lookNanos;
    this.onCrash = onCrash;
    this.thread =
        new EngineThread(
            name,
            () -> {
              report(Attempt.of(atStart));
              loop();
            });
  }

  public void start() {
    thread.start();
  }

  /** Makes the thread run its step again. Cheap unless it is parked. */
  public void wake() {
    if (!isWoken) {
      isWoken = true;
      if (isParked) {
        LockSupport.unpark(thread);
      }
    }
  }

  private void spin() {
    long start = System.nanoTime();
    while (!isWoken && spins.test(System.nanoTime() - start)) {
      Thread.onSpinWait();
    }
  }

  private void loop() {
    while (true) {
      takeSteps();
      if (isStopped) {
        return;
      }
      spin();
      while (!isWoken) {
        // wake() may come between the check of isWoken and the park. It sets isWoken before it
        // reads isParked, so either the second check sees that or wake() unparks this thread.
        isParked = true;
        if (isWoken) {
          break;
        }
        LockSupport.parkNanos(this, lookNanos);
        Thread.interrupted(); // left set by a callback, it would prevent parking
        if (lookNanos < Long.MAX_VALUE) {
          break;
        }
      }
      isParked = false;
    }
  }

  /**
   * Replaces an unstarted thread: runs steps while there is work, if {@link #wake} was called since
   * the last time. Returns whether it was.
   */
  public boolean takeStepsIfWoken() {
    boolean wasWoken = isWoken;
    if (wasWoken) {
      takeSteps();
    }
    return wasWoken;
  }

  private void takeSteps() {
    // A wake() just before this line has no effect of its own, but the steps below see the work
    // that its caller added before.
    isWoken = false;
    while (doStep()) {
      continue;
    }
  }

  private boolean doStep() {
    Throwable thrown = Attempt.of(step);
    report(thrown);
    return thrown == null ? hasMore : ++crashes < MAX_CRASHES; // there is still something to do
  }

  private void report(@Nullable Throwable thrown) {
    if (thrown != null) {
      crashedBy = thrown;
      Attempt.of(crash); // the thread goes on, and the crash was noted before
    }
  }

  private void crash() {
    onCrash.accept(Objects.requireNonNull(crashedBy));
  }

  /** Ends the thread once it has no work. Returns false if the deadline passes first. */
  public boolean stop(long deadline) {
    isStopped = true;
    wake();
    Uninterruptibles.joinUninterruptibly(
        thread, Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    return !thread.isAlive();
  }
}
