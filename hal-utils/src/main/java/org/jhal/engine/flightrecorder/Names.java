// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The names behind the numbers in events. Numbers are unique in the process and start at 1.
 *
 * <p>A process may have several copies of this class, each in its own class loader. The numbers of
 * each copy begin at a multiple of {@value #COPY}.
 *
 * <p>Thread-safe.
 */
public final class Names {
  private static final long COPY = 1L << 40;

  /** The system property with the number of copies. */
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
      return 0; // other code has set it to something else
    }
  }

  /** Turns a number that is unique in this copy into one unique in the process. */
  static long inProcess(long number) {
    return BASE + number;
  }

  /**
   * Assigns a number to an object, until {@link #remove}.
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

  /** Forgets a number, unless it is forgotten already. */
  public static void remove(long number) {
    LIVE.remove(number);
    if (LIVE.isEmpty()) {
      FlightRecorder.unname();
    }
  }

  /** Forgets the number of a device and of everything that belongs to it. */
  public static void removeDevice(long number) {
    LIVE.values().removeIf(named -> named.owner() == number);
    remove(number);
  }

  static Collection<Named> live() {
    return LIVE.values();
  }
}
