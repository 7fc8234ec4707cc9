// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.transfer;

import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two devices of any drivers, through the host (rule S9). It moves chunks, each read
 * back from one device and uploaded to the other, in two lanes at a time. No thread waits for it.
 * While it runs, both devices accept its transfers even if they are being closed (rule Q8).
 */
public final class DeviceCopy<E> extends ChunkedTransfer<E> {
  private static final int LANES = 2;

  private final DeviceQueue chunks; // the queue on which it was enqueued, for its chunks
  private final DeviceCore<?> other; // the device on which it was not enqueued
  private final DeviceQueue otherChunks;
  private final StagingPool pool;
  private final EngineBuffer source;
  private final long sourceOffset;
  private final EngineBuffer target;
  private final long targetOffset;

  public DeviceCopy(
      DeviceCore<?> device,
      DeviceQueue chunks,
      StagingPool pool,
      Operation<E> operation,
      EngineBuffer source,
      long sourceOffset,
      EngineBuffer target,
      long targetOffset,
      long length) {
    super(operation, "a copy between devices failed: ", length);
    this.chunks = chunks;
    this.other = source.core() == device ? target.core() : source.core();
    this.otherChunks = other.copyQueue(chunks.index());
    this.pool = pool;
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.target = target;
    this.targetOffset = targetOffset;
  }

  /** Runs on a thread of the device of the copy's queue; the close of that device waits for it. */
  @Override
  public void run(Context ignored) {
    try {
      other.leases().beginCopy();
    } catch (HalException e) { // it is closed
      endOperation(e);
      return;
    }
    start(LANES, CopyLane::new);
  }

  @Override
  protected void end(@Nullable HalException first) {
    try {
      other.leases().endCopy();
    } finally {
      endOperation(first);
    }
  }

  /** Its timeline orders a chunk's readback before its upload. */
  private final class CopyLane extends Lane {
    @Override
    protected void begin() {
      long rest = left();
      if (rest > 0) {
        setStaging(pool.take(rest));
        moveNext();
      } else {
        end(null);
      }
    }

    private void moveNext() {
      int size = staging().size();
      long start = take(size);
      if (start < 0) {
        end(null);
        return;
      }
      HostMemory chunk = staging().memory((int) Math.min(size, length() - start));
      transfer(() -> enqueue(chunk, start), this::moveNext);
    }

    private void enqueue(HostMemory chunk, long start) {
      Fence isRead = nextSignal();
      queueOf(source).readback(Fence.NONE, isRead, source, sourceOffset + start, chunk);
      queueOf(target).upload(isRead, nextSignal(), chunk, target, targetOffset + start);
    }

    private DeviceQueue queueOf(EngineBuffer buffer) {
      return buffer.core() == other ? otherChunks : chunks;
    }
  }
}
