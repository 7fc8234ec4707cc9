package org.jhal.gpu.time;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a device's clock at a reference: a point at which both clocks were read, and how
 * fast the device's clock runs. By default times are nanoseconds.
 *
 * @param host the time of the reference, as {@link System#nanoTime}
 * @param error by how much {@code host} may be wrong
 * @param rate nanoseconds of the host in one of the device
 * @param rateError by how much {@code rate} may be wrong
 * @param interval how long the reference is to be used
 */
record ClockFit(double host, double error, double rate, double rateError, long interval) {
  /** By how much a clock may be off that was not measured. Crystals are better by far. */
  static final double UNKNOWN_RATE = 1e-3;

  /** By how much a clock's rate may change from one reference to the next, as it gets warmer. */
  private static final double RATE_CHANGE = 1e-6;

  /** The resolution of events that the runtimes state. */
  private static final double RESOLUTION_NANOS = 500;

  private static final long FIRST_INTERVAL = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_INTERVAL = TimeUnit.SECONDS.toNanos(2);
  private static final double NANOS_PER_MILLI = 1e6;

  /** The first reference. The clocks are taken to run at the same rate, about. */
  static ClockFit first(double host, double error) {
    return new ClockFit(host, error, 1, UNKNOWN_RATE, FIRST_INTERVAL);
  }

  /** The time of the host, {@code millis} of the device after the reference. */
  double at(float millis) {
    return host + lasting(millis);
  }

  /** How long {@code millis} of the device are for the host. */
  double lasting(float millis) {
    return millis * NANOS_PER_MILLI * rate;
  }

  /** By how much {@link #at} may be wrong. */
  double errorAt(float millis) {
    return error
        + RESOLUTION_NANOS
        + Math.abs(millis) * NANOS_PER_MILLI * rateError
        + rounding(millis);
  }

  /** By how many nanoseconds a float of milliseconds may be wrong. */
  static double rounding(float millis) {
    return Math.ulp(millis) * NANOS_PER_MILLI;
  }

  /**
   * What is known after another reference.
   *
   * @param millis how much later that is by the device's clock
   * @return this object if the other reference is worse; null if the clocks differ by more than any
   *     two clocks do, so that one of them has been set, or does not tell the time
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
    boolean isCloser = measuredError < keptError; // so that both times are far from 0
    return new ClockFit(
        otherHost,
        otherError,
        isCloser ? passed / passedOnDevice : rate,
        isCloser ? measuredError : keptError,
        Math.min(LONGEST_INTERVAL, 2 * interval));
  }
}
