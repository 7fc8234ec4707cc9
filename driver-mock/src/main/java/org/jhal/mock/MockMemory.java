// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.kernels.workgroup.SegmentedMemory;
import org.jhal.kernels.workgroup.Segments;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap. The garbage collector frees it. So a stale view, or a kernel that is not
 * ordered before its end, never accesses other memory.
 */
final class MockMemory implements DeviceMemory, SegmentedMemory {
  /** Up to this size new memory is filled with a pattern, to expose programs that rely on zeros. */
  private static final int DIRTY_LIMIT = 1 << 20;

  private static final byte DIRT = (byte) 0xCD;

  private final MockDevice device;
  private final long size;
  private final boolean isCounted; // whether the device's budget counts it
  private volatile @Nullable Segments segments; // written with the monitor held
  private volatile boolean isDropped;

  private MockMemory(MockDevice device, long size, boolean isCounted) {
    this.device = device;
    this.size = size;
    this.isCounted = isCounted;
  }

  /** Memory that the device's budget counts and that {@link #materialise} allocates later. */
  static MockMemory promised(MockDevice device, long size) {
    return new MockMemory(device, size, true);
  }

  static MockMemory imported(MockDevice device, ByteBuffer memory) {
    MockMemory made = new MockMemory(device, memory.capacity(), false);
    made.segments =
        Segments.of(memory.capacity(), (offset, length) -> memory.slice((int) offset, length));
    return made;
  }

  /**
   * Allocates the memory. Called once.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the JVM has not enough memory
   */
  synchronized void materialise() {
    if (segments != null || isDropped) {
      return;
    }
    Segments made;
    try {
      made = Segments.of(size, (offset, length) -> ByteBuffer.allocateDirect(length));
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "the JVM has no "
              + size
              + " bytes of direct memory left (-XX:MaxDirectMemorySize): "
              + e.getMessage());
    }
    if (size <= DIRTY_LIMIT) {
      for (int i = 0; i < size; i++) {
        made.putByte(i, DIRT);
      }
    }
    segments = made;
  }

  /**
   * The bytes.
   *
   * @throws HalException FAILED_PRECONDITION if they do not exist yet, or no longer
   */
  @Override
  public Segments segments() {
    Segments found = segments;
    if (found == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          isDropped
              ? "memory is used after it was freed"
              : "memory is used before its allocation was executed");
    }
    return found;
  }

  /** The device that it was allocated on or imported to. */
  MockDevice device() {
    return device;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public MappedRange map(long offset, int length) {
    enter("map");
    materialise();
    Segments all = segments();
    if (length == 0) {
      return new DirectRange(ByteBuffer.allocateDirect(0));
    }
    return all.segment(offset, length) == null
        ? new CopiedRange(offset, length)
        : new DirectRange(all.chunk(offset, length).slice().order(ByteOrder.nativeOrder()));
  }

  private void enter(String call) {
    device.enter(call);
  }

  /** A mapping within one segment, which is a view of the memory itself. */
  private final class DirectRange implements MappedRange {
    private final ByteBuffer view;

    DirectRange(ByteBuffer view) {
      this.view = view;
    }

    @Override
    public ByteBuffer bytes() {
      return view;
    }

    @Override
    public void flush() {
      enter("flush");
    }

    @Override
    public void invalidate() {
      enter("invalidate");
    }
  }

  /** A mapping that spans segments: a copy, which flush and invalidate synchronize. */
  private final class CopiedRange implements MappedRange {
    private final long offset;
    private final ByteBuffer copy;

    CopiedRange(long offset, int length) {
      this.offset = offset;
      this.copy = ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
    }

    @Override
    public ByteBuffer bytes() {
      return copy;
    }

    @Override
    public void flush() {
      enter("flush");
      segments().write(offset, copy.duplicate().clear());
    }

    @Override
    public void invalidate() {
      enter("invalidate");
      segments().read(offset, copy.duplicate().clear());
    }
  }

  @Override
  public void free() {
    endAccount();
    drop();
    device.check("free");
  }

  @Override
  public void free(Runnable then) {
    try {
      free();
    } finally {
      if (isCounted) {
        then.run();
      } else {
        device.notifyOwner(then);
      }
    }
  }

  /** Returns the bytes to the budget, although work issued before may still use them. */
  void endAccount() {
    if (isCounted) {
      device.budget().giveBack(size);
    }
  }

  /** Drops the memory for collection. Existing views keep their part alive. */
  synchronized void drop() {
    segments = null;
    isDropped = true;
  }
}
