// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

/**
 * The time to about a second, at the cost of reading a field. While a device is open, the reclaimer
 * thread sets it twice a second and the issue thread of each queue once a second. Several threads
 * set it because each may block in a callback or a native call.
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

  public static void tick() {
    now = System.nanoTime();
  }
}
