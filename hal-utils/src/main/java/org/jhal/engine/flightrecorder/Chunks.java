package org.jhal.engine.flightrecorder;

import jdk.jfr.FlightRecorder;

/**
 * Records all names at the start of each chunk, so that each part of a recording can be read alone.
 *
 * <p>The recorder calls a hook for that. The hook is made with the first event, since it starts the
 * recorder's own machinery, which takes time and is of no use to programs that are never recorded.
 * It is removed with the last name, since the recorder is the JDK's and keeps the class loader of
 * the hook.
 *
 * <p>Thread-safe.
 */
final class Chunks implements Runnable {
  private static final Chunks HOOK = new Chunks();

  /** Written with the class locked. While there is no name, it becomes false. */
  private static volatile boolean isHooked;

  private Chunks() {}

  /** Makes the hook, unless it exists, and records what was named before. */
  static void hook() {
    if (!isHooked) {
      hookNow();
    }
  }

  private static synchronized void hookNow() {
    if (isHooked || Names.live().isEmpty()) {
      return;
    }
    isHooked = true;
    try {
      FlightRecorder.addPeriodicEvent(NameEvent.class, HOOK);
    } catch (RuntimeException e) {
      // A recorder that takes no hooks: later chunks are without names, and everything else works.
    }
    HOOK.run(); // the current chunk has begun without
  }

  /**
   * Removes the hook if there is no name any more. A name that is added meanwhile is either seen
   * here, or its first event makes the hook again.
   */
  static synchronized void unhookIfUnused() {
    if (isHooked && Names.live().isEmpty()) {
      isHooked = false;
      boolean ignored = FlightRecorder.removePeriodicEvent(HOOK);
    }
  }

  @Override
  public void run() {
    if (NameEvent.isOn()) {
      Names.live().forEach(Chunks::name);
    }
  }

  static void name(Names.Named named) {
    NameEvent event = new NameEvent();
    event.kind = named.kind();
    event.number = named.number();
    event.name = named.name();
    event.owner = named.owner();
    event.commit();
  }
}
