package org.jhal.mock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap, in segments, since one byte buffer has less than 2 GiB. The garbage
 * collector frees it. So a stale view, or a kernel that is not ordered before its end, never
 * accesses other memory.
 */
final class MockMemory implements DeviceMemory {
  static final int SEGMENT_BITS = 30;
  static final int SEGMENT = 1 << SEGMENT_BITS;
  static final int MASK = SEGMENT - 1;
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** Up to this size new memory is filled with a pattern, to expose programs that rely on zeros. */
  private static final int DIRTY_LIMIT = 1 << 20;

  private static final byte DIRT = (byte) 0xCD;

  private final @Nullable MockDevice device; // null for the memory of a workgroup
  private final long size;
  private final boolean isCounted; // whether the device's budget counts it
  private volatile ByteBuffer @Nullable [] segments; // written with the monitor held
  private volatile boolean isDropped;

  private MockMemory(@Nullable MockDevice device, long size, boolean isCounted) {
    this.device = device;
    this.size = size;
    this.isCounted = isCounted;
  }

  /** Memory that the device's budget counts and that {@link #materialise} allocates later. */
  static MockMemory promised(MockDevice device, long size) {
    return new MockMemory(device, size, true);
  }

  static MockMemory shared(int size) {
    MockMemory made = new MockMemory(null, size, false);
    made.materialise();
    return made;
  }

