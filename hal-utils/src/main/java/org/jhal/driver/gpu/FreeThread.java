package org.jhal.driver.gpu;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jhal.driver.support.EngineThread;

/**
 * Gives back what a runtime takes back only when the whole device is idle: page-locked host memory,
 * and modules. Whoever drops the last reference, such as a thread that completes operations, is not
 * to wait for kernels that it has nothing to do with.
 *
 * <p>Thread-safe.
 */
public final class FreeThread {
  private static final System.Logger LOG = System.getLogger(FreeThread.class.getName());

  private static final long PATIENCE_SECONDS = 2;

  private final GpuRuntime<?, ?, ?> runtime;
  private final String name;
  private final ExecutorService thread;

  /** For a device of this name; the thread ends with {@link #close}. */
  FreeThread(GpuRuntime<?, ?, ?> runtime, String device) {
    this.runtime = runtime;
    this.name = device + "-free";
    this.thread = Executors.newSingleThreadExecutor(body -> new EngineThread(name, body));
  }

  /** Calls {@code free} soon, with the device bound. Public for tests, as is {@link #await}. */
  public void free(Runnable free) {
    free(free, () -> {});
  }

  /** Calls {@code free} soon, with the device bound, and then {@code then} in any case. */
  public void free(Runnable free, Runnable then) {
    Runnable both =
        () -> {
          runtime.giveBack(free);
          then.run();
        };
    try {
      thread.execute(both);
    } catch (RejectedExecutionException e) {
      new EngineThread(name, both).start(); // for a view that was in use longer than its device
    }
  }

  /** Waits until all that was handed over before is given back; not on this very thread. */
  public void await() {
    if (Thread.currentThread().getName().equals(name)) {
      return; // a callback of what is given back: all before is
    }
    CompletableFuture.runAsync(() -> {}, thread).join();
  }

  /**
   * Calls {@code last} when everything is given back, and waits for that for a moment: what other
   * users of the same hardware run may hold it up for as long as they like.
   */
  void close(Runnable last) {
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
