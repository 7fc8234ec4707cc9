// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jhal.engine.queue.Failures;
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
  private static final Set<Runnable> UNFINISHED = new LinkedHashSet<>(); // guarded by itself

  @GuardedBy("UNFINISHED")
  private static @Nullable Thread hook;

  private AtExit() {}

  /**
   * Adds what the exit calls, in a thread of its own.
   *
   * @param finish returns within seconds; compared by identity
   */
  public static void add(Runnable finish) {
    synchronized (UNFINISHED) {
      UNFINISHED.add(finish);
      if (hook == null) {
        Thread made = new Thread(AtExit::finishAll, "jhal-exit");
        try {
          Runtime.getRuntime().addShutdownHook(made);
          hook = made;
        } catch (IllegalStateException e) {
          Failures.log(
              LOG, Level.DEBUG, "a device was opened while the JVM exits, so nothing closes it", e);
        }
      }
    }
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

  /** Closing a device may begin something else that has to be finished. */
  private static void finishAll() {
    Set<Runnable> begun = new HashSet<>();
    for (List<Runnable> next = next(begun); !next.isEmpty(); next = next(begun)) {
      begun.addAll(next);
      if (!finish(next)) {
        return;
      }
    }
  }

  private static List<Runnable> next(Set<Runnable> begun) {
    synchronized (UNFINISHED) {
      return UNFINISHED.stream().filter(one -> !begun.contains(one)).toList();
    }
  }

  /**
   * In parallel, since each may have to wait. Returns false if the JVM no longer waits for this
   * hook.
   */
  private static boolean finish(List<Runnable> all) {
    List<Thread> threads =
        all.stream().map(finish -> new Thread(finish, "jhal-exit-close")).toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        return false;
      }
    }
    return true;
  }
}
