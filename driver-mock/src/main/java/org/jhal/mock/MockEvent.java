// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.HalException;
import org.jhal.driver.support.HostEvent;
import org.jspecify.annotations.Nullable;

/**
 * An event whose outcome is asked about once for each recording.
 *
 * <p>Thread-safe.
 */
final class MockEvent extends HostEvent {
  private final MockDevice device;

  @GuardedBy("this")
  private long asked; // the latest recording with a queried outcome

  @GuardedBy("this")
  private @Nullable HalException outcome; // of the latest one that has fired

  MockEvent(MockDevice device) {
    super(device.liveness());
    this.device = device;
  }

  /**
   * Makes a new recording; returns its number.
   *
   * @throws IllegalStateException if the outcome of the one before was not queried
   */
  @Override
  public synchronized long record() {
    if (device.outcomesCanFail() && asked < latest()) {
      throw new IllegalStateException("the event is recorded again before its outcome was queried");
    }
    return super.record();
  }

  /**
   * How the work behind the latest recording has ended.
   *
   * @throws IllegalStateException if it has not fired, or was asked about before
   */
  synchronized @Nullable HalException takeOutcome() {
    long recorded = latest();
    if (!hasFired(recorded) || asked == recorded) {
      throw new IllegalStateException(
          "the outcome of recording "
              + recorded
              + " is asked for "
              + (asked == recorded ? "twice" : "before it has fired"));
    }
    asked = recorded;
    return outcome;
  }

  MockDevice device() {
    return device;
  }

  /** Notes that the stream has passed a recording, with the failure of its work or null. */
  synchronized void fire(long recording, @Nullable HalException failure) {
    outcome = failure;
    fire(recording);
  }
}
