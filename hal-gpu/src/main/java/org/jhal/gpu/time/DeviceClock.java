// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.driver.support.BackOff;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Maps the device's clock, which stamps native events, to {@link System#nanoTime}.
 *
 * <p>Only the time between two events can be read from the clock. So there is a reference: an event
 * that was recorded in an idle stream, between two readings of the host's clock. Half the time
 * between these is its error bound.
 *
 * <p>The error grows with time: the clocks run at different rates, and times are floats. So the
 * reference is renewed, at first soon and later every two seconds, which also measures the rate.
 * Until then the rates are taken to differ by at most {@value ClockFit#UNKNOWN_RATE}. A busy device
 * may answer late or not at all: a reference worse than the one before is not used, and the next
 * try follows after a pause. Times then have a greater error.
 *
 * <p>Thread-safe. The device must be bound to the thread. One thread at a time renews the
 * reference; meanwhile the others use the one before, with its error.
 */
public final class DeviceClock {
  private static final System.Logger LOG = System.getLogger(DeviceClock.class.getName());

  /** The number of events between readings of the host's clock; the closest pair counts. */
  private static final int TRIES = 8;

  /** The timeout for events in an idle stream, since the device may be busy. */
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(2);

  /** The timeout for the first reference, without which nothing can be mapped. */
  private static final long FIRST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(200);

  /** How long to spin for such an event before yielding; most need less. */
  private static final long SPIN = TimeUnit.MICROSECONDS.toNanos(50);

  /** The pause after a failed renewal: the first, and the longest. */
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(5);

  /** A point at which both clocks are known. */
  private static final class Reference {
    final long event;
    final ClockFit fit;
    int users; // guarded by the clock; the annotation cannot name it here

    Reference(long event, ClockFit fit) {
      this.event = event;
      this.fit = fit;
    }
  }

  /**
   * When work ran, in the host's time.
   *
   * @param error the error bound of both, in nanoseconds
   */
  record Interval(long begin, long end, long error) {}

  private final GpuRuntime runtime;
  private final AtomicBoolean isBeingRenewed = new AtomicBoolean();
  private final AtomicBoolean hasComplained = new AtomicBoolean();
  private long stream; // 0 until it is made; used by the renewing thread
  private long pause; // after the last try; 0 if that succeeded; used by the renewing thread
  private volatile long nextTry = Long.MIN_VALUE; // as nanoTime, after a failure

  @GuardedBy("this")
  private @Nullable Reference current;

  @GuardedBy("this")
  private boolean isClosed;

  public DeviceClock(GpuRuntime runtime) {
    this.runtime = runtime;
  }

  /** When the work between two fired timing events ran; null if the clock cannot be read now. */
  @Nullable Interval map(long begin, long end) {
    Reference reference = acquire();
    if (isDue(reference)) {
      if (isBeingRenewed.compareAndSet(false, true)) {
        try {
          renewOrPause(reference);
        } finally {
          isBeingRenewed.set(false);
          release(reference);
        }
        reference = acquire();
      } else if (reference == null) { // another thread makes the first one
        BackOff.await(this, BackOff.never(), () -> !isBeingRenewed.get());
        reference = acquire();
      }
    }
    if (reference == null) {
      return null;
    }
    try {
      float since = runtime.elapsedMillis(reference.event, begin);
      float took = runtime.elapsedMillis(begin, end);
      ClockFit fit = reference.fit;
      double error = Math.max(fit.errorAt(since), fit.errorAt(since + took));
      return new Interval(
          Math.round(fit.at(since)),
          Math.round(fit.at(since) + fit.lasting(took)), // not a sum of floats: took is more exact
          (long) Math.ceil(error + ClockFit.rounding(took)));
    } finally {
      release(reference);
    }
  }

  /** Whether the reference is due for renewal. */
  private boolean isDue(@Nullable Reference reference) {
    long now = System.nanoTime();
    boolean isPaused = nextTry != Long.MIN_VALUE && now - nextTry < 0;
    return !isPaused
        && (reference == null || now - reference.fit.host() > reference.fit.interval());
  }

  /** Logs, once for this device, that times are missing. */
  void complain(String why, @Nullable Throwable cause) {
    if (!hasComplained.getAndSet(true)) {
      LOG.log(Level.WARNING, "times on a device are missing: " + why, cause);
    }
  }

  private synchronized @Nullable Reference acquire() {
    Reference found = isClosed ? null : current;
    if (found != null) {
      found.users++;
    }
    return found;
  }

  private void release(@Nullable Reference reference) {
    if (reference != null) {
      boolean isOver;
      synchronized (this) {
        isOver = --reference.users == 0 && reference != current;
      }
      if (isOver) {
        runtime.destroyEvent(reference.event);
      }
    }
  }

  private void renewOrPause(@Nullable Reference old) {
    boolean isRenewed = false;
    try {
      isRenewed = renew(old);
    } finally {
      if (isRenewed) {
        pause = 0;
        nextTry = Long.MIN_VALUE;
      } else {
        pause = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, 2 * pause));
        nextTry = System.nanoTime() + pause;
      }
    }
  }

  /** Makes a new reference unless the device is too busy. The caller holds {@code old}. */
  private boolean renew(@Nullable Reference old) {
    long idle = stream;
    if (idle == 0) {
      idle = runtime.openStream();
      stream = idle;
    }
    long best = runtime.createTimingEvent();
    long spare = 0;
    double host = 0;
    double error = Double.MAX_VALUE;
    try {
      spare = runtime.createTimingEvent();
      long deadline = System.nanoTime() + (old == null ? FIRST_PATIENCE : PATIENCE);
      for (int i = 0; i < TRIES; i++) {
        long before = System.nanoTime();
        runtime.recordEvent(spare, idle);
        if (!awaitFired(spare, before, deadline)) {
          break; // the pairs so far must suffice
        }
        long after = System.nanoTime();
        if ((after - before) / 2.0 < error) {
          host = before + (after - before) / 2.0;
          error = (after - before) / 2.0;
          long better = spare;
          spare = best;
          best = better;
        }
      }
      if (error == Double.MAX_VALUE) {
        return false;
      }
      ClockFit fit = ClockFit.first(host, error);
      if (old != null) {
        fit = old.fit.follow(host, error, runtime.elapsedMillis(old.event, best));
        if (fit == null) {
          complain("its clock and that of the host do not run together", null);
        }
      }
      if (old != null && fit == old.fit) {
        return false;
      }
      boolean isUsed = publish(fit == null ? null : new Reference(best, fit));
      if (isUsed) {
        best = 0;
      }
      return isUsed;
    } finally {
      if (best != 0) {
        runtime.destroyEvent(best);
      }
      if (spare != 0) {
        runtime.destroyEvent(spare);
      }
    }
  }

  /** Waits for an event that was recorded at {@code start}. Returns false if it takes too long. */
  private boolean awaitFired(long event, long start, long deadline) {
    while (!runtime.queryEvent(event)) {
      long now = System.nanoTime();
      if (now - deadline > 0) {
        return false;
      }
      if (now - start < SPIN) {
        Thread.onSpinWait();
      } else {
        Thread.yield(); // to the runtime's threads that the event needs
      }
    }
    return true;
  }

  /** Replaces the reference, or removes it with null. Returns whether {@code made} is used. */
  private boolean publish(@Nullable Reference made) {
    Reference unused;
    synchronized (this) {
      if (isClosed) {
        return false;
      }
      unused = replace(made);
    }
    destroy(unused);
    return made != null;
  }

  /** Returns the reference before if nothing uses it; else its last user destroys it. */
  @GuardedBy("this")
  private @Nullable Reference replace(@Nullable Reference made) {
    Reference old = current;
    current = made;
    return old != null && old.users == 0 ? old : null;
  }

  private void destroy(@Nullable Reference unused) {
    if (unused != null) {
      runtime.destroyEvent(unused.event);
    }
  }

  /** Ends all mapping. */
  public void close() {
    Reference unused;
    synchronized (this) {
      isClosed = true;
      unused = replace(null);
    }
    destroy(unused);
    long made = stream;
    if (made != 0) {
      stream = 0;
      runtime.closeStream(made);
    }
  }
}