  static MockMemory imported(MockDevice device, ByteBuffer memory) {
    MockMemory made = new MockMemory(device, memory.capacity(), false);
    ByteBuffer[] parts = new ByteBuffer[(int) (((long) memory.capacity() + MASK) >>> SEGMENT_BITS)];
    for (int i = 0; i < parts.length; i++) {
      int start = i << SEGMENT_BITS;
      parts[i] =
          memory
              .slice(start, Math.min(SEGMENT, memory.capacity() - start))
              .order(ByteOrder.nativeOrder());
    }
    made.segments = parts;
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
    ByteBuffer[] made = new ByteBuffer[(int) ((size + MASK) >>> SEGMENT_BITS)];
    try {
      for (int i = 0; i < made.length; i++) {
        int length = (int) Math.min(SEGMENT, size - ((long) i << SEGMENT_BITS));
        made[i] = ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
      }
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
        made[0].put(i, DIRT);
      }
    }
    segments = made;
  }

  private ByteBuffer[] segments() {
    ByteBuffer[] found = segments;
    if (found == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          isDropped
              ? "memory is used after it was freed"
              : "memory is used before its allocation was executed");
    }
    return found;
  }

  /** The device that it was allocated on or imported to; null for a workgroup's. */
  @Nullable MockDevice device() {
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
    ByteBuffer[] all = segments();
    int first = (int) (offset >>> SEGMENT_BITS);
    if (length == 0) {
      return new DirectRange(ByteBuffer.allocateDirect(0));
    }
    if (first == (int) ((offset + length - 1) >>> SEGMENT_BITS)) {
      return new DirectRange(
          all[first].slice((int) (offset & MASK), length).order(ByteOrder.nativeOrder()));
    }
    return new CopiedRange(offset, length);
  }

  private void enter(String call) {
    if (device != null) {
      device.enter(call);
    }
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
      write(offset, copy.duplicate().clear());
    }

    @Override
    public void invalidate() {
      enter("invalidate");
      read(offset, copy.duplicate().clear());
    }
  }

  @Override
  public void free() {
    endAccount();
    drop();
    if (device != null) {
      device.check("free");
    }
  }

  @Override
  public void free(Runnable then) {
    try {
      free();
    } finally {
      if (isCounted || device == null) {
        then.run();
      } else {
        device.notifyOwner(then);
      }
    }
  }

  /** Returns the bytes to the budget, although work issued before may still use them. */
  void endAccount() {
    if (isCounted && device != null) {
      device.budget().giveBack(size);
    }
  }

  /** Drops the memory for collection. Existing views keep their part alive. */
  synchronized void drop() {
    segments = null;
    isDropped = true;
  }

  // Access by the stream and by kernels. The engine or MockView has checked the ranges.

  /**
   * The segment that contains {@code offset}, with position and limit around the part of the range
   * in it.
   */
  ByteBuffer chunk(long offset, long length) {
    ByteBuffer segment = segments()[(int) (offset >>> SEGMENT_BITS)];
    int start = (int) (offset & MASK);
    return segment
        .duplicate()
        .position(start)
        .limit((int) Math.min(segment.capacity(), start + length));
  }

  /** The segment that contains a whole range; null if there are several, or the range is empty. */
  @Nullable ByteBuffer segment(long offset, long length) {
    int first = (int) (offset >>> SEGMENT_BITS);
    boolean isOne = length > 0 && first == (int) ((offset + length - 1) >>> SEGMENT_BITS);
    return isOne ? segments()[first] : null;
  }

  /** Copies the remaining bytes of {@code source} to {@code offset}. */
  void write(long offset, ByteBuffer source) {
    long at = offset;
    while (source.hasRemaining()) {
      ByteBuffer to = chunk(at, source.remaining());
      ByteBuffer from = source.duplicate().limit(source.position() + to.remaining());
      at += to.remaining();
      source.position(from.limit());
      to.put(from);
    }
  }

  /** Copies bytes from {@code offset} on to the remaining bytes of {@code target}. */
  void read(long offset, ByteBuffer target) {
    long at = offset;
    while (target.hasRemaining()) {
      ByteBuffer from = chunk(at, target.remaining());
      at += from.remaining();
      target.put(from);
    }
  }

  byte getByte(long at) {
    return segments()[(int) (at >>> SEGMENT_BITS)].get((int) (at & MASK));
  }

  void putByte(long at, byte value) {
    segments()[(int) (at >>> SEGMENT_BITS)].put((int) (at & MASK), value);
  }

  /** Whether a value of {@code bytes} bytes at {@code at} is within one segment. */
  private static boolean isWhole(long at, int bytes) {
    return (at & MASK) <= SEGMENT - bytes;
  }

  short getShort(long at) {
    return isWhole(at, 2)
        ? segments()[(int) (at >>> SEGMENT_BITS)].getShort((int) (at & MASK))
        : (short) pieces(at, 2);
  }

  int getInt(long at) {
    return isWhole(at, 4)
        ? segments()[(int) (at >>> SEGMENT_BITS)].getInt((int) (at & MASK))
        : (int) pieces(at, 4);
  }

  long getLong(long at) {
    return isWhole(at, 8)
        ? segments()[(int) (at >>> SEGMENT_BITS)].getLong((int) (at & MASK))
        : pieces(at, 8);
  }

  void putShort(long at, short value) {
    if (isWhole(at, 2)) {
      segments()[(int) (at >>> SEGMENT_BITS)].putShort((int) (at & MASK), value);
    } else {
      putPieces(at, value, 2);
    }
  }

  void putInt(long at, int value) {
    if (isWhole(at, 4)) {
      segments()[(int) (at >>> SEGMENT_BITS)].putInt((int) (at & MASK), value);
    } else {
      putPieces(at, value, 4);
    }
  }

  void putLong(long at, long value) {
    if (isWhole(at, 8)) {
      segments()[(int) (at >>> SEGMENT_BITS)].putLong((int) (at & MASK), value);
    } else {
      putPieces(at, value, 8);
    }
  }

  int getAndAddInt(long at, int delta) {
    return (int) INT.getAndAdd(segments()[(int) (at >>> SEGMENT_BITS)], (int) (at & MASK), delta);
  }

  private long pieces(long at, int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      int shift = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 8 * i : 8 * (count - 1 - i);
      value |= (getByte(at + i) & 0xFFL) << shift;
    }
    return value;
  }

  private void putPieces(long at, long value, int count) {
    for (int i = 0; i < count; i++) {
      int shift = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 8 * i : 8 * (count - 1 - i);
      putByte(at + i, (byte) (value >>> shift));
    }
  }
}
