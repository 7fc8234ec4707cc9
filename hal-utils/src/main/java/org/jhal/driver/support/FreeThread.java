// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Releases page-locked host memory and modules, which a runtime releases only when the whole device
 * is idle. Otherwise the thread that drops the last reference, such as a completion thread, would
 * wait for unrelated kernels.
 *
 * <p>A driver makes one for each device, and closes it where it closes the device. Thread-safe.
 */
public final class FreeThread {
  private static final System.Logger LOG = System.getLogger(FreeThread.class.getName());

  private static final long PATIENCE_SECONDS = 2;

  /** Knows its owner: devices on one GPU have threads of the same name. */
  private static final class Worker extends EngineThread {
    private final FreeThread owner;

    Worker(FreeThread owner, Runnable body) {
      super(owner.name, body);
      this.owner = owner;
    }
  }

  private final Consumer<Runnable> calls;
  private final String name;
  private final ExecutorService thread;
  private volatile boolean isClosing;
  private volatile @Nullable Thread closer; // runs the last task, if no thread can be started

  /**
   * For a device; the thread ends with {@link #close}.
   *
   * @param device its name
   * @param calls calls what it is given, at once and with the device bound, and throws nothing; if
   *     the device cannot be bound, it does not call it
   */
  public FreeThread(String device, Consumer<Runnable> calls) {
    this.calls = calls;
    this.name = device + "-free";
    this.thread =
        Executors.newSingleThreadExecutor(
            body -> {
              EngineThread.check(name);
              return new Worker(this, body);
            });
  }

  /** Calls {@code free} soon, with the device bound. */
  public void free(Runnable free) {
    free(free, () -> {});
  }

  /**
   * Calls {@code free} soon, with the device bound, and then {@code then} in any case. What the
   * last task of {@link #close} frees is freed at once, as the device ends behind it. So is what is
   * freed while no thread can be started.
   */
  public void free(Runnable free, Runnable then) {
    Runnable both =
        () -> {
          calls.accept(free);
          then.run();
        };
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
      both.run();
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
    CompletableFuture<Void> released;
    try {
      released = CompletableFuture.runAsync(() -> {}, thread);
    } catch (OutOfMemoryError e) { // there is no thread, so nothing waits to be released
      return;
    }
    if (Thread.currentThread() instanceof Worker) {
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
