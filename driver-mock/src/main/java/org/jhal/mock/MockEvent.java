package org.jhal.mock;

import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * An event that counts its recordings. A wait is for the recording that was the latest when the
 * wait was made, so the event can be recorded again meanwhile.
 *
 * <p>Once its device is lost, it counts as fired for other devices: nothing runs there any more.
 *
 * <p>Thread-safe.
 */
final class MockEvent {
  private final MockDevice device;
  private long recorded; // guarded by this
  private volatile long fired; // the latest one that has fired; written with the monitor held
  private int waiting; // threads in await(); guarded by this
  private long asked; // the latest recording whose outcome was asked for; guarded by this
  private @Nullable HalException outcome; // of the latest one that has fired; guarded by this

  MockEvent(MockDevice device) {
    this.device = device;
  }

  /**
   * Makes a new recording; returns its number.
   *
   * @throws IllegalStateException if the one before should have been asked for its outcome
   */
  synchronized long record() {
    if (device.outcomesCanFail() && asked < recorded) {
      throw new IllegalStateException("an event is recorded anew that nobody has asked about");
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

  /** The number of the latest recording. */
  synchronized long latest() {
    return recorded;
  }

  MockDevice device() {
    return device;
  }

  /** Whether work on {@code waiter} need not wait for the recording any more. */
  boolean isPast(long recording, MockDevice waiter) {
    return hasFired(recording) || (device != waiter && device.isLost());
  }

  boolean hasFired(long recording) {
    return fired >= recording;
  }

  /** The stream has passed a recording, behind work that failed unless {@code failure} is null. */
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
   * Not interruptible, like native waits.
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

  /** Makes waiting threads check the devices again. */
  synchronized void wake() {
    notifyAll();
  }
}
