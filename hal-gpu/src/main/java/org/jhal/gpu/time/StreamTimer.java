package org.jhal.gpu.time;

import java.util.concurrent.ConcurrentLinkedDeque;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Submission;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Measures when submissions run in a stream: between two timing events, which are in use until they
 * were read.
 *
 * <p>The issuing thread begins and ends a measurement; the completion thread reads it.
 *
 * @param <S> the native stream
 * @param <E> the native event
 */
public final class StreamTimer<S, E> {
  /** How many native calls a measurement puts into the stream. */
  public static final int WEIGHT = 2;

  /** Two events around the commands of a submission. */
  public static final class Pair<E> {
    private final E begin;
    private final E end;

    private Pair(E begin, E end) {
      this.begin = begin;
      this.end = end;
    }
  }

  private final GpuRuntime<S, E, ?> runtime;
  private final DeviceClock<S, E> clock;
  private final S stream;
  private final ConcurrentLinkedDeque<Pair<E>> free = new ConcurrentLinkedDeque<>();
  private volatile boolean isClosed;

  public StreamTimer(GpuRuntime<S, E, ?> runtime, DeviceClock<S, E> clock, S stream) {
    this.runtime = runtime;
    this.clock = clock;
    this.stream = stream;
  }

  /**
   * Begins a measurement in front of what is issued next. Returns null if that is not possible,
   * which is no failure of the submission.
   *
   * @throws HalException UNAVAILABLE if the device is lost
   */
  public @Nullable Pair<E> begin() {
    try {
      Pair<E> pair = free.pollFirst();
      if (pair == null) {
        pair = create();
      }
      boolean isRecorded = false;
      try {
        runtime.recordEvent(pair.begin, stream);
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

  private Pair<E> create() {
    E begin = runtime.createTimingEvent();
    try {
      return new Pair<>(begin, runtime.createTimingEvent());
    } catch (Throwable t) {
      runtime.destroyEvent(begin);
      throw t;
    }
  }

  private <T> @Nullable T ignore(HalException e) {
    if (e.status() == Status.UNAVAILABLE) {
      throw e;
    }
    clock.complain(String.valueOf(e.getMessage()), e);
    return null;
  }

  /** Ends a measurement behind what was issued; it is read when the submission is over. */
  public void end(Pair<E> pair, Submission submission) {
    boolean isRead = false;
    try {
      runtime.recordEvent(pair.end, stream);
      submission.whenFired(() -> read(pair, submission));
      isRead = true;
    } catch (HalException e) {
      Pair<E> unused = ignore(e);
    } finally {
      if (!isRead) {
        giveBack(pair);
      }
    }
  }

  private void read(Pair<E> pair, Submission submission) {
    try {
      DeviceClock.Interval ran =
          isClosed || runtime.isLost() ? null : clock.map(pair.begin, pair.end);
      if (ran != null) {
        submission.ranOnDevice(ran.begin(), ran.end(), ran.error());
      }
    } catch (HalException e) {
      Pair<E> unused = ignore(e);
    } finally {
      giveBack(pair);
    }
  }

  /** Ends the use of a pair that need not have been read. */
  public void giveBack(Pair<E> pair) {
    free.addFirst(pair);
    if (isClosed) {
      destroyAll(); // close() may have looked before
    }
  }

  /** The stream is idle and about to be destroyed. */
  public void close() {
    isClosed = true;
    destroyAll();
  }

  private void destroyAll() {
    for (Pair<E> pair = free.pollFirst(); pair != null; pair = free.pollFirst()) {
      runtime.destroyEvent(pair.begin);
      runtime.destroyEvent(pair.end);
    }
  }
}
