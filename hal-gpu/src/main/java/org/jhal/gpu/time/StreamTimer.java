// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import java.util.function.LongSupplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Submission;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Measures when submissions run in a stream, between two timing events that are read later.
 *
 * <p>The issuing thread begins and ends a measurement; the completion thread reads it.
 */
public final class StreamTimer {
  /** How many native calls a measurement puts into the stream. */
  public static final int WEIGHT = 2;

  /** Two events around the commands of a submission. */
  public record Pair(long begin, long end) {}

  private final GpuRuntime runtime;
  private final DeviceClock clock;
  private final LongSupplier stream; // the native one, which may change
  private final TimingPool<Pair> pool;

  public StreamTimer(GpuRuntime runtime, DeviceClock clock, LongSupplier stream) {
    this.runtime = runtime;
    this.clock = clock;
    this.stream = stream;
    this.pool = new TimingPool<>(this::create, this::destroy);
  }

  /**
   * Begins a measurement before the next work. Returns null if that fails, with no other effect.
   *
   * @throws HalException UNAVAILABLE if the device is lost
   */
  public @Nullable Pair begin() {
    try {
      Pair pair = pool.take();
      boolean isRecorded = false;
      try {
        runtime.recordEvent(pair.begin, stream.getAsLong());
        isRecorded = true;
        return pair;
      } finally {
        if (!isRecorded) {
          giveBack(pair);
        }
      }
    } catch (HalException e) {
      return ignore(e);
    }
  }

  private Pair create() {
    long begin = runtime.createTimingEvent();
    boolean isDone = false;
    try {
      Pair pair = new Pair(begin, runtime.createTimingEvent());
      isDone = true;
      return pair;
    } finally {
      if (!isDone) {
        runtime.destroyEvent(begin);
      }
    }
  }

  private void destroy(Pair pair) {
    runtime.destroyEvent(pair.begin);
    runtime.destroyEvent(pair.end);
  }

  private <T> @Nullable T ignore(HalException e) {
    if (e.status() == Status.UNAVAILABLE) {
      throw e;
    }
    clock.complain(String.valueOf(e.getMessage()), e);
    return null;
  }

  /** Ends a measurement behind the work; it is read when the submission is over. */
  public void end(Pair pair, Submission submission) {
    boolean isRead = false;
    try {
      runtime.recordEvent(pair.end, stream.getAsLong());
      submission.whenFired(() -> read(pair, submission));
      isRead = true;
    } catch (HalException e) {
      Pair unused = ignore(e);
    } finally {
      if (!isRead) {
        giveBack(pair);
      }
    }
  }

  private void read(Pair pair, Submission submission) {
    try {
      DeviceClock.Interval ran =
          pool.isClosed() || runtime.isLost() ? null : clock.map(pair.begin, pair.end);
      if (ran != null) {
        submission.ranOnDevice(ran.begin(), ran.end(), ran.error());
      }
    } catch (HalException e) {
      Pair unused = ignore(e);
    } finally {
      giveBack(pair);
    }
  }

  /** Releases a pair, read or not. */
  public void giveBack(Pair pair) {
    pool.giveBack(pair);
  }

  /** Called when the stream is idle, before it is destroyed. */
  public void close() {
    pool.close();
  }
}
