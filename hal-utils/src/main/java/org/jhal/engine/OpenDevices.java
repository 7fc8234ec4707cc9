// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Closes the open devices in a shutdown hook: native runtimes end with the process and may crash if
 * threads still call them. The hook exists only while a device is open, since it keeps the
 * application's class loader alive.
 *
 * <p>Thread-safe.
 */
final class OpenDevices {
  private static final System.Logger LOG = System.getLogger(OpenDevices.class.getName());
  private static final Set<DeviceShutdown<?>> OPEN = new LinkedHashSet<>(); // guarded by itself

  @GuardedBy("OPEN")
  private static @Nullable Thread hook;

  private OpenDevices() {}

  static void add(DeviceShutdown<?> device) {
    synchronized (OPEN) {
      OPEN.add(device);
      if (hook == null) {
        Thread made = new Thread(OpenDevices::closeAll, "jhal-exit");
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

  static void remove(DeviceShutdown<?> device) {
    synchronized (OPEN) {
      OPEN.remove(device);
      Thread made = hook;
      if (OPEN.isEmpty() && made != null) {
        try {
          Runtime.getRuntime().removeShutdownHook(made);
        } catch (IllegalStateException e) {
          return; // the JVM is exiting and runs the hook
        }
        hook = null;
      }
    }
  }

  /** Closes all devices in parallel, since each may have to wait for its work. */
  private static void closeAll() {
    List<DeviceShutdown<?>> open;
    synchronized (OPEN) {
      open = List.copyOf(OPEN);
    }
    List<Thread> closers =
        open.stream().map(device -> new Thread(device::closeAtExit, "jhal-exit-close")).toList();
    closers.forEach(Thread::start);
    for (Thread closer : closers) {
      try {
        closer.join();
      } catch (InterruptedException e) {
        return; // the JVM no longer waits for this hook
      }
    }
  }
}
