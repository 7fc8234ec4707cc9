// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.kernel.KernelMemory;
import org.jspecify.annotations.Nullable;

/**
 * A range of memory as a kernel sees it. Checks every access. A view that a kernel has seen is
 * never reused: a kernel that kept it must not reach the buffers of another.
 */
public final class KernelView implements KernelMemory {
  private @Nullable SegmentedMemory memory;
  private @Nullable Segments bytes; // of the memory, from begin() on
  private String what = "memory";
  private long base;
  private long size;

  // The segment of the memory that holds the whole range, from begin() on, and the range's place in
  // it; null if there are several. Reading it here keeps volatile reads out of a kernel's loops.
  private @Nullable ByteBuffer segment;
  private int start;

  /** A view of nothing. */
  public KernelView() {}

  /**
   * Sets what it is a view of. The memory may be missing until the kernel runs.
   *
   * @param newWhat its name, for messages
   * @param newBase where it starts in the memory, in bytes
   * @param newSize how long it is, in bytes
   */
  public void set(SegmentedMemory newMemory, String newWhat, long newBase, long newSize) {
    memory = newMemory;
    what = newWhat;
    base = newBase;
    size = newSize;
    bytes = null;
    segment = null;
  }

  /** Whether it is a view of something. */
  public boolean isSet() {
    return memory != null;
  }

  /** Ends the access: whoever still has the view gets exceptions. */
  public void clear() {
    memory = null;
    bytes = null;
    size = 0;
    segment = null;
  }

  /** Begins the access. Called once the memory exists, before the kernel runs. */
  void begin() {
    if (memory != null) {
      begin(memory.segments());
    }
  }

  /** Begins access to all bytes of a range that has no other name. */
  void setOwn(Segments newBytes, String newWhat, long newSize) {
    set(() -> newBytes, newWhat, 0, newSize);
    begin(newBytes);
  }

  private void begin(Segments newBytes) {
    bytes = newBytes;
    segment = newBytes.segment(base, size);
    start = (int) (base & Segments.MASK);
  }

  /** The memory that was set. */
  public SegmentedMemory memory() {
    return Objects.requireNonNull(memory);
  }

  /** Where the range starts in the memory, in bytes. */
  public long base() {
    return base;
  }

  private Segments data() {
    Segments mine = bytes;
    if (mine == null) {
      throw new IllegalStateException("memory of a kernel is used after the kernel has returned");
    }
    return mine;
  }

  /** The place of a legal index in the memory. */
  private long at(long index, int bytes) {
    if (index < 0 || index > size - bytes) {
      throw outside(index, bytes);
    }
    return base + index;
  }

  /** The place of a legal index in the segment. */
  private int in(long index, int bytes) {
    if (index < 0 || index > size - bytes) {
      throw outside(index, bytes);
    }
    return start + (int) index;
  }

  private IndexOutOfBoundsException outside(long index, int bytes) {
    long total = size;
    Segments unused = data(); // throws if the kernel has returned
    boolean isElement = bytes > 1 && index % bytes == 0;
    return new IndexOutOfBoundsException(
        "access to "
            + what
            + (isElement ? " at element " + index / bytes + " of " + total / bytes : "")
            + (isElement ? ", which is byte " : " at byte ")
            + index
            + " of "
            + total
            + (bytes > 1 ? ", for " + bytes + " bytes" : ""));
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public byte getByte(long index) {
    ByteBuffer part = segment;
    return part == null ? data().getByte(at(index, 1)) : part.get(in(index, 1));
  }

  @Override
  public short getShort(long index) {
    ByteBuffer part = segment;
    return part == null ? data().getShort(at(index, 2)) : part.getShort(in(index, 2));
  }

  @Override
  public int getInt(long index) {
    ByteBuffer part = segment;
    return part == null ? data().getInt(at(index, 4)) : part.getInt(in(index, 4));
  }

  @Override
  public long getLong(long index) {
    ByteBuffer part = segment;
    return part == null ? data().getLong(at(index, 8)) : part.getLong(in(index, 8));
  }

  @Override
  public float getFloat(long index) {
    return Float.intBitsToFloat(getInt(index));
  }

  @Override
  public double getDouble(long index) {
    return Double.longBitsToDouble(getLong(index));
  }

  @Override
  public void putByte(long index, byte value) {
    ByteBuffer part = segment;
    if (part == null) {
      data().putByte(at(index, 1), value);
    } else {
      part.put(in(index, 1), value);
    }
  }

  @Override
  public void putShort(long index, short value) {
    ByteBuffer part = segment;
    if (part == null) {
      data().putShort(at(index, 2), value);
    } else {
      part.putShort(in(index, 2), value);
    }
  }

  @Override
  public void putInt(long index, int value) {
    ByteBuffer part = segment;
    if (part == null) {
      data().putInt(at(index, 4), value);
    } else {
      part.putInt(in(index, 4), value);
    }
  }

  @Override
  public void putLong(long index, long value) {
    ByteBuffer part = segment;
    if (part == null) {
      data().putLong(at(index, 8), value);
    } else {
      part.putLong(in(index, 8), value);
    }
  }

  @Override
  public void putFloat(long index, float value) {
    putInt(index, Float.floatToRawIntBits(value));
  }

  @Override
  public void putDouble(long index, double value) {
    putLong(index, Double.doubleToRawLongBits(value));
  }

  @Override
  public int getAndAddInt(long index, int delta) {
    long at = at(index, 4);
    if ((at & 3) != 0) {
      throw new IllegalArgumentException(
          "atomic access to " + what + " at byte " + index + ", which is not aligned to 4 bytes");
    }
    return data().getAndAddInt(at, delta);
  }

  @Override
  public String toString() {
    return "memory of " + size + " bytes";
  }
}
