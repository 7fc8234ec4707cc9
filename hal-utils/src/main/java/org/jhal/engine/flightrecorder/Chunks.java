// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import jdk.jfr.FlightRecorder;

/**
 * Records all names at the start of each chunk, so that each chunk can be read alone.
 *
 * <p>The recorder calls a hook for that. The hook is made with the first event: making it starts
 * the recorder's machinery, which takes time and would not serve a program that is never recorded.
 * It is removed with the last name, since the recorder keeps the hook's class loader alive.
 *
 * <p>Thread-safe.
 */
final class Chunks implements Runnable {
  private static final Chunks HOOK = new Chunks();

  /** Written with the class locked. Becomes false while there is no name. */
  private static volatile boolean isHooked;

  private Chunks() {}

  /** Records all names, unless the chunk has them, and has those of later chunks recorded. */
  static void nameAll() {
    if (!isHooked) {
      hook();
    }
  }

  private static synchronized void hook() {
    if (isHooked || Names.live().isEmpty()) {
      return;
    }
    isHooked = true;
    try {
      FlightRecorder.addPeriodicEvent(Events.Naming.class, HOOK);
    } catch (RuntimeException e) {
      // This recorder takes no hooks. Only the names in later chunks are missing.
    }
    HOOK.run(); // the current chunk began without the hook
  }

  /**
   * Removes the hook if there is no name. A name added at the same time is either seen here, or its
   * first event makes the hook again.
   */
  static synchronized void unhookIfUnused() {
    if (isHooked && Names.live().isEmpty()) {
      isHooked = false;
      FlightRecorder.removePeriodicEvent(HOOK);
    }
  }

  @Override
  public void run() {
    if (Events.NAMING.isEnabled()) {
      Names.live().forEach(Chunks::name);
    }
  }

  static void name(Names.Named named) {
    Events.Naming event = new Events.Naming();
    event.kind = named.kind();
    event.number = named.number();
    event.name = named.name();
    event.owner = named.owner();
    event.commit();
  }
}
