// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/**
 * The state of an open device, for monitoring; see {@link Hal#deviceStates}. Immutable. The parts
 * are read one after the other, not at a single instant.
 *
 * @param name the name of the device, such as {@code cuda-0}. A device that was opened twice occurs
 *     twice, with the same name
 * @param info the properties of the device
 * @param lostCause why the device is lost, or null if it is not
 * @param statistics what the device holds, and what it has done so far
 * @param oldestOperation the open operation that was enqueued first, with its state and what it
 *     waits for, as text in one line, such as {@code mock-0-q0 operation 1 (fill, PARKED, waits for
 *     semaphore#1 to reach 2, now at 0)}; empty if no operation is open
 * @param oldestAge the time since it was enqueued, accurate to about a second; zero if none is open
 */
public record DeviceState(
    String name,
    DeviceInfo info,
    @Nullable HalException lostCause,
    DeviceStatistics statistics,
    String oldestOperation,
    Duration oldestAge) {

  private static final int MOST_WAITS = 3; // that are described

  /** Rejects null where it is not allowed. */
  public DeviceState {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(info, "info");
    Objects.requireNonNull(statistics, "statistics");
    Objects.requireNonNull(oldestOperation, "oldestOperation");
    Objects.requireNonNull(oldestAge, "oldestAge");
  }

  /** Returns the states of the registered devices that report one, oldest first. */
  static List<DeviceState> all() {
    List<DeviceState> states = new ArrayList<>();
    for (Explainable device : Explanations.all()) {
      try {
        DeviceInfo info = device.info();
        DeviceStatistics statistics = device.statistics();
        if (info != null && statistics != null) {
          OpenOperation oldest = device.oldestOpen();
          states.add(
              new DeviceState(
                  device.name(),
                  info,
                  device.lostCause(),
                  statistics,
                  oldest == null ? "" : describe(oldest),
                  oldest == null ? Duration.ZERO : age(oldest)));
        }
      } catch (RuntimeException | LinkageError e) { // of a driver with an engine of its own
        continue; // the other devices may still report theirs
      }
    }
    return states;
  }

  /** Returns the time since an operation was enqueued. */
  static Duration age(OpenOperation operation) {
    return Duration.ofNanos(Math.max(0, System.nanoTime() - operation.since()));
  }

  /** Returns an operation and what it waits for, in one line of a limited length. */
  static String describe(OpenOperation operation) {
    List<Timepoint> waits = operation.waits();
    OpenOperation shown =
        waits.size() <= MOST_WAITS
            ? operation
            : new OpenOperation(
                operation.queue(),
                operation.number(),
                operation.kind(),
                operation.state(),
                operation.since(),
                waits.subList(0, MOST_WAITS),
                List.of());
    return BoundedText.shown(shown)
        + (shown == operation ? "" : " and " + (waits.size() - MOST_WAITS) + " more waits");
  }
}
