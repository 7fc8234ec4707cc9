package org.jhal.engine.concurrent;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A thread that does one job in steps, and parks while there is nothing to do. Where it is not
 * started, a test runs the steps itself.
 *
 * <p>Thread-safe: anybody may wake or stop it.
 */
public final class WorkerThread {
  /** After so many a step that throws counts as one that found nothing to do. */
  private static final int MAX_CRASHES = 100;

  private final BooleanSupplier step;
  private final long spinNanos;
  private final long lookNanos;
  private final Consumer<Throwable> onCrash;
  private final DeviceThread thread;
  private volatile boolean isWoken;
  private volatile boolean isParked; // or about to be
  private volatile boolean isStopped;
  private int crashes; // of the role's thread

  /**
   * A role of {@code domain}, not started.
   *
   * @param spinNanos how long it looks for more to do before it parks
   * @param lookNanos how long it parks at most before it looks for work though nobody has woken it
   * @param atStart runs first, on the thread
   * @param step does one thing and returns true, or returns false if there is nothing to do
   * @param onCrash told, on the thread, what {@code atStart} or {@code step} threw; the thread goes
   *     on
   */
  public WorkerThread(
      String name,
      Object domain,
      long spinNanos,
      long lookNanos,
      Runnable atStart,
      BooleanSupplier step,
      Consumer<Throwable> onCrash) {
    this.step = step;
    this.spinNanos = spinNanos;
    this.lookNanos = lookNanos;
    this.onCrash = onCrash;
    this.thread =
        new DeviceThread(
            name,
            domain,
            () -> {
              try {
                atStart.run();
              } catch (Throwable t) {
                onCrash.accept(t);
              }
              loop();
            });
  }

  public void start() {
    thread.start();
  }

  /** Makes the role look for work again. Cheap unless it is parked. */
  public void wake() {
    if (!isWoken) {
      isWoken = true;
      if (isParked) {
        LockSupport.unpark(thread);
      }
    }
  }

  private void spin() {
    if (spinNanos > 0) {
      long start = System.nanoTime();
      while (!isWoken && System.nanoTime() - start < spinNanos) {
        Thread.onSpinWait();
      }
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
        isParked = true; // before the last look at isWoken, which a waker sets before it looks here
        if (isWoken) {
          break;
        }
        LockSupport.parkNanos(this, lookNanos);
        boolean ignored =
            Thread.interrupted(); // somebody's callback left it set; park() would return at once
        if (lookNanos < Long.MAX_VALUE) {
          break;
        }
      }
      isParked = false;
    }
  }

  /**
   * In place of a thread that is not started: takes steps while there is something to do, if
   * somebody has woken the role since the last time. Returns whether somebody has.
   */
  public boolean takeStepsIfWoken() {
    boolean wasWoken = isWoken;
    if (wasWoken) {
      takeSteps();
    }
    return wasWoken;
  }

  private void takeSteps() {
    // Work that is added before a wake() that finds isWoken still set is seen by the steps after
    // this line.
    isWoken = false;
    while (doStep()) {
      continue;
    }
  }

  private boolean doStep() {
    try {
      return step.getAsBoolean();
    } catch (Throwable t) {
      onCrash.accept(t);
      return ++crashes < MAX_CRASHES; // what the step left undone is still to be done
    }
  }

  /**
   * Ends the thread when it has nothing to do, and waits for that; false if it did not end in time.
   */
  public boolean stop(long deadline) {
    isStopped = true;
    wake();
    Uninterruptibles.joinUninterruptibly(
        thread, Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    return !thread.isAlive();
  }
}
