package org.jhal.gpu.runtime;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jhal.driver.support.EngineThread;

/**
 * Releases page-locked host memory and modules, which a runtime releases only when the whole device
 * is idle. Otherwise the thread that drops the last reference, such as a completion thread, would
 * wait for unrelated kernels.
 *
 * <p>Thread-safe.
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

  private final GpuRuntime runtime;
  private final String name;
  private final ExecutorService thread;

  /** For the device called {@code device}; the thread ends with {@link #close}. */
  public FreeThread(GpuRuntime runtime, String device) {
    this.runtime = runtime;
    this.name = device + "-free";
    this.thread = Executors.newSingleThreadExecutor(body -> new Worker(this, body));
  }

  /** Calls {@code free} soon, with the device bound. Public for tests, as is {@link #await}. */
  public void free(Runnable free) {
    free(free, () -> {});
  }

  /** Calls {@code free} soon, with the device bound, and then {@code then} in any case. */
  public void free(Runnable free, Runnable then) {
    Runnable both =
        () -> {
          runtime.gate().run(() -> runtime.giveBack(free));
          then.run();
        };
    try {
      thread.execute(both);
    } catch (RejectedExecutionException e) {
      new Worker(this, both).start(); // a mapped view has outlived its device
    }
  }

  /**
   * Waits until everything passed to {@link #free} before is released. Does nothing on the free
   * thread itself. On another device's it waits for two seconds at most: this device's releases may
   * wait for that thread.
   */
  public void await() {
    boolean isWorker = false;
    if (Thread.currentThread() instanceof Worker worker) {
      if (worker.owner == this) {
        return; // in a callback, before which everything was released
      }
      isWorker = true;
    }
    CompletableFuture<Void> released = CompletableFuture.runAsync(() -> {}, thread);
    if (isWorker) {
      released = released.completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    released.join();
  }

  /**
   * Calls {@code last} when everything is released. Waits for that for two seconds at most, since
   * other work on the same hardware may delay it for any time.
   */
  public void close(Runnable last) {
    thread.execute(last);
    thread.shutdown();
    try {
      if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(Level.DEBUG, "what is not used any more is given back when the device is idle");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
