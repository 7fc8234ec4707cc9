// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.spi.DurationText;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;

/**
 * Whether the open devices of this process work, for the health check of a service. Immutable.
 *
 * @param problems what is wrong, one line for each problem, which begins with the name of the
 *     device; empty if nothing is
 */
public record DeviceHealth(List<String> problems) {
  /** Rejects null, and copies the list. */
  public DeviceHealth {
    problems = List.copyOf(Objects.requireNonNull(problems, "problems"));
  }

  /**
   * Checks all open devices. A device has a problem if it is lost, or if its oldest open operation
   * was enqueued more than {@code limit} ago: the operation takes too long, or waits for a value
   * that is not signaled. So the limit must be longer than the longest time for which an operation
   * of this program legitimately waits. {@link Hal#explain} then says more. Without open devices
   * there is no problem. Devices of other copies of this API, in other class loaders, are not
   * checked.
   *
   * <p>Any thread may call this at any time, even in a callback, and while a device hangs or is
   * lost. The call does not wait, makes no native call, and takes microseconds however many
   * operations are open. (A driver that does not use the engine of JHAL may take longer.)
   *
   * @param limit the longest time since the operation was enqueued, accurate to about a second, so
   *     limits of less than a few seconds are not useful
   * @throws HalException OUT_OF_RANGE if {@code limit} is negative
   */
  public static DeviceHealth check(Duration limit) {
    if (Objects.requireNonNull(limit, "limit").isNegative()) {
      throw new HalException(
          Status.OUT_OF_RANGE, "limit " + DurationText.of(limit) + ": needs at least 0");
    }
    List<String> problems = new ArrayList<>();
    for (Explainable device : Explanations.all()) {
      try {
        HalException lost = device.lostCause();
        OpenOperation oldest = lost == null ? device.oldestOpen() : null;
        Duration age = oldest == null ? Duration.ZERO : DeviceState.age(oldest);
        if (lost != null) {
          problems.add(BoundedText.shown(device.name() + " is lost: " + reason(device, lost)));
        } else if (oldest != null && age.compareTo(limit) > 0) {
          problems.add(
              "%s has an operation that has been open for %s s; the limit is %s: %s"
                  .formatted(
                      BoundedText.shown(device.name()),
                      age.toSeconds(),
                      DurationText.of(limit),
                      DeviceState.describe(oldest)));
        }
      } catch (RuntimeException | LinkageError e) { // of a driver with an engine of its own
        problems.add(
            BoundedText.shown(
                device.getClass().getName()
                    + " cannot report its state: "
                    + BoundedText.describe(e)));
      }
    }
    return new DeviceHealth(problems);
  }

  /** Returns the message of a loss, without the beginning that all messages of the engine have. */
  private static String reason(Explainable device, HalException lost) {
    String message = String.valueOf(lost.getMessage());
    String prefix = "device " + device.name() + " is lost: ";
    return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
  }

  /** Returns whether there are no problems. */
  public boolean isHealthy() {
    return problems.isEmpty();
  }
}
