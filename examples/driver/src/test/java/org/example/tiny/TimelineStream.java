// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.util.ArrayList;
import java.util.List;
import org.example.tiny.TimelineQueue.Point;
import org.example.tiny.TimelineQueue.Timeline;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/** A stream over a runtime that takes a whole batch in one call. */
class TimelineStream implements NativeStream<TimelineStream.Event> {
  /** An event: the value of its stream's timeline that was recorded last. */
  static final class Event {
    private final Timeline timeline;
    private volatile long value;

    private Event(Timeline timeline) {
      this.timeline = timeline;
    }
  }

  private final TinyDevice device;
  private final TimelineQueue queue;
  private final Timeline timeline = new Timeline();
  private long last; // value of the timeline that was submitted; used by submit only

  TimelineStream(TinyDevice device, String name) {
    this.device = device;
    this.queue = new TimelineQueue(name);
  }

  @Override
  public Event createEvent() {
    return new Event(timeline);
  }

  @Override
  public void destroyEvent(Event event) {}

  @Override
  public @Nullable Throwable submit(StreamBatch<Event> batch) {
    List<Point> waits = new ArrayList<>();
    for (int i = 0; i < batch.waitCount(); i++) {
      Event wait = batch.waitEvent(i);
      waits.add(new Point(wait.timeline, wait.value)); // the latest recording at this moment
    }
    List<Runnable> work = new ArrayList<>();
    CommandList commands = batch.commands();
    for (int i = 0; commands != null && i < commands.size(); i++) {
      work.add(task(commands.get(i), batch.submission())); // operands are resolved now or never
    }
    StreamBatch.Allocation allocation = batch.allocation();
    DeviceMemory memory =
        allocation == null ? null : device.allocate(allocation.bytes(), allocation.params());
    Event event = batch.event();
    queue.submit(waits, work, event == null ? null : new Point(timeline, last + 1));
    // What is thrown up to here means that nothing has reached the queue.
    if (event != null) {
      event.value = ++last;
    }
    if (allocation != null && memory != null) {
      allocation.allocated(memory);
    }
    StreamBatch.Deallocation deallocation = batch.deallocation();
    if (deallocation != null) {
      deallocation.memory().free(); // as in TinyStream
      deallocation.taken();
    }
    return null;
  }

  private static Runnable task(Command command, Submission submission) {
    TinyTask task = TinyTask.of(command, submission);
    return () -> {
      try {
        task.run();
      } catch (Throwable t) {
        submission.fail(new HalException(Status.ABORTED, "a kernel threw " + t, t));
      }
    };
  }

  @Override
  public boolean queryEvent(Event event) {
    return timeline.value() >= event.value;
  }

  @Override
  public void synchronizeEvent(Event event) {
    timeline.await(event.value);
  }

  @Override
  public boolean isIdle() {
    return queue.isIdle();
  }

  @Override
  public void close() {
    queue.close();
  }
}
