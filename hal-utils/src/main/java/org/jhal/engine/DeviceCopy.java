package org.jhal.engine;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.EngineSemaphore;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two devices, of any drivers, through the host (rule S9): in chunks, read back from
 * one device and uploaded to the other, two chunks at a time. It is a deferred host call that
 * drives operations of both devices; no thread waits. While it is under way both devices go on
 * working, even if they are being closed (rule Q8).
 */
final class DeviceCopy implements HostCall {
  private static final int CHUNK = 4 << 20;
  private static final int LANES = 2;

  private final int index; // of the queues that work on it
  private final EngineDevice<?> other; // not the one whose queue it belongs to
  private final EngineBuffer source;
  private final long sourceOffset;
  private final EngineBuffer target;
  private final long targetOffset;
  private final long length;

  private @Nullable Completion completion; // set before any lane starts
  private long next; // the first byte that no lane has taken; guarded by this
  private int lanes; // that are not through; guarded by this
  private @Nullable HalException failure; // the first one; guarded by this

  DeviceCopy(
      EngineQueue<?> owner,
      EngineBuffer source,
      long sourceOffset,
      EngineBuffer target,
      long targetOffset,
      long length) {
    this.index = owner.index();
    this.other = source.device() == owner.device() ? target.device() : source.device();
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.target = target;
    this.targetOffset = targetOffset;
    this.length = length;
  }

  /** On a thread of the owner, which is not closed before this has ended. */
  @Override
  public void run(Context context) {
    other.beginCopy();
    try {
      Lane[] made = new Lane[(int) Math.min(LANES, (length + CHUNK - 1) / CHUNK)];
      for (int i = 0; i < made.length; i++) {
        made[i] = new Lane(); // before the call is deferred, so that a lack of memory fails it
      }
      completion = context.defer();
      synchronized (this) {
        lanes = made.length;
      }
      for (Lane lane : made) {
        lane.step();
      }
    } catch (Throwable t) {
      other.endCopy();
      throw t;
    }
  }

  /** One staging buffer and the timeline on which it is filled and emptied. */
  private final class Lane {
    private final TimelineSemaphore timeline = new EngineSemaphore(0, () -> {});
    private final ByteBuffer staging = ByteBuffer.allocateDirect((int) Math.min(CHUNK, length));
    private long done; // the timeline's value when everything submitted so far is over

    /**
     * Takes the next chunk, or ends the lane. Called again by the timeline when the chunk has
     * arrived.
     */
    void step() {
      long start;
      synchronized (DeviceCopy.this) {
        start = failure != null ? length : next;
        next = Math.min(length, start + CHUNK);
      }
      if (start >= length) {
        end(null);
        return;
      }
      try {
        ByteBuffer chunk = staging.duplicate().limit((int) Math.min(CHUNK, length - start));
        source
            .device()
            .copyQueue(index)
            .readback(Fence.NONE, timeline.at(done + 1), source, sourceOffset + start, chunk);
        target
            .device()
            .copyQueue(index)
            .upload(
                timeline.at(done + 1), timeline.at(done + 2), chunk, target, targetOffset + start);
        done += 2;
        timeline.onReach(
            done,
            failed -> {
              if (failed == null) {
                step();
              } else {
                end(failed);
              }
            });
      } catch (Throwable t) { // a device was lost or the deadline of its closing has passed
        end(Failures.aborted(t));
      }
    }

    private void end(@Nullable HalException failed) {
      timeline.close();
      HalException first;
      synchronized (DeviceCopy.this) {
        if (failure == null) {
          failure = failed;
        }
        first = failure;
        if (--lanes > 0) {
          return; // the other lane still works on the buffers
        }
      }
      other.endCopy();
      Completion told = Objects.requireNonNull(completion);
      if (first != null) {
        told.fail(first);
      } else {
        told.complete();
      }
    }
  }
}
