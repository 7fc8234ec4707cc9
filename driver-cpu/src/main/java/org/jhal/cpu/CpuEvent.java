package org.jhal.cpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * An event that counts its recordings. A wait is for the recording that was then the latest, so the
 * event can be recorded again.
 *
 * <p>Thread-safe.
 */
final class CpuEvent {
  private volatile long fired; // the latest recording that has fired; written with the monitor held

  @GuardedBy("this")
  private long recorded;

  @GuardedBy("this")
  private int waiting; // threads in await()

  /** Makes a new recording; returns its number. */
  synchronized long record() {
    return ++recorded;
  }

  synchronized long latest() {
    return recorded;
  }

  boolean hasFired(long recording) {
    return fired >= recording;
  }

  /** The stream has passed a recording. */
  synchronized void fire(long recording) {
    fired = Math.max(fired, recording);
    if (waiting > 0) {
      notifyAll();
    }
  }

  /** Blocks until a recording has fired. Not interruptible, as native waits. */
  synchronized void await(long recording) {
    boolean interrupted = false;
    waiting++;
    try {
      while (!hasFired(recording)) {
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
}
