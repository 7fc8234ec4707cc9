// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.List;
import java.util.Random;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Faults;

/**
 * One native call that fails, at one position of a workload.
 *
 * @param call a name of {@link Faults}
 * @param nth the position: which use of the call fails, counted from 1; 0 for none
 * @param isSticky whether the device does not recover from the error
 * @param seed selects the mode, the order and the options; 0 runs everything in order
 */
record FaultCase(String call, int nth, boolean isSticky, long seed) {
  /** How the steps reach the streams. */
  enum Mode {
    /** The streams are paused until everything is enqueued, so that waits are native. */
    PAUSED,
    /** Like {@link #PAUSED}, but everything that can be closed is closed at once. */
    CLOSED_AT_ONCE,
    /** The streams run while steps are enqueued. */
    RUNNING,
    /** The device is closed while everything is parked or in flight. */
    CLOSING
  }

  private static final List<Integer> IN_FLIGHT = List.of(512, 1, 2, 5);

  /** The case in which no call fails. */
  static FaultCase none(long seed) {
    return new FaultCase("none", 0, false, seed);
  }

  /** Reads what {@link #toString} wrote. */
  static FaultCase parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 4) {
      throw new IllegalArgumentException("'" + text + "' is not CALL/NTH/sticky|single/SEED");
    }
    return new FaultCase(
        parts[0], Integer.parseInt(parts[1]), parts[2].equals("sticky"), Long.parseLong(parts[3]));
  }

  Mode mode() {
    return seed == 0 ? Mode.PAUSED : Mode.values()[random().nextInt(Mode.values().length)];
  }

  /** The options of a device's URI. */
  String options() {
    Random random = random();
    random.nextInt();
    int inFlight = seed == 0 ? 512 : IN_FLIGHT.get(random.nextInt(IN_FLIGHT.size()));
    String outcomes = isAsked() ? "asked" : "told";
    return "devices=2&queues=2&seed=" + seed + "&inflight=" + inFlight + "&outcomes=" + outcomes;
  }

  /** Whether a failure of work is reported only as the outcome of its event. */
  boolean isAsked() {
    return seed % 2 == 1;
  }

  private Random random() {
    Random random = new Random(seed);
    random.nextInt(); // the first numbers of neighbouring seeds are similar
    return random;
  }

  HalException failure() {
    return new HalException(
        isSticky ? Status.UNAVAILABLE : Status.INTERNAL, "fault <" + this + ">");
  }

  @Override
  public String toString() {
    return call + "/" + nth + "/" + (isSticky ? "sticky" : "single") + "/" + seed;
  }
}
