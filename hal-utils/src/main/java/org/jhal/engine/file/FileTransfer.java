package org.jhal.engine.file;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.transfer.ChunkedTransfer;
import org.jhal.engine.transfer.FileStaging;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read into a buffer or written from one (rule M9). It begins when the waits of its
 * operation are reached. It moves chunks in a few lanes at a time, so that file I/O and transfers
 * overlap. A chunk is one task of a file thread, which does the file I/O, and one transfer that is
 * enqueued on the operation's own queue. No thread waits for the device, and no transfer waits for
 * a file. The queue accepts the transfers even while the device is being closed (rule Q8).
 *
 * <p>The operation ends when the last lane has ended.
 */
public final class FileTransfer<E> extends ChunkedTransfer implements HostCompletion {
  private final DeviceCore<E> device;
  private final int index; // of the queue
  private final Operation<E> operation;
  private final FileStaging staging;
  private final boolean isRead;
  private final EngineFile file;
  private final long fileOffset;
  private final EngineBuffer buffer;
  private final long offset;

  private final AtomicBoolean hasFile = new AtomicBoolean(true); // holds a reference to the file

  /**
   * Takes a reference to the file.
   *
   * @param buffer a handle that stays usable until the operation retires
   */
  public FileTransfer(
      DeviceCore<E> device,
      int index,
      FileStaging staging,
      Operation<E> operation,
      boolean isRead,
      EngineFile file,
      long fileOffset,
      EngineBuffer buffer,
      long offset,
      long length) {
    super(file + (isRead ? " was not read: " : " was not written: "), length);
    this.device = device;
    this.index = index;
    this.operation = operation;
    this.staging = staging;
    this.isRead = isRead;
    this.file = file;
    this.fileOffset = fileOffset;
    this.buffer = buffer;
    this.offset = offset;
    file.retain();
  }

  /** Starts the lanes. On a file thread. Throws nothing, or the operation would never end. */
  @Override
  public void run(Context ignored) {
    long chunks = (length() - 1) / FileStaging.CHUNK_BYTES + 1;
    start((int) Math.min(FileStaging.CHUNKS, chunks), FileLane::new);
  }

  @Override
  protected void over(@Nullable HalException failure) {
    try {
      releaseFile(); // before the signals, which tell that the file is not used any more
    } finally {
      operation.queue.hostCompletionOver(operation, failure);
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
  private final class FileLane extends Lane implements FileStaging.User {
    @Override
    protected void moveNext() {
      staging.request(this);
    }

    @Override
    public void use(ByteBuffer chunk) {
      Part part = null;
      Throwable thrown = null;
      try {
        long start = take(FileStaging.CHUNK_BYTES);
        part = start < 0 ? null : new Part(this, chunk, start);
      } catch (Throwable t) { // out of memory
        thrown = t;
      }
      if (part != null) {
        part.move();
      } else {
        staging.giveBack(chunk);
        end(thrown);
      }
    }

    @Override
    public void refuse(Throwable cause) {
      end(cause);
    }
  }

  /** A part of the file, on its way through a chunk. */
  private final class Part {
    private final FileLane lane;
    private final ByteBuffer chunk;
    private final long start; // its first byte, counted from the beginning of the range
    private final ByteBuffer bytes; // in the chunk
    private final HostMemory host; // the same bytes
    private final AtomicBoolean isBack = new AtomicBoolean(); // the chunk was given back

    Part(FileLane lane, ByteBuffer chunk, long start) {
      this.lane = lane;
      this.chunk = chunk;
      this.start = start;
      int size = (int) Math.min(FileStaging.CHUNK_BYTES, length() - start);
      this.bytes = chunk.duplicate().clear().limit(size);
      this.host = HostMemory.of(bytes);
    }

    /** On a file thread. Throws nothing. */
    void move() {
      try {
        if (isRead) {
          file.read(bytes, fileOffset + start, fileOffset + length());
        }
        lane.transfer(this::enqueue, this::transferred);
      } catch (Throwable t) { // nothing was enqueued
        giveBack();
        lane.end(t);
      }
    }

    private void enqueue() {
      DeviceQueue queue = device.copyQueue(index);
      Fence signals = lane.nextSignal();
      if (isRead) {
        queue.upload(Fence.NONE, signals, host, buffer, offset + start);
      } else {
        queue.readback(Fence.NONE, signals, buffer, offset + start, host);
      }
    }

    /** Called on any thread, which must not do file I/O. */
    private void transferred(@Nullable Throwable failed) {
      if (failed != null) {
        try {
          giveBackWhenFree();
        } finally {
          staging.refuseIfLost();
          lane.end(failed);
        }
      } else if (isRead) {
        giveBackWhenFree();
        lane.moveNext();
      } else {
        try {
          device.pools().fileThreads().execute(this::write);
        } catch (Throwable t) { // the device is closed and past its timeout
          giveBack();
          lane.end(t);
        }
      }
    }

    private void write() {
      Throwable thrown = null;
      try {
        file.write(bytes, fileOffset + start);
      } catch (Throwable t) {
        thrown = t;
      }
      giveBack();
      if (thrown == null) {
        lane.step(lane::moveNext);
      } else {
        lane.end(thrown);
      }
    }

    /** Gives back the chunk once no transfer uses it: one that has failed may still do so. */
    private void giveBackWhenFree() {
      try {
        var ignored = host.onFree(this::giveBack);
      } catch (Throwable t) { // out of memory; the callback may be registered, or not
        if (!host.isBorrowed()) {
          giveBack();
        }
        throw t;
      }
    }

    /** Does nothing if the chunk is back, as another user may have it. */
    private void giveBack() {
      if (isBack.compareAndSet(false, true)) {
        staging.giveBack(chunk);
      }
    }
  }
}
