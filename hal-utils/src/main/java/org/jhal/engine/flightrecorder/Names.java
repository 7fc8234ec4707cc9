package org.jhal.engine.flightrecorder;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The names of what events give as a number. Numbers are unique in the process, and start at 1.
 *
 * <p>A process may have several copies of this class, in class loaders of their own. The numbers of
 * each begin at a multiple of {@value #COPY}.
 *
 * <p>Thread-safe.
 */
public final class Names {
  private static final long COPY = 1L << 40;

  /** Where all copies can reach it: how many there are. */
  private static final String COPIES = "org.jhal.engine.copies";

  private static final long BASE = COPY * copiesBefore();
  private static final AtomicLong LAST = new AtomicLong(BASE);
  private static final Map<Long, Named> LIVE = new ConcurrentHashMap<>();

  record Named(String kind, long number, String name, long owner) {}

  private Names() {}

  private static long copiesBefore() {
    try {
      Object copies =
          System.getProperties()
              .merge(COPIES, "1", (before, one) -> "" + (Long.parseLong("" + before) + 1));
      return Long.parseLong("" + copies) - 1;
    } catch (RuntimeException e) {
      return 0; // somebody has set it to something else
    }
  }

  /** Makes a number that is unique in this copy unique in the process. */
  static long inProcess(long number) {
    return BASE + number;
  }

  /**
   * Gives a number to something that lives until {@link #remove}.
   *
   * @param kind {@code device}, {@code queue} or {@code kernel}
   * @param owner the number of the device that it belongs to, or 0
   */
  public static long add(String kind, String name, long owner) {
    long number = LAST.incrementAndGet();
    Named named = new Named(kind, number, name, owner);
    LIVE.put(number, named);
    FlightRecorder.name(named);
    return number;
  }

  /** Forgets a number. Does nothing if that was done before. */
  public static void remove(long number) {
    LIVE.remove(number);
    if (LIVE.isEmpty()) {
      FlightRecorder.unname();
    }
  }

  /** Forgets the number of a device, and whatever belongs to it. */
  public static void removeDevice(long number) {
    LIVE.values().removeIf(named -> named.owner() == number);
    remove(number);
  }

  static Collection<Named> live() {
    return LIVE.values();
  }
}
