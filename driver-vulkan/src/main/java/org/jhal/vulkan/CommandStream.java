// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Submissions in order: each signals the next value of a timeline of the stream's own.
 *
 * <p>Used by one thread at a time, except {@link #timeline}, {@link #isIdle} and what those return.
 */
final class CommandStream {
  private final LogicalDevice device;
  private final NativeQueue queue;
  private final Timeline timeline;
  private final Recordings recordings;
  private final List<Work.Point> waits = new ArrayList<>(); // for the next submission
  private @Nullable Recording current; // what was recorded since the last submission
  private volatile long submitted; // the value of the last submission

  CommandStream(LogicalDevice device) {
    this.device = device;
    this.queue = device.assignQueue();
    this.timeline = device.takeTimeline();
    this.submitted = timeline.last();
    this.recordings = new Recordings(device, timeline);
  }

  Timeline timeline() {
    return timeline;
  }

  NativeQueue queue() {
    return queue;
  }

  /** The value that the last submission signals. */
  long lastValue() {
    return submitted;
  }

  /** The value that the next submission signals. */
  long nextValue() {
    return submitted + 1;
  }

  /** Whether anything was recorded since the last submission. */
  boolean hasRecorded() {
    return current != null;
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
    }
    return open;
  }

  /** Holds back the next submission, and so all later ones, until something has happened. */
  void waitFor(Work.Point point) {
    waits.add(point);
  }

  /**
   * Submits what was recorded, if anything, and a signal; returns its value.
   *
   * @throws org.jhal.HalException if nothing was submitted; what was recorded is forgotten, the
   *     waits are not
   */
  long submit() {
    Recording open = current;
    long value = timeline.next();
    boolean isDone = false;
    try {
      if (open != null) {
        open.end();
      }
      device.submit(
          new Work(
              queue,
              waits.isEmpty() ? List.of() : List.copyOf(waits),
              open == null ? 0 : open.handle(),
              new Work.Point(timeline, value, queue)));
      isDone = true;
    } finally {
      if (!isDone) {
        timeline.takeBack();
        discard();
      }
    }
    submitted = value;
    waits.clear();
    if (open != null) {
      recordings.submitted(open, value);
      current = null;
    }
    return value;
  }

  /** Forgets what was recorded since the last submission. */
  void discard() {
    Recording open = current;
    if (open != null) {
      current = null;
      recordings.discard(open);
    }
  }

  boolean isIdle() {
    return timeline.isPast(submitted);
  }

  /** Waits for all that was submitted. */
  void await() {
    timeline.await(submitted);
  }

  /** Ends it, when it is idle or the device lost. */
  void close() {
    recordings.close();
    device.giveBack(timeline);
  }
}
