package org.jhal.kernel;

/**
 * Bytes that a kernel works on, in native byte order. An index is an offset in bytes, from 0.
 * Unaligned access is legal except for the atomic methods. Access outside {@code [0, size())}
 * throws {@link IndexOutOfBoundsException}.
 *
 * <p>Kernels mostly work on a typed view of it, such as {@link #floats()}, whose indices count
 * elements.
 *
 * <p>Accesses from several workgroups are not synchronized, except by the atomic methods.
 *
 * <p>It, and the views of it, are for the kernel that they were given to, until it returns. Used
 * later they throw {@link IllegalStateException}, or, while that kernel still runs for other
 * workgroups, reach what it may reach.
 */
public interface KernelMemory {
  /** The number of bytes. */
  long size();

  /** Reads one byte. */
  byte getByte(long index);

  /** Reads two bytes. */
  short getShort(long index);

  /** Reads four bytes. */
  int getInt(long index);

  /** Reads eight bytes. */
  long getLong(long index);

  /** Reads a float. */
  float getFloat(long index);

  /** Reads a double. */
  double getDouble(long index);

  /** Writes one byte. */
  void putByte(long index, byte value);

  /** Writes two bytes. */
  void putShort(long index, short value);

  /** Writes four bytes. */
  void putInt(long index, int value);

  /** Writes eight bytes. */
  void putLong(long index, long value);

  /** Writes a float. */
  void putFloat(long index, float value);

  /** Writes a double. */
  void putDouble(long index, double value);

  /**
   * Adds atomically to the int at {@code index}, a multiple of 4, and returns what it was before.
   */
  int getAndAddInt(long index, int delta);

  /** The memory as elements of {@code i8} or {@code u8}. */
  default Bytes bytes() {
    return new Bytes(this);
  }

  /** The memory as elements of {@code i16} or {@code u16}. */
  default Shorts shorts() {
    return new Shorts(this);
  }

  /** The memory as elements of {@code i32} or {@code u32}. */
  default Ints ints() {
    return new Ints(this);
  }

  /** The memory as elements of {@code i64} or {@code u64}. */
  default Longs longs() {
    return new Longs(this);
  }

  /** The memory as elements of {@code f32}. */
  default Floats floats() {
    return new Floats(this);
  }

  /** The memory as elements of {@code f64}. */
  default Doubles doubles() {
    return new Doubles(this);
  }

  /** The memory as elements of {@code f16}. */
  default Float16s float16s() {
    return new Float16s(this);
  }

  /** The memory as elements of {@code bf16}. */
  default BFloat16s bfloat16s() {
    return new BFloat16s(this);
  }
}
