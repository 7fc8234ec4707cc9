// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Releases page-locked host memory and modules, which a runtime releases only when the whole device
 * is idle. Otherwise the thread that drops the last reference, such as a completion thread, would
 * wait for unrelated kernels.
 *
 * <p>While such a call waits, a runtime may let no other thread launch anything
 * (findings/cuda-release-stops-launches.sh). So a release that nobody waits for is not begun before
 * the device has nothing to do, or {@value #PATIENCE_MILLIS} milliseconds have passed.
 *
 * <p>A driver makes one for each device, and closes it where it closes the device. Thread-safe.
 */
public final class FreeThread {
  private static final System.Logger LOG = System.getLogger(FreeThread.class.getName());

  private static final long PATIENCE_SECONDS = 2; // of a close, and of who needs memory

  /** How long a release waits for an idle device. */
  private static final long PATIENCE_MILLIS = 1000;

  /** How many releases may wait at a time, as they hold memory. */
  private static final int MOST_WAITING = 16;

  /** Knows its owner: devices on one GPU have threads of the same name. */
  private static final class Worker extends EngineThread {
    private final FreeThread owner;

    Worker(FreeThread owner, Runnable body) {
      super(owner.name, body);
      this.owner = owner;
    }
  }

  private final Consumer<Runnable> calls;
  private final BooleanSupplier isIdle;
  private final String name;
  private final ExecutorService thread;
  private volatile boolean isClosing;
  private volatile @Nullable Thread closer; // runs the last task, if no thread can be started

  /** Guards what follows, and is notified when `hurried` grows. */
  private final Object line = new Object();

  @GuardedBy("line")
  private long passed; // releases that were passed to this thread

  @GuardedBy("line")
  private long hurried; // those of them, the first ones, that wait for no idle device

  /**
   * For a device; the thread ends with {@link #close}.
   *
   * @param device its name
   * @param calls calls what it is given, at once and with the device bound, and throws nothing; if
   *     the device cannot be bound, it does not call it
   * @param isIdle whether the device has nothing to do, as far as is known without a native call;
   *     called often, by the thread that frees
   */
  public FreeThread(String device, Consumer<Runnable> calls, BooleanSupplier isIdle) {
    this.calls = calls;
    this.isIdle = isIdle;
    this.name = device + "-free";
    this.thread =
        Executors.newSingleThreadExecutor(
            body -> {
              EngineThread.check(name);
              return new Worker(this, body);
            });
  }

  /**
   * Calls {@code free} when the device is idle, or a second later, with the device bound. Earlier
   * if somebody waits for a release behind it, if many wait, or if the device is closed.
   */
  public void free(Runnable free) {
    free(free, () -> {});
  }

  /** The same, and then calls {@code then} in any case. */
  public void free(Runnable free, Runnable then) {
    long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
    long number = next(false);
    execute(
        () -> {
          awaitIdle(number, due);
          calls.accept(free);
          then.run();
        });
  }

  /**
   * Calls {@code free} soon, with the device bound, and then {@code then} in any case, which
   * somebody waits for.
   */
  public void freeSoon(Runnable free, Runnable then) {
    next(true);
    execute(
        () -> {
          calls.accept(free);
          then.run();
        });
  }

  /**
   * The number of one more release.
   *
   * @param isHurried whether neither it nor any before waits for an idle device
   */
  private long next(boolean isHurried) {
    synchronized (line) {
      passed++;
      if (isHurried) {
        hurried = Math.max(hurried, passed);
        line.notifyAll();
      }
      return passed;
    }
  }

  private void awaitIdle(long number, long due) {
    synchronized (line) {
      while (number > hurried && !isClosing && !isIdle.getAsBoolean()) {
        if (passed - number >= MOST_WAITING || System.nanoTime() >= due) {
          hurried = Math.max(hurried, passed); // while the device is idle for one, it is for all
          return;
        }
        try {
          line.wait(1);
        } catch (InterruptedException e) { // by nobody
          return;
        }
      }
    }
  }

  /**
   * Runs a task on the thread. What the last task of {@link #close} frees is freed at once, as the
   * device ends behind it. So is what is freed while no thread can be started.
   */
  private void execute(Runnable both) {
    if (isClosing && isOwn()) {
      both.run();
      return;
    }
    try {
      try {
        thread.execute(both);
      } catch (RejectedExecutionException e) {
        new Worker(this, both).start(); // a mapped view has outlived its device
      }
    } catch (OutOfMemoryError e) { // no thread can be started
      next(true); // the caller waits for no idle device
      both.run();
    }
  }

  /**
   * Calls something that allocates what this thread releases, and once more if it fails for lack of
   * that, when all releases before were made, or after two seconds.
   *
   * @throws HalException as the call does
   */
  public <T> T allocate(Supplier<T> call) {
    try {
      return call.get();
    } catch (HalException e) {
      if (e.status() != Status.RESOURCE_EXHAUSTED || isOwn()) {
        throw e;
      }
      await(true);
      return call.get();
    }
  }

  /**
   * Waits until everything passed to {@link #free} before is released. Does nothing on the free
   * thread itself. On another device's it waits for two seconds at most: this device's releases may
   * wait for that thread.
   */
  public void await() {
    if (isOwn()) {
      return; // in a callback, before which everything was released
    }
    await(Thread.currentThread() instanceof Worker);
  }

  private void await(boolean isLimited) {
    next(true);
    CompletableFuture<Void> released;
    try {
      released = CompletableFuture.runAsync(() -> {}, thread);
    } catch (OutOfMemoryError e) { // there is no thread, so nothing waits to be released
      return;
    }
    if (isLimited) {
      released = released.completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    released.join();
  }

  private boolean isOwn() {
    Thread current = Thread.currentThread();
    return current == closer || (current instanceof Worker worker && worker.owner == this);
  }

  /**
   * Calls {@code last} when everything is released. Waits for that for two seconds at most, since
   * other work on the same hardware may delay it for any time. If there is no thread, and none can
   * be started, nothing is left to release, and the calling thread calls {@code last}.
   */
  public void close(Runnable last) {
    synchronized (line) {
      hurried = Long.MAX_VALUE;
      line.notifyAll();
    }
    try {
      thread.execute(
          () -> { // so that what earlier tasks free comes before the last one
            isClosing = true;
            thread.execute(last);
            thread.shutdown();
          });
    } catch (OutOfMemoryError e) {
      closeHere(last);
      return;
    }
    try {
      if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(Level.DEBUG, "what is not used any more is given back when the device is idle");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeHere(Runnable last) {
    closer = Thread.currentThread();
    isClosing = true;
    try {
      last.run();
    } finally {
      closer = null;
      thread.shutdown();
    }
  }
}
