// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open devices of the watched process at one moment.
 *
 * @param nanos when it was taken, as {@link System#nanoTime()}
 */
record Sample(Instant time, long nanos, List<DeviceSample> devices) {
  /** Returns the seconds since {@code before}, or 0 if there is none. */
  double secondsSince(@Nullable Sample before) {
    return before == null ? 0 : (nanos - before.nanos) / 1e9;
  }

  /** Returns the device with this key, or null. */
  static @Nullable DeviceSample find(@Nullable Sample sample, String key) {
    return sample == null
        ? null
        : sample.devices.stream()
            .filter(device -> device.key().equals(key))
            .findFirst()
            .orElse(null);
  }
}
