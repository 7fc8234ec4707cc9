// SPDX-License-Identifier: Apache-2.0
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
 * that a test can observe dependent work waiting. With {@link Controls}, the queue's stream is
 * held; otherwise, a kernel spins. It is released at the end of the test at the latest.
 */
public final class Blocker implements AutoCloseable {
  /**
   * The number of iterations after which a spin ends even if it is never released. A fast CPU that
   * stands in for a GPU needs half a minute for them, which is longer than any test holds a queue.
   */
  private static final long ENOUGH = 100_000_000_000L;

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
    cts.loadKernels(); // a later load may wait for the blocked stream
    if (controls != null) {
      long issued = device.statistics().issued();
      controls.pause(queue);
      queue.barrier(Fence.NONE, timeline.at(1));
      flags = null;
      // The count alone is not enough, because operations issued earlier may end meanwhile. If this
      // one has ended, the stream was not held; the check below detects that.
      isUnderWay =
          () ->
              device.statistics().issued() > issued
                  || timeline.explain(1).contains("ISSUED")
                  || isOver();
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
    return Waits.isOver(timeline, 1);
  }

  /** The timepoint that is reached when the work has been released and is done. */
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

  /** Releases the work if it is not released yet. */
  @Override
  public void close() {
    try {
      release();
    } catch (HalException e) {
      if (e.status() != Status.UNAVAILABLE) {
        throw e;
      }
      // a lost device runs no work that could be released
    }
  }
}
