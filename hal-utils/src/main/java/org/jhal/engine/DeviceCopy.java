package org.jhal.engine;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.EngineSemaphore;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two devices of any drivers, through the host (rule S9). It moves chunks, each read
 * back from one device and uploaded to the other, in two lanes at a time. It is a deferred host
 * call that enqueues operations on both devices, so no thread waits for it. While it runs, both
 * devices accept its operations even if they are being closed (rule Q8).
 */
final class DeviceCopy implements HostCall {
  private static final int LANES = 2;

  private final int index; // of the queue on which it was enqueued
  private final EngineDevice<?> other; // the device on which it was not enqueued
  private final CopyBuffers buffers;
  private final EngineBuffer source;
  private final long sourceOffset;
  private final EngineBuffer target;
  private final long targetOffset;
  private final long length;

  private @Nullable Completion completion; // written before any lane starts
  private final AtomicLong next = new AtomicLong(); // the first byte that no lane has taken
  private final AtomicInteger lanes = new AtomicInteger(LANES); // how many have not ended
  private final AtomicReference<@Nullable HalException> failure = new AtomicReference<>(); // first

  DeviceCopy(
      EngineQueue<?> owner,
      EngineBuffer source,
      long sourceOffset,
      EngineBuffer target,
      long targetOffset,
      long length) {
    this.index = owner.index();
    this.other = source.device() == owner.device() ? target.device() : source.device();
    this.buffers = owner.device().resources().copyBuffers();
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.target = target;
    this.targetOffset = targetOffset;
    this.length = length;
  }

  /** Runs on a thread of the device on which the copy was enqueued, whose close waits for it. */
  @Override
  public void run(Context context) {
    other.beginCopy();
    try {
      completion = context.defer();
    } catch (Throwable t) {
      other.endCopy();
      throw t;
    }
    for (int i = 0; i < LANES; i++) {
      new Lane().step();
    }
  }

  /**
   * Moves one chunk after the other. Its timeline orders a chunk's readback before its upload. Its
   * steps follow each other, on whatever thread completes a chunk.
   */
  private final class Lane {
    private final TimelineSemaphore timeline = new EngineSemaphore(0, () -> {});
    private long done; // the timeline's value once everything submitted so far is complete

    /** Starts the next chunk, or ends the lane. Called again when that chunk is complete. */
    void step() {
      boolean isMoving;
      try {
        isMoving = moveNext();
      } catch (Throwable t) { // a device was lost, or has passed its close timeout
        end(Failures.aborted(t));
        return;
      }
      if (!isMoving) {
        end(null);
      }
    }

    /** Starts to move a chunk. Returns false if none is left. */
    private boolean moveNext() {
      long rest = length - next.get();
      if (rest <= 0 || failure.get() != null) {
        return false;
      }
      ByteBuffer chunk = buffers.take(rest);
      long start = next.getAndAdd(chunk.remaining());
      // The other lane may take the rest between the read of `next` and getAndAdd().
      if (start >= length) {
        buffers.giveBack(chunk);
        return false;
      }
      try {
        move(chunk.limit((int) Math.min(chunk.remaining(), length - start)), start);
      } catch (Throwable t) {
        buffers.forget(chunk); // the readback may have been enqueued
        throw t;
      }
      return true;
    }

    private void move(ByteBuffer chunk, long start) {
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
              buffers.giveBack(chunk);
              step();
            } else {
              buffers.forget(chunk); // a failed transfer may still use it
              end(failed);
            }
          });
    }

    private void end(@Nullable HalException failed) {
      timeline.close();
      if (failed != null) {
        failure.compareAndSet(null, failed);
      }
      if (lanes.decrementAndGet() > 0) {
        return; // the other lane still uses the buffers
      }
      other.endCopy();
      Completion told = Objects.requireNonNull(completion);
      HalException first = failure.get();
      if (first != null) {
        told.fail(first);
      } else {
        told.complete();
      }
    }
  }
}
