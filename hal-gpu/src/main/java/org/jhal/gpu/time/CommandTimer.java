// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.time;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Submission;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Measures when the commands of submissions run in a stream, between timing events that are read
 * later. A failure costs the times, never the submission.
 *
 * <p>The issuing thread begins, marks and ends; the completion thread reads.
 */
public final class CommandTimer {
  /** How many native calls each command puts into the stream; one more comes first. */
  public static final int WEIGHT = 1;

  private final GpuRuntime runtime;
  private final DeviceClock clock;
  private final LongSupplier stream; // the native one, which may change
  private final TimingPool<Long> pool;
  private final List<Long> events = new ArrayList<>(); // of the submission that is being issued
  private final List<Integer> commands = new ArrayList<>(); // behind the first of these, each
  private boolean isOn; // it is being measured

  public CommandTimer(GpuRuntime runtime, DeviceClock clock, LongSupplier stream) {
    this.runtime = runtime;
    this.clock = clock;
    this.stream = stream;
    this.pool = new TimingPool<>(runtime::createTimingEvent, runtime::destroyEvent);
  }

  /**
   * Begins to measure a submission, if that is wanted.
   *
   * @throws HalException UNAVAILABLE if the device is lost
   */
  public void begin(Submission submission) {
    isOn = submission.timesCommands();
    if (isOn) {
      record();
    }
  }

  /** A command was put into the stream; otherwise as {@link #begin}. */
  public void mark(int index) {
    if (isOn) {
      commands.add(index);
      record();
    }
  }

  private void record() {
    try {
      Long event = pool.take();
      events.add(event);
      runtime.recordEvent(event, stream.getAsLong());
    } catch (HalException e) {
      isOn = false;
      ignore(e);
    }
  }

  private void ignore(HalException e) {
    if (e.status() == Status.UNAVAILABLE) {
      throw e;
    }
    clock.complain(String.valueOf(e.getMessage()), e);
  }

  /** Ends the measurement, of whatever was issued; it is read when the submission is over. */
  public void end(@Nullable Submission submission) {
    long[] recorded = events.stream().mapToLong(Long::longValue).toArray();
    int[] indexes = commands.stream().mapToInt(Integer::intValue).toArray();
    boolean isWhole = isOn && recorded.length == indexes.length + 1;
    events.clear();
    commands.clear();
    isOn = false;
    boolean isRead = false;
    try {
      if (isWhole && submission != null && indexes.length > 0) {
        submission.whenFired(() -> read(recorded, indexes, submission));
        isRead = true;
      }
    } finally {
      if (!isRead) {
        giveBack(recorded);
      }
    }
  }

  private void read(long[] recorded, int[] indexes, Submission submission) {
    try {
      for (int i = 0; i < indexes.length && !pool.isClosed() && !runtime.isLost(); i++) {
        DeviceClock.Interval ran = clock.map(recorded[i], recorded[i + 1]);
        if (ran != null) {
          submission.commandRan(indexes[i], ran.begin(), ran.end(), ran.error());
        }
      }
    } catch (HalException e) {
      ignore(e);
    } finally {
      giveBack(recorded);
    }
  }

  private void giveBack(long[] recorded) {
    for (long event : recorded) {
      pool.giveBack(event);
    }
  }

  /** Called when the stream is idle, before it is destroyed. */
  public void close() {
    pool.close();
  }
}
