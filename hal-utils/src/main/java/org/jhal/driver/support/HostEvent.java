// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.HalException;

/**
 * An event of a stream that is a thread of this process. It counts its recordings, as {@link
 * org.jhal.driver.NativeStream} requires: a wait is for the recording that was then the latest, so
 * the event can be recorded again.
 *
 * <p>Thread-safe.
 */
public class HostEvent {
  private final Liveness owner;
  private volatile long fired; // the latest recording that has fired; written with the monitor held

  @GuardedBy("this")
  private long recorded;

  @GuardedBy("this")
  private int waiting; // threads in await()

  /**
   * An event that is not recorded yet.
   *
   * @param owner of the device whose streams record it
   */
  public HostEvent(Liveness owner) {
    this.owner = owner;
  }

  /** Makes a new recording; returns its number. */
  public synchronized long record() {
    return ++recorded;
  }

  /** The number of the latest recording; 0 if there is none. */
  public final synchronized long latest() {
    return recorded;
  }

  /** Whether the stream has passed a recording. */
  public final boolean hasFired(long recording) {
    return fired >= recording;
  }

  /**
   * Whether a wait for the recording is over: it has fired, or it is another device's that runs
   * nothing any more.
   *
   * @param waiter of the device that waits
   */
  public final boolean isPast(long recording, Liveness waiter) {
    return hasFired(recording) || (owner != waiter && owner.isGone());
  }

  /** The stream has passed a recording. */
  public final synchronized void fire(long recording) {
    fired = Math.max(fired, recording);
    if (waiting > 0) {
      notifyAll();
    }
  }

  /**
   * Blocks until a recording {@link #isPast}. Not interruptible, as native waits.
   *
   * @throws HalException if the device of {@code waiter} is lost first
   */
  public final synchronized void await(long recording, Liveness waiter) {
    if (isPast(recording, waiter)) {
      return;
    }
    boolean interrupted = false;
    waiting++;
    try {
      owner.beginWait(this); // before the look at it: its end comes before its look for waits
      waiter.beginWait(this);
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
      owner.endWait();
      waiter.endWait();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
