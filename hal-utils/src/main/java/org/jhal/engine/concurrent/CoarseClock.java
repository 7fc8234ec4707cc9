package org.jhal.engine.concurrent;

/**
 * The time to about a second, at the price of reading a field. While there is a device, the thread
 * that reclaims what was forgotten sets it twice a second, and the issue thread of each queue once
 * a second: any of them may be held up in a callback of the program or in a native call.
 *
 * <p>Thread-safe.
 */
public final class CoarseClock {
  private static volatile long now = System.nanoTime();

  private CoarseClock() {}

  /** The time as {@link System#nanoTime()}. */
  public static long nanoTime() {
    return now;
  }

  /** Sets the time. */
  public static void tick() {
    now = System.nanoTime();
  }
}
