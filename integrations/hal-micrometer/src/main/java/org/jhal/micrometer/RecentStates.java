// SPDX-License-Identifier: Apache-2.0
package org.jhal.micrometer;

import java.util.List;
import org.jhal.DeviceState;
import org.jhal.Hal;

/** The states of the open devices, read once for all meters of a scrape. Thread-safe. */
final class RecentStates {
  private static final long MOST_NANOS = 100_000_000;

  private List<DeviceState> states = List.of(); // guarded by this
  private long readAt; // guarded by this

  /** Returns states that were read at most 100 ms ago. */
  synchronized List<DeviceState> all() {
    return System.nanoTime() - readAt > MOST_NANOS ? refresh() : states;
  }

  /** Reads the states again. */
  synchronized List<DeviceState> refresh() {
    states = Hal.deviceStates();
    readAt = System.nanoTime();
    return states;
  }
}
