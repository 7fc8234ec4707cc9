// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Where the workgroups of a cooperative dispatch wait for each other, each on a thread of its own.
 *
 * <p>Thread-safe.
 */
final class GridBarrier {
  private final long count; // of workgroups

  @GuardedBy("this")
  private long arrived; // of the present round; less than the count

  @GuardedBy("this")
  private long ended; // workgroups, in whatever way

  @GuardedBy("this")
  private long round;

  @GuardedBy("this")
  private @Nullable Throwable failure; // the first; with it, nobody waits

  GridBarrier(long count) {
    this.count = count;
  }

  /**
   * Waits for all workgroups, even if the thread is interrupted.
   *
   * @throws HalException ABORTED if one of them has ended or failed
   */
  synchronized void sync(Object group) {
    checkAll(group);
    if (++arrived == count) {
      arrived = 0;
      round++;
      notifyAll();
      return;
    }
    long own = round;
    Monitors.await(this, () -> isOver(own));
    if (round == own) {
      checkAll(group);
    }
  }

  private synchronized boolean isOver(long which) {
    return round != which || failure != null || ended > 0;
  }

  @GuardedBy("this")
  private void checkAll(Object group) {
    if (failure != null) {
      throw new HalException(Status.ABORTED, group + " waits for others, one of which failed");
    }
    if (ended > 0) {
      throw new HalException(
          Status.ABORTED,
          group + " waits for all " + count + " workgroups of the grid, some of which have ended");
    }
  }

  /** A workgroup has ended. */
  synchronized void end() {
    ended++;
    notifyAll();
  }

  /** Something has failed, so that no workgroup can go on. */
  synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    notifyAll();
  }

  /** Whether something has failed. */
  synchronized boolean hasFailed() {
    return failure != null;
  }

  /**
   * Waits until as many workgroups have ended, even if the thread is interrupted. Returns the first
   * failure, or null.
   */
  synchronized @Nullable Throwable awaitEnd(long begun) {
    Monitors.await(this, () -> haveEnded(begun));
    return failure;
  }

  private synchronized boolean haveEnded(long count) {
    return ended >= count;
  }
}
