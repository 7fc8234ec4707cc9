// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.gpu.natives.Undo;
import org.jspecify.annotations.Nullable;

/**
 * Operations in order, each of which ends with the next value of a timeline of the stream's own.
 * One or several operations become a submission: their waits, which come before all of them, a
 * command buffer, and a signal.
 *
 * <p>Used by one thread at a time, except {@link #timeline}, {@link #isIdle} and what those return.
 */
final class CommandStream {
  /** How many submissions are unfinished when the next one need not hurry: one runs, one waits. */
  private static final int ENOUGH = 2;

  /** How many operations one submission has at most. */
  private static final int MOST_OPERATIONS = 64;

  /** How many it has at most while nothing else runs. */
  private static final int MOST_WHILE_IDLE = 8;

  private final LogicalDevice device;
  private final NativeQueue queue;
  private final Timeline timeline;
  private final Recordings recordings;
  private final List<Work.Point> waits = new ArrayList<>(); // for the next submission
  private @Nullable Recording current; // the command buffer of the next submission
  private int ended; // how many operations with commands it has
  private StreamTimes.@Nullable Pair times; // of the operation that is being recorded, if measured
  private boolean isInside; // it has commands of an operation that has not ended
  private @Nullable HalException failure; // of a submission since the last flush()
  private boolean hasFailed; // the last flush()
  private volatile long handed; // the value of the last submission

  /**
   * A stream of its own.
   *
   * @param leastForKernel as in {@link Recording}
   */
  CommandStream(LogicalDevice device, long leastForKernel) {
    this.device = device;
    this.timeline = device.takeTimeline();
    this.handed = timeline.last();
    this.queue = device.assignQueue();
    this.recordings =
        Undo.onFailure(
            () -> new Recordings(device, timeline, leastForKernel),
            () -> device.giveBack(timeline, queue));
  }

  Timeline timeline() {
    return timeline;
  }

  NativeQueue queue() {
    return queue;
  }

  /** The value behind the last operation. */
  long lastValue() {
    return timeline.last();
  }

  /** The value that comes behind the operation that is being recorded. */
  long nextValue() {
    return timeline.last() + 1;
  }

  /** Whether commands were recorded since the end of the last operation. */
  boolean hasRecorded() {
    return isInside;
  }

  /** Whether there are waits that no submission has. */
  boolean hasWaits() {
    return !waits.isEmpty();
  }

  /** The command buffer of the next submission. */
  Recording recording() {
    Recording open = current;
    if (open == null) {
      open = recordings.begin();
      current = open;
      if (timeline.last() > handed) { // behind operations that only wait
        open.endOperation(timeline.counter(), timeline.last());
      }
    }
    isInside = true;
    return open;
  }

  /**
   * Holds back the next operation, and so all later ones, until something has happened. Earlier
   * ones are submitted before.
   */
  void waitFor(Work.Point point) {
    if (current != null || timeline.last() > handed) {
      submitEarly();
    }
    waits.add(point);
  }

  /** A command buffer that {@link Recording#beginKept} begins. */
  Recording makeKept() {
    return recordings.makeKept();
  }

  /** Begins to measure the operation that is recorded from here on. */
  void measure(StreamTimes.Pair pair) {
    recording().beginTimes(pair);
    times = pair;
  }

  /** Ends an operation, and returns its value. Submits it if enough have gathered. */
  long endOperation() {
    long value = timeline.next();
    Recording open = current;
    if (open != null && isInside) {
      if (times != null) {
        open.endOperation(timeline.counter(), value, times);
      } else {
        open.endOperation(timeline.counter(), value);
      }
      times = null;
      ended++;
      isInside = false;
      boolean isIdle = ended >= MOST_WHILE_IDLE && timeline.unfinished() == 0;
      if (isIdle || ended >= MOST_OPERATIONS) {
        submitEarly();
      }
    }
    return value;
  }

  /** Submits what was recorded; {@link #flush} throws the failure. */
  private void submitEarly() {
    try {
      submit();
    } catch (HalException e) {
      failure = e;
    }
  }

  /**
   * Whether work that is submitted now has to wait for earlier work, so that it may as well be
   * submitted together with more.
   */
  boolean isBusy() {
    return waits.isEmpty() && timeline.unfinished() >= ENOUGH;
  }

  /**
   * Submits everything that was not submitted yet.
   *
   * @throws HalException if this submission has failed, or an earlier one since the last call: what
   *     was recorded is forgotten, and the next submission reaches the values of all operations
   */
  void flush() {
    boolean isSecond = hasFailed;
    hasFailed = true;
    try {
      submit();
      hasFailed = false;
    } catch (HalException e) {
      if (isSecond) {
        device.lose(e); // or the values were never reached
      }
      throw e;
    } finally {
      failure = null;
    }
  }

  /**
   * Likewise, at any time. If an operation is half recorded, its first half is submitted as if that
   * were one of its own.
   */
  private void submit() {
    if (failure != null) {
      forget();
      throw failure;
    }
    Recording open = current;
    if (open != null && isInside) {
      open.endOperation(timeline.counter(), timeline.next());
      isInside = false;
    }
    long value = timeline.last();
    if (value == handed) {
      return;
    }
    boolean isDone = false;
    try {
      if (open != null) {
        open.end();
      }
      timeline.willSubmit(value);
      device.submit(
          new Work(
              queue,
              waits.isEmpty() ? List.of() : List.copyOf(waits),
              open == null ? 0 : open.handle(),
              new Work.Point(timeline, value, queue)));
      isDone = true;
    } catch (HalException e) {
      failure = e;
      throw e;
    } finally {
      if (!isDone) {
        timeline.takeBack(value);
        forget();
      }
    }
    handed = value;
    waits.clear();
    if (open != null) {
      recordings.submitted(open, value);
      current = null;
      ended = 0;
    }
  }

  /**
   * Forgets the commands of an operation that has not ended, if the command buffer has no others.
   *
   * @return whether none are left
   */
  boolean discard() {
    if (isInside && ended == 0) {
      forget();
    }
    return !isInside;
  }

  private void forget() {
    Recording open = current;
    isInside = false;
    times = null;
    ended = 0;
    if (open != null) {
      current = null;
      recordings.discard(open);
    }
  }

  /** Whether all that was submitted is over. */
  boolean isIdle() {
    return timeline.isOver(handed);
  }

  /** Submits everything, and waits for it. */
  void finish() {
    submit();
    timeline.awaitOver(handed);
  }

  /** Ends it, when it is idle or the device lost. */
  void close() {
    try {
      timeline.awaitOver(handed); // the end of a submission comes a little after that of its work
    } catch (HalException e) {
      // the device is lost, and runs nothing
    }
    recordings.close();
    device.giveBack(timeline, queue);
  }
}
