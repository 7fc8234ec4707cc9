package org.jhal.engine;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.queue.EngineSemaphore;
import org.jhal.engine.queue.Operation;
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
final class FileTransfer<E> implements HostCompletion {
  private final EngineDevice<E> device;
  private final int index; // of the queue
  private final Operation<E> operation;
  private final FileStaging staging;
  private final boolean isRead;
  private final EngineFile file;
  private final long fileOffset;
  private final EngineBuffer buffer;
  private final long offset;
  private final long length; // at least 1

  private final AtomicBoolean hasFile = new AtomicBoolean(true); // holds a reference to the file
  private final AtomicLong next = new AtomicLong(); // the first byte that no lane has taken
  private final AtomicInteger lanes = new AtomicInteger(); // how many have not ended
  private final AtomicReference<@Nullable HalException> failure = new AtomicReference<>(); // first

  /**
   * Takes a reference to the file.
   *
   * @param buffer a handle that stays usable until the operation retires
   */
  FileTransfer(
      EngineQueue<E> queue,
      Operation<E> operation,
      boolean isRead,
      EngineFile file,
      long fileOffset,
      EngineBuffer buffer,
      long offset,
      long length) {
    this.device = queue.device();
    this.index = queue.index();
    this.operation = operation;
    this.staging = device.fileStaging(index);
    this.isRead = isRead;
    this.file = file;
    this.fileOffset = fileOffset;
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
    file.retain();
  }

  /** Starts the lanes. On a file thread. Throws nothing, or the operation would never end. */
  @Override
  public void run(Context ignored) {
    long chunks = (length - 1) / FileStaging.CHUNK_BYTES + 1;
    int count = (int) Math.min(FileStaging.CHUNKS, chunks);
    lanes.set(count);
    for (int i = 0; i < count; i++) {
      Lane lane;
      try {
        lane = new Lane();
      } catch (Throwable t) { // out of memory
        end(t);
        continue;
      }
      try {
        staging.request(lane);
      } catch (Throwable t) { // out of memory, or of threads
        lane.endLane(t);
      }
    }
  }

  /** A lane has ended. */
  private void end(@Nullable Throwable thrown) {
    if (thrown != null) {
      failure.compareAndSet(
          null,
          thrown instanceof HalException known
              ? known
              : new HalException(
                  Status.ABORTED,
                  file + " was not " + (isRead ? "read: " : "written: ") + thrown,
                  thrown));
    }
    if (lanes.decrementAndGet() == 0) {
      try {
        releaseFile(); // before the signals, which tell that the file is not used any more
      } finally {
        operation.queue.hostCompletionOver(operation, failure.get());
      }
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

  /** Moves one chunk after the other; its steps follow each other, on different threads. */
  private final class Lane implements FileStaging.User {
    private final TimelineSemaphore timeline = new EngineSemaphore(0, () -> {});
    private final AtomicBoolean isOver = new AtomicBoolean(); // it ends once, whatever is thrown
    private long done; // the timeline's value once all transfers of this lane are complete

    @Override
    public void use(ByteBuffer chunk) {
      try {
        useChunk(chunk);
      } catch (Throwable t) { // an error of the lines here
        endLane(t);
      }
    }

    private void useChunk(ByteBuffer chunk) {
      long start = failure.get() == null ? next.getAndAdd(FileStaging.CHUNK_BYTES) : length;
      if (start >= length) {
        staging.giveBack(chunk);
        endLane(null);
        return;
      }
      ByteBuffer bytes;
      HostMemory host;
      try {
        int size = (int) Math.min(FileStaging.CHUNK_BYTES, length - start);
        bytes = chunk.duplicate().clear().limit(size);
        if (isRead) {
          file.read(bytes, fileOffset + start);
          bytes.flip();
        }
        host = HostMemory.of(bytes);
      } catch (Throwable t) {
        staging.giveBack(chunk);
        endLane(t);
        return;
      }
      transfer(host, chunk, bytes, start);
    }

    /** Moves the bytes of {@code host}, which are a part of {@code chunk}. */
    private void transfer(HostMemory host, ByteBuffer chunk, ByteBuffer bytes, long start) {
      try {
        EngineQueue<E> queue = device.copyQueue(index);
        Fence signals = timeline.at(done + 1);
        if (isRead) {
          queue.upload(Fence.NONE, signals, host, buffer, offset + start);
        } else {
          queue.readback(Fence.NONE, signals, buffer, offset + start, host);
        }
        done++;
        timeline.onReach(
            done,
            failed -> {
              try {
                transferred(failed, host, chunk, bytes, start);
              } catch (Throwable t) { // nobody else would end the lane
                endLane(t);
              }
            });
      } catch (Throwable t) { // the device is lost, or closed and past its timeout
        whenFree(host, chunk);
        staging.refuseIfLost();
        endLane(t);
      }
    }

    /** Called on any thread, which must not do file I/O. */
    private void transferred(
        @Nullable HalException failed,
        HostMemory host,
        ByteBuffer chunk,
        ByteBuffer bytes,
        long start) {
      if (failed != null) {
        whenFree(host, chunk);
        staging.refuseIfLost();
        endLane(failed);
      } else if (isRead) {
        whenFree(host, chunk);
        staging.request(this);
      } else {
        try {
          device.fileThreads().execute(() -> write(chunk, bytes, start));
        } catch (Throwable t) { // the device is closed and past its timeout
          staging.giveBack(chunk);
          endLane(t);
        }
      }
    }

    /** Gives back the chunk once no transfer uses it: one that has failed may still do so. */
    private void whenFree(HostMemory host, ByteBuffer chunk) {
      var ignored = host.onFree(() -> staging.giveBack(chunk));
    }

    private void write(ByteBuffer chunk, ByteBuffer bytes, long start) {
      Throwable thrown = null;
      try {
        file.write(bytes, fileOffset + start);
      } catch (Throwable t) {
        thrown = t;
      }
      try {
        staging.giveBack(chunk);
        if (thrown == null) {
          staging.request(this);
        }
      } catch (Throwable t) { // an error of the lines there
        thrown = thrown == null ? t : thrown;
      }
      if (thrown != null) {
        endLane(thrown);
      }
    }

    @Override
    public void refuse(Throwable cause) {
      endLane(cause);
    }

    private void endLane(@Nullable Throwable thrown) {
      if (isOver.compareAndSet(false, true)) {
        try {
          timeline.close();
        } finally {
          end(thrown);
        }
      }
    }
  }
}
