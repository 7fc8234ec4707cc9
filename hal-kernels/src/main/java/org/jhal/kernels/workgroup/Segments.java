// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A range of bytes in segments, since one byte buffer has less than 2 GiB. Whoever uses it has
 * checked the offsets.
 *
 * <p>Threads: any, at once; each sees what the others have written as it does in memory of a
 * program.
 */
public final class Segments {
  private static final int BITS = 30;

  /** The length of each segment but the last one, in bytes. */
  static final int SEGMENT = 1 << BITS;

  /** The bits of an offset that say where in its segment it is. */
  static final int MASK = SEGMENT - 1;

  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** Makes a segment. */
  @FunctionalInterface
  public interface Maker {
    /** Returns {@code length} bytes, from {@code offset} of the range on. */
    ByteBuffer make(long offset, int length);
  }

  private final ByteBuffer[] parts;

  private Segments(ByteBuffer[] parts) {
    this.parts = parts;
  }

  /** A range of {@code size} bytes, whose segments are made one after the other. */
  public static Segments of(long size, Maker maker) {
    ByteBuffer[] parts = new ByteBuffer[(int) ((size + MASK) >>> BITS)];
    for (int i = 0; i < parts.length; i++) {
      long offset = (long) i << BITS;
      parts[i] =
          maker.make(offset, (int) Math.min(SEGMENT, size - offset)).order(ByteOrder.nativeOrder());
    }
    return new Segments(parts);
  }

  /**
   * The segment that contains {@code offset}, with position and limit around the part of the range
   * in it.
   */
  public ByteBuffer chunk(long offset, long length) {
    ByteBuffer segment = parts[(int) (offset >>> BITS)];
    int start = (int) (offset & MASK);
    return segment
        .duplicate()
        .position(start)
        .limit((int) Math.min(segment.capacity(), start + length));
  }

  /** The segment that contains a whole range; null if there are several, or the range is empty. */
  public @Nullable ByteBuffer segment(long offset, long length) {
    int first = (int) (offset >>> BITS);
    boolean isOne = length > 0 && first == (int) ((offset + length - 1) >>> BITS);
    return isOne ? parts[first] : null;
  }

  /** Copies the remaining bytes of {@code source} to {@code offset}. */
  public void write(long offset, ByteBuffer source) {
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
  public void read(long offset, ByteBuffer target) {
    long at = offset;
    while (target.hasRemaining()) {
      ByteBuffer from = chunk(at, target.remaining());
      at += from.remaining();
      target.put(from);
    }
  }

  byte getByte(long at) {
    return parts[(int) (at >>> BITS)].get((int) (at & MASK));
  }

  /** Writes one byte. */
  public void putByte(long at, byte value) {
    parts[(int) (at >>> BITS)].put((int) (at & MASK), value);
  }

  /** Whether a value of {@code bytes} bytes at {@code at} is within one segment. */
  private static boolean isWhole(long at, int bytes) {
    return (at & MASK) <= SEGMENT - bytes;
  }

  short getShort(long at) {
    return isWhole(at, 2)
        ? parts[(int) (at >>> BITS)].getShort((int) (at & MASK))
        : (short) pieces(at, 2);
  }

  int getInt(long at) {
    return isWhole(at, 4)
        ? parts[(int) (at >>> BITS)].getInt((int) (at & MASK))
        : (int) pieces(at, 4);
  }

  long getLong(long at) {
    return isWhole(at, 8) ? parts[(int) (at >>> BITS)].getLong((int) (at & MASK)) : pieces(at, 8);
  }

  void putShort(long at, short value) {
    if (isWhole(at, 2)) {
      parts[(int) (at >>> BITS)].putShort((int) (at & MASK), value);
    } else {
      putPieces(at, value, 2);
    }
  }

  void putInt(long at, int value) {
    if (isWhole(at, 4)) {
      parts[(int) (at >>> BITS)].putInt((int) (at & MASK), value);
    } else {
      putPieces(at, value, 4);
    }
  }

  void putLong(long at, long value) {
    if (isWhole(at, 8)) {
      parts[(int) (at >>> BITS)].putLong((int) (at & MASK), value);
    } else {
      putPieces(at, value, 8);
    }
  }

  int getAndAddInt(long at, int delta) {
    return (int) INT.getAndAdd(parts[(int) (at >>> BITS)], (int) (at & MASK), delta);
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
