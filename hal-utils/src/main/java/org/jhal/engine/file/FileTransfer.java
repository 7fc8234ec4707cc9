// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.transfer.ChunkedTransfer;
import org.jhal.engine.transfer.StagingPool;
import org.jhal.engine.transfer.StagingPool.Loan;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read into a buffer or written from one (rule M9). It begins when the waits of its
 * operation are reached. It moves chunks in a few lanes at a time, so that file I/O and transfers
 * overlap. A chunk is one task of a file thread, which does the file I/O, and one transfer that is
 * enqueued on the operation's own queue. No thread waits for the device, and no transfer waits for
 * a file. The queue accepts the transfers even while the device is being closed (rule Q8).
 */
public final class FileTransfer<E> extends ChunkedTransfer<E> {
  private final DeviceCore<?> device;
  private final DeviceQueue chunks; // the queue, which takes them while it is being closed, too
  private final StagingPool pool;
  private final boolean isRead;
  private final EngineFile file;
  private final long fileOffset;
  private final EngineBuffer buffer;
  private final long offset;

  private final AtomicBoolean hasFile = new AtomicBoolean(true); // holds a reference to the file

  /**
   * Takes a reference to the file.
   *
   * @param pool of the queue
   * @param buffer a handle that stays usable until the operation retires
   */
  public FileTransfer(
      DeviceCore<?> device,
      DeviceQueue chunks,
      StagingPool pool,
      Operation<E> operation,
      boolean isRead,
      EngineFile file,
      long fileOffset,
      EngineBuffer buffer,
      long offset,
      long length) {
    super(operation, file + (isRead ? " was not read: " : " was not written: "), length);
    this.device = device;
    this.chunks = chunks;
    this.pool = pool;
    this.isRead = isRead;
    this.file = file;
    this.fileOffset = fileOffset;
    this.buffer = buffer;
    this.offset = offset;
    file.retain();
  }

  /** Starts the lanes. On a file thread. */
  @Override
  public void run(Context ignored) {
    long chunks = (length() - 1) / StagingPool.CHUNK_BYTES + 1;
    start((int) Math.min(StagingPool.CHUNKS, chunks), FileLane::new);
  }

  /** Lets go of the file before the signals, which promise that it is no longer used. */
  @Override
  protected void end(@Nullable HalException first) {
    try {
      releaseFile();
    } finally {
      endOperation(first);
    }
  }

  private void releaseFile() {
    if (hasFile.compareAndSet(true, false)) {
      file.release();
    }
  }

  @Override
  public void retire() {
    releaseFile(); // if the operation never ran
  }

  /** Asks for a chunk for each part. */
  private final class FileLane extends Lane implements StagingPool.User {
    private long start; // of the part that is being moved, counted from that of the range

    @Override
    protected void begin() {
      pool.request(this);
    }

    @Override
    public void use(Loan loan) {
      setStaging(loan);
      step(this::move);
    }

    @Override
    public void refuse(HalException cause) {
      end(cause);
    }

    /** On a file thread. */
    private void move() {
      start = take(StagingPool.CHUNK_BYTES);
      if (start < 0) {
        end(null);
        return;
      }
      HostMemory chunk = staging().memory(size());
      if (isRead) {
        file.read(staging().bytes(size()), fileOffset + start, fileOffset + length());
      }
      transfer(() -> enqueue(chunk), this::transferred);
    }

    private int size() {
      return (int) Math.min(StagingPool.CHUNK_BYTES, length() - start);
    }

    private void enqueue(HostMemory chunk) {
      if (isRead) {
        chunks.upload(Fence.NONE, nextSignal(), chunk, buffer, offset + start);
      } else {
        chunks.readback(Fence.NONE, nextSignal(), buffer, offset + start, chunk);
      }
    }

    /** Called on any thread, which must not do file I/O. */
    private void transferred() {
      if (isRead) {
        moveNext();
      } else {
        stepOn(device.pools().fileThreads(), this::write);
      }
    }

    private void write() {
      file.write(staging().bytes(size()), fileOffset + start);
      moveNext();
    }

    private void moveNext() {
      endStaging();
      pool.request(this);
    }
  }
}
