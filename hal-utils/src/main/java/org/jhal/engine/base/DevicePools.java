// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jhal.Status;
import org.jhal.driver.HostThreads;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.timeline.Failures;

/**
 * The threads of a device, apart from those of its queues.
 *
 * <p>Thread-safe.
 */
public final class DevicePools {
  private static final System.Logger LOG = System.getLogger(DevicePools.class.getName());

  /** While one thread waits for a disk, the other one still serves files in memory. */
  private static final int FILE_THREADS = 2;

  /** Compilers keep a processor busy each, and some of them need much memory. */
  private static final int MOST_LOAD_THREADS = 4;

  private final String name; // of the device
  private final BackendCalls calls;
  private final HostCompletionPool hostCalls; // runs users' host calls
  private final HostCompletionPool copyThreads; // runs the host's part of transfers and copies
  private final HostCompletionPool
      fileThreads; // does file I/O, uninterrupted, and nothing else that may block
  private final HostCompletionPool loads; // loads executables that nobody waits for
  private final HostCompletionPool background; // runs what drivers do apart from any stream

  // One thread: retires what a completion thread that sleeps cannot, and runs users' callbacks that
  // another thread must not run.
  private final HostCompletionPool aside;

  /**
   * Creates the pools; a thread starts when it is needed.
   *
   * @param onError gets what a task on one of the threads throws
   */
  DevicePools(String name, EngineConfig config, BackendCalls calls, Consumer<Throwable> onError) {
    this.name = name;
    this.calls = calls;
    this.hostCalls = new HostCompletionPool(name + "-call", config.hostCalls(), onError);
    this.copyThreads = new HostCompletionPool(name + "-copy", config.copyThreads(), onError);
    this.fileThreads = new HostCompletionPool(name + "-file", FILE_THREADS, onError);
    this.loads =
        new HostCompletionPool(
            name + "-load",
            Math.min(MOST_LOAD_THREADS, Runtime.getRuntime().availableProcessors()),
            onError);
    this.background = new HostCompletionPool(name + "-prepare", 1, onError);
    this.aside = new HostCompletionPool(name + "-aside", 1, onError);
  }

  /** All of them, to be closed. */
  public List<HostCompletionPool> all() {
    return List.of(hostCalls, copyThreads, fileThreads, loads, background, aside);
  }

  public HostThreads hostCalls() {
    return hostCalls;
  }

  public HostThreads copyThreads() {
    return copyThreads;
  }

  public HostThreads fileThreads() {
    return fileThreads;
  }

  public HostThreads loads() {
    return loads;
  }

  /**
   * Does what completion threads cannot do while they sleep, and runs callbacks of users that
   * another thread must not run; one task at a time.
   */
  public HostThreads aside() {
    return aside;
  }

  /**
   * Does work on a thread of the device, unless the device is closed or lost before. The device is
   * bound.
   *
   * @param kept are kept until then; the caller has references to them
   */
  public void inBackground(List<RefCounted> kept, Runnable work) {
    for (RefCounted resource : kept) {
      if (!resource.tryRetain()) {
        throw new IllegalStateException("the caller has no reference");
      }
    }
    Runnable then = () -> kept.forEach(RefCounted::release);
    try {
      background.execute(
          () -> {
            try {
              calls.callIfOpen(work);
            } catch (RuntimeException e) { // what the driver could not do, nothing depends on
              if (Failures.of(e).status() != Status.UNAVAILABLE) { // a loss is logged elsewhere
                Failures.log(LOG, Level.WARNING, name + ": work in the background failed", e);
              }
            } finally {
              then.run();
            }
          });
    } catch (RejectedExecutionException e) {
      then.run(); // the device is closed, or no thread can be started
    }
  }
}
