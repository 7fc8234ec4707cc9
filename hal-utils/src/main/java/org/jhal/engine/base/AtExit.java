// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * What the JVM finishes before it exits, in a shutdown hook: native runtimes end with the process
 * and may crash if threads still call them. Open devices are closed, and calls that other threads
 * make are waited for. The hook exists only while there is something to finish, since it keeps the
 * application's class loader alive.
 *
 * <p>Thread-safe.
 */
public final class AtExit {
  private static final System.Logger LOG = System.getLogger(AtExit.class.getName());

  /**
   * The longest time for which an exiting JVM waits for a call of a library whose threads would
   * crash when the process ends under them.
   */
  public static final Duration CALL = Duration.ofSeconds(10);

  /** What there is to finish, and whether it is a device. Guarded by itself. */
  private static final Map<Runnable, Boolean> UNFINISHED = new LinkedHashMap<>();

  @GuardedBy("UNFINISHED")
  private static @Nullable Thread hook;

  private AtExit() {}

  /**
   * Adds an open device.
   *
   * @param close closes it within seconds, in a thread of its own; compared by identity
   */
  public static void addDevice(Runnable close) {
    add(close, true);
  }

  /**
   * Adds a call of a native library.
   *
   * @param await waits for it, for seconds at most; compared by identity
   */
  public static void addCall(Runnable await) {
    add(await, false);
  }

  private static void add(Runnable finish, boolean isDevice) {
    synchronized (UNFINISHED) {
      UNFINISHED.put(finish, isDevice);
      if (hook == null) {
        Thread made = new Thread(AtExit::finishAll, "jhal-exit");
        try {
          Runtime.getRuntime().addShutdownHook(made);
          hook = made;
        } catch (IllegalStateException e) {
          Failures.log(
              LOG, Level.DEBUG, "the JVM exits, and waits for nothing that begins only now", e);
        }
      }
    }
  }

  /**
   * Calls {@code body}, which calls a native library that runs threads of its own: if the JVM exits
   * meanwhile, it waits for the return for up to {@link #CALL}.
   */
  public static void during(Runnable body) {
    CountDownLatch over = new CountDownLatch(1);
    Runnable await = () -> awaitCall(over);
    addCall(await);
    try {
      body.run();
    } finally {
      over.countDown();
      remove(await);
    }
  }

  private static void awaitCall(CountDownLatch over) {
    var unused = Uninterruptibles.awaitUninterruptibly(over, CALL.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Removes what has finished. */
  public static void remove(Runnable finish) {
    synchronized (UNFINISHED) {
      UNFINISHED.remove(finish);
      Thread made = hook;
      if (UNFINISHED.isEmpty() && made != null) {
        try {
          Runtime.getRuntime().removeShutdownHook(made);
        } catch (IllegalStateException e) {
          return; // the JVM is exiting and runs the hook
        }
        hook = null;
      }
    }
  }

  /**
   * Closing a device may begin a call. A device that is opened meanwhile stays open: a program that
   * always opens another one would never end.
   */
  private static void finishAll() {
    List<Runnable> first = unfinished(true);
    if (finish(first)) {
      List<Runnable> begun = new ArrayList<>(unfinished(false));
      begun.removeAll(first);
      finish(begun);
    }
  }

  private static List<Runnable> unfinished(boolean withDevices) {
    List<Runnable> all = new ArrayList<>();
    synchronized (UNFINISHED) {
      UNFINISHED.forEach(
          (finish, isDevice) -> {
            if (withDevices || !isDevice) {
              all.add(finish);
            }
          });
    }
    return all;
  }

  /**
   * In parallel, since each may have to wait. Returns false if the JVM no longer waits for this
   * hook.
   */
  private static boolean finish(List<Runnable> all) {
    List<Thread> threads =
        all.stream().map(finish -> new Thread(finish, "jhal-exit-close")).toList();
    List<Runnable> here = new ArrayList<>(); // for lack of threads
    for (int i = 0; i < threads.size(); i++) {
      try {
        threads.get(i).start();
      } catch (OutOfMemoryError e) {
        here.add(all.get(i));
      }
    }
    here.forEach(Runnable::run);
    for (Thread thread : threads) {
      try {
        thread.join(); // at once, if it was not started
      } catch (InterruptedException e) {
        return false;
      }
    }
    return true;
  }
}
