// SPDX-License-Identifier: Apache-2.0
package org.jhal.segments;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.spi.HostRange;

/**
 * Creates host memory from memory segments: native memory, mapped files and arrays, of any size.
 *
 * <p>As with buffers, the bytes are borrowed and not copied ({@link HostMemory}). The caller keeps
 * the arena open until the borrow has ended. If the arena is closed earlier, the operation fails.
 * But if the segment is page-locked memory that a device accesses by itself, it is undefined which
 * memory the device then reads or overwrites.
 */
public final class SegmentMemory {
  /** Stands for the threads of devices, which differ from the thread that owns a segment. */
  private static final Thread SOME_OTHER_THREAD = someOtherThread();

  private SegmentMemory() {}

  /** A thread that is never started, and keeps nothing of the first user of this class alive. */
  private static Thread someOtherThread() {
    Thread thread = new Thread(null, () -> {}, "not started", 0, false);
    thread.setContextClassLoader(null);
    return thread;
  }

  /**
   * All bytes of {@code segment}, in native byte order. A readback into it needs a segment that is
   * not read-only.
   *
   * @throws HalException INVALID_ARGUMENT if other threads may not access the segment, such as one
   *     of {@link Arena#ofConfined}; FAILED_PRECONDITION if its arena is closed
   */
  public static HostMemory of(MemorySegment segment) {
    Objects.requireNonNull(segment, "segment");
    if (!segment.scope().isAlive()) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "the arena of a segment of " + segment.byteSize() + " bytes is closed");
    }
    if (!segment.isAccessibleBy(SOME_OTHER_THREAD)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "a segment of "
              + segment.byteSize()
              + " bytes belongs to one thread, and threads of the device would access it: use"
              + " Arena.ofShared() or Arena.ofAuto()");
    }
    return HostMemory.of(new SegmentRange(segment));
  }

  private record SegmentRange(MemorySegment segment) implements HostRange {
    @Override
    public long size() {
      return segment.byteSize();
    }

    @Override
    public boolean isWritable() {
      return !segment.isReadOnly();
    }

    @Override
    public boolean isOnHeap() {
      return !segment.isNative();
    }

    @Override
    public long address() {
      return segment.isNative() ? segment.address() : 0;
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      MemorySegment.copy(segment, offset, MemorySegment.ofBuffer(target), 0, target.remaining());
    }

    @Override
    public void write(long offset, ByteBuffer source) {
      MemorySegment.copy(MemorySegment.ofBuffer(source), 0, segment, offset, source.remaining());
    }
  }
}
