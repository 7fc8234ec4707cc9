package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import org.jhal.driver.support.EngineThread;

/**
 * Reclaims what became unreachable without having been closed. Its thread runs while there is a
 * device of which something may be left, and not longer: a thread keeps the class loader of an
 * application alive.
 *
 * <p>Thread-safe.
 */
final class Reclaimer {
  private static final System.Logger LOG = System.getLogger(Reclaimer.class.getName());
  private static final long LOOK_MILLIS = 500;

  /** Where {@link Owner}s come whose handle is unreachable. */
  static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();

  private static int users; // guarded by the class
  private static boolean
      runs; // the thread does, and will look at users again; guarded by the class

  private Reclaimer() {}

  /** Somebody may leave something behind until {@link #endUse}. */
  static synchronized void beginUse() {
    users++;
    if (!runs) {
      new EngineThread("jhal-reclaim", Reclaimer::run).start();
      runs = true;
    }
  }

  static synchronized void endUse() {
    users--;
  }

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
      } catch (Throwable t) { // of what a driver or a user does there; the others come next
        LOG.log(Level.ERROR, "cannot reclaim what was not closed", t);
      }
    }
  }
}
