package org.jhal.cts.support;

import java.util.function.BooleanSupplier;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.Controls;
import org.jspecify.annotations.Nullable;

/**
 * An operation that is issued to the device and does not complete until the test releases it, so
 * that what depends on it can be seen waiting. Where there are {@link Controls}, the queue's stream
 * is paused; else a kernel spins. Released when the test is over at the latest.
 */
public final class Blocker implements AutoCloseable {
  private static final long ENOUGH = 4_000_000_000L; // iterations; ends a spin that nobody released

  private final DeviceQueue queue;
  private final TimelineSemaphore timeline;
  private final @Nullable Controls controls;
  private final DeviceBuffer.@Nullable Mapping flags;
  private boolean isReleased; // by the thread of the test

  /** Blocks the stream of {@code queue}, which belongs to a device of {@code cts}. */
  public Blocker(Cts cts, DeviceQueue queue) {
    this.queue = queue;
    Device device = queue.device();
    this.timeline = cts.semaphore(device, 0);
    this.controls = cts.findControls(device);
    BooleanSupplier isUnderWay;
    if (controls != null) {
      long issued = device.statistics().issued();
      var unused = cts.kernel(device, "spin"); // loading later may wait for what is held
      controls.pause(queue);
      queue.barrier(Fence.NONE, timeline.at(1));
      flags = null;
      // One that is over at once has not been held, which is found below.
      isUnderWay = () -> device.statistics().issued() > issued || isOver();
    } else {
      DeviceBuffer buffer = cts.buffer(device, 8, BufferParams.HOST);
      DeviceBuffer.Mapping mapping = cts.closing(buffer.map(DeviceBuffer.MapMode.READ_WRITE));
      mapping.bytes().putInt(0, 0).putInt(4, 0);
      mapping.flush();
      queue.dispatch(
          Fence.NONE,
          timeline.at(1),
          cts.kernel(device, "spin"),
          Workgroups.of(1),
          Args.of(buffer, ENOUGH));
      flags = mapping;
      isUnderWay =
          () -> {
            mapping.invalidate();
            return mapping.bytes().getInt(4) != 0;
          };
    }
    cts.closing(this);
    Waits.awaitTrue("blocking work to be issued", isUnderWay);
    Waits.assertPending(timeline, 1);
  }

  private boolean isOver() {
    return timeline.failure() != null || timeline.value() > 0;
  }

  /** What is reached once the work is released and done. */
  public Timepoint timepoint() {
    return timeline.at(1);
  }

  /** Lets the work end. */
  public void release() {
    if (isReleased) {
      return;
    }
    isReleased = true;
    if (controls != null) {
      controls.resume(queue);
    } else if (flags != null) {
      flags.bytes().putInt(0, 1);
      flags.flush();
    }
  }

  /** Releases it, if that has not been done. */
  @Override
  public void close() {
    try {
      release();
    } catch (HalException e) {
      if (e.status() != Status.UNAVAILABLE) {
        throw e;
      }
      // a lost device runs nothing that could be released
    }
  }
}
