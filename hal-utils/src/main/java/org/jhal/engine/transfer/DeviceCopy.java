package org.jhal.engine.transfer;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two devices of any drivers, through the host (rule S9). It moves chunks, each read
 * back from one device and uploaded to the other, in two lanes at a time. It is a deferred host
 * call that enqueues operations on both devices, so no thread waits for it. While it runs, both
 * devices accept its operations even if they are being closed (rule Q8).
 */
public final class DeviceCopy extends ChunkedTransfer implements HostCall {
  private static final int LANES = 2;

  private final int index; // of the queue on which it was enqueued
  private final DeviceCore<?> other; // the device on which it was not enqueued
  private final CopyBuffers buffers;
  private final EngineBuffer source;
  private final long sourceOffset;
  private final EngineBuffer target;
  private final long targetOffset;

  private @Nullable Completion completion; // written before any lane starts

  public DeviceCopy(
      DeviceCore<?> device,
      int index,
      EngineBuffer source,
      long sourceOffset,
      EngineBuffer target,
      long targetOffset,
      long length) {
    super("a copy between devices failed: ", length);
    this.index = index;
    this.other = source.core() == device ? target.core() : source.core();
    this.buffers = device.resources().copyBuffers;
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.target = target;
    this.targetOffset = targetOffset;
  }

  /** Runs on a thread of the device on which the copy was enqueued, whose close waits for it. */
  @Override
  public void run(Context context) {
    other.leases().beginCopy();
    try {
      completion = context.defer();
    } catch (Throwable t) {
      other.leases().endCopy();
      throw t;
    }
    start(LANES, CopyLane::new);
  }

  @Override
  protected void over(@Nullable HalException failure) {
    Completion told = Objects.requireNonNull(completion);
    try {
      other.leases().endCopy();
    } finally {
      if (failure != null) {
        told.fail(failure);
      } else {
        told.complete();
      }
    }
  }

  /** Its timeline orders a chunk's readback before its upload. */
  private final class CopyLane extends Lane {
    @Override
    protected void moveNext() {
      long rest = left();
      if (rest == 0) {
        end(null);
        return;
      }
      ByteBuffer chunk = buffers.take(rest);
      int size = chunk.remaining();
      long start = take(size);
      if (start < 0) { // the other lane has taken the rest meanwhile
        buffers.giveBack(chunk);
        end(null);
        return;
      }
      chunk.limit((int) Math.min(size, length() - start));
      transfer(() -> enqueue(chunk, start), failed -> transferred(chunk, failed));
    }

    private void enqueue(ByteBuffer chunk, long start) {
      Fence isRead = nextSignal();
      source
          .core()
          .copyQueue(index)
          .readback(Fence.NONE, isRead, source, sourceOffset + start, chunk);
      target
          .core()
          .copyQueue(index)
          .upload(isRead, nextSignal(), chunk, target, targetOffset + start);
    }

    private void transferred(ByteBuffer chunk, @Nullable Throwable failed) {
      if (failed == null) {
        buffers.giveBack(chunk);
        moveNext();
      } else {
        buffers.forget(chunk); // a failed transfer may still use it
        end(failed);
      }
    }
  }
}
