package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import org.jhal.driver.support.EngineThread;

/**
 * Reclaims resources whose handles became unreachable without having been closed. Its thread runs
 * only while a device exists that may leak something, since a running thread keeps the class loader
 * of an application alive.
 *
 * <p>Thread-safe.
 */
final class Reclaimer {
  private static final System.Logger LOG = System.getLogger(Reclaimer.class.getName());
  private static final long LOOK_MILLIS = 500;

  /** The queue on which {@link Owner}s arrive once their handle is unreachable. */
  static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();

  // Guarded by the class.
  private static int users; // how many lists of storages may leak something
  private static boolean runs; // the thread runs, and will look at `users` again before it ends

  private Reclaimer() {}

  /** Something may be leaked until {@link #endUse} is called as well. */
  static synchronized void beginUse() {
    if (!runs) {
      new EngineThread("jhal-reclaim", Reclaimer::run).start(); // throws if there is no thread
      runs = true;
    }
    users++; // the thread looks at it with the class locked
  }

  static synchronized void endUse() {
    users--;
  }

  /** Whether the thread ends, decided in the critical section that finds no users. */
  private static synchronized boolean ends() {
    if (users == 0) {
      runs = false;
    }
    return !runs;
  }

  private static void run() {
    while (true) {
      try {
        Reference<?> next = UNREACHABLE.remove(LOOK_MILLIS);
        if (next != null) {
          ((Owner) next).reclaim();
        } else if (ends()) {
          return;
        }
      } catch (Throwable t) { // from a driver or a release callback; the next owner may succeed
        LOG.log(Level.ERROR, "cannot reclaim what was not closed", t);
      }
    }
  }
}
