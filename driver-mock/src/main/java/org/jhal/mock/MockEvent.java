package org.jhal.mock;

/**
 * An event that counts its recordings. A wait is for the recording that was the latest when the
 * wait was made, so the event can be recorded again meanwhile.
 *
 * <p>Thread-safe.
 */
final class MockEvent {
  private final MockDevice device;
  private long recorded; // guarded by this
  private volatile long
      fired; // the latest recording that the stream has passed; written with the monitor held
  private int waiting; // threads in await(); guarded by this

  MockEvent(MockDevice device) {
    this.device = device;
  }

  /** Makes a new recording; returns its number. */
  synchronized long record() {
    return ++recorded;
  }

  /** The number of the latest recording. */
  synchronized long latest() {
    return recorded;
  }

  boolean hasFired(long recording) {
    return fired >= recording;
  }

  void fire(long recording) {
    synchronized (this) {
      fired = Math.max(fired, recording);
      if (waiting > 0) {
        notifyAll();
      }
    }
  }

  /**
   * Blocks until a recording has fired; throws UNAVAILABLE if the device is lost first. Not
   * interruptible, like native waits.
   */
  synchronized void await(long recording) {
    boolean interrupted = false;
    waiting++;
    try {
      while (!hasFired(recording)) {
        device.checkAlive();
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

  /** Makes waiting threads check the device again. */
  synchronized void wake() {
    notifyAll();
  }
}
