package org.jhal.mock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * An event that counts its recordings. A wait is for the recording that was then the latest, so the
 * event can be recorded again.
 *
 * <p>On a lost device, which runs nothing, it counts as fired for other devices.
 *
 * <p>Thread-safe.
 */
final class MockEvent {
  private final MockDevice device;
  private volatile long fired; // the latest one that has fired; written with the monitor held

  @GuardedBy("this")
  private long recorded;

  @GuardedBy("this")
  private int waiting; // threads in await()

  @GuardedBy("this")
  private long asked; // the latest recording with a queried outcome

  @GuardedBy("this")
  private @Nullable HalException outcome; // of the latest one that has fired

  MockEvent(MockDevice device) {
    this.device = device;
  }

  /**
   * Makes a new recording; returns its number.
   *
   * @throws IllegalStateException if the outcome of the one before was not queried
   */
  synchronized long record() {
    if (device.outcomesCanFail() && asked < recorded) {
      throw new IllegalStateException("the event is recorded again before its outcome was queried");
    }
    return ++recorded;
  }

  /**
   * How the work behind the latest recording has ended.
   *
   * @throws IllegalStateException if it has not fired, or was asked about before
   */
  synchronized @Nullable HalException takeOutcome() {
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

  synchronized long latest() {
    return recorded;
  }

  MockDevice device() {
    return device;
  }

  /** Whether a wait of {@code waiter} for the recording is over. */
  boolean isPast(long recording, MockDevice waiter) {
    return hasFired(recording) || (device != waiter && device.isLost());
  }

  boolean hasFired(long recording) {
    return fired >= recording;
  }

  /** Notes that the stream has passed a recording, with the failure of its work or null. */
  void fire(long recording, @Nullable HalException failure) {
    synchronized (this) {
      outcome = failure;
      fired = Math.max(fired, recording);
      if (waiting > 0) {
        notifyAll();
      }
    }
  }

  /**
   * Blocks until a recording {@link #isPast}; throws UNAVAILABLE if {@code waiter} is lost first.
   * Not interruptible, as native waits.
   */
  synchronized void await(long recording, MockDevice waiter) {
    boolean interrupted = false;
    waiting++;
    try {
      while (!isPast(recording, waiter)) {
        waiter.checkAlive();
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      waiting--;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  synchronized void wake() {
    notifyAll();
  }
}
