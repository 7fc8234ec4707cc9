// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A device's clock at a reference: a point at which both clocks were read, and the rate of the
 * device's clock. Times are nanoseconds unless stated otherwise.
 *
 * @param host the time of the reference, as {@link System#nanoTime}
 * @param error the error bound of {@code host}
 * @param rate nanoseconds of the host in one of the device
 * @param rateError the error bound of {@code rate}
 * @param interval how long to use the reference
 */
record ClockFit(double host, double error, double rate, double rateError, long interval) {
  /** The error bound of an unmeasured rate. Crystals are far better. */
  static final double UNKNOWN_RATE = 1e-3;

  /** The change of a warming clock's rate from one reference to the next, at most. */
  private static final double RATE_CHANGE = 1e-6;

  /** The resolution of events that the runtimes state. */
  private static final double RESOLUTION_NANOS = 500;

  private static final long FIRST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_INTERVAL = TimeUnit.SECONDS.toNanos(2);
  private static final double NANOS_PER_MILLI = 1e6;

  /** The first reference, with equal rates assumed. */
  static ClockFit first(double host, double error) {
    return new ClockFit(host, error, 1, UNKNOWN_RATE, FIRST_INTERVAL);
  }

  /** The host's time {@code millis} of the device after the reference. */
  double at(float millis) {
    return host + lasting(millis);
  }

  /** The length of {@code millis} of the device for the host. */
  double lasting(float millis) {
    return millis * NANOS_PER_MILLI * rate;
  }

  /** The error bound of {@link #at}. */
  double errorAt(float millis) {
    return error
        + RESOLUTION_NANOS
        + Math.abs(millis) * NANOS_PER_MILLI * rateError
        + rounding(millis);
  }

  /** The rounding error of a float of milliseconds, in nanoseconds. */
  static double rounding(float millis) {
    return Math.ulp(millis) * NANOS_PER_MILLI;
  }

  /**
   * The fit after another reference.
   *
   * @param millis the time between the references by the device's clock
   * @return this object if the other reference is worse; null if the clocks differ so much that one
   *     of them must have been set or is faulty
   */
  @Nullable ClockFit follow(double otherHost, double otherError, float millis) {
    double passed = otherHost - host;
    double passedOnDevice = millis * NANOS_PER_MILLI;
    double passedError = error + otherError + RESOLUTION_NANOS + rounding(millis);
    double mostApart = UNKNOWN_RATE * Math.abs(passedOnDevice) + passedError;
    if (!Float.isFinite(millis) || Math.abs(passed - passedOnDevice) > mostApart) {
      return null;
    }
    if (otherError > errorAt(millis)) {
      return this;
    }
    double keptError = Math.min(UNKNOWN_RATE, rateError + RATE_CHANGE);
    double measuredError = passedError / Math.max(1, passed);
    boolean isCloser = measuredError < keptError; // both times are far from 0
    return new ClockFit(
        otherHost,
        otherError,
        isCloser ? passed / passedOnDevice : rate,
        isCloser ? measuredError : keptError,
        Math.min(LONGEST_INTERVAL, 2 * interval));
  }
}
