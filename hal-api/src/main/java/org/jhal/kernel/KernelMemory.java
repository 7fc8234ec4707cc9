// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Bytes that a kernel works on, in native byte order. An index is an offset in bytes, from 0.
 * Unaligned access is legal, except by {@link #getAndAddInt}. Access outside {@code [0, size())}
 * throws {@link IndexOutOfBoundsException}.
 *
 * <p>Kernels mostly use a typed view of the memory, such as {@link #floats()}, whose indices count
 * elements.
 *
 * <p>Concurrent accesses by several workgroups are not synchronized, except those by {@link
 * #getAndAddInt}.
 *
 * <p>The memory and its views are valid for the kernel that received them, until it returns. Later
 * access throws {@link IllegalStateException}; but while that kernel still runs for other
 * workgroups, it may instead succeed, within the memory of that dispatch.
 */
public interface KernelMemory {
  /** Returns the number of bytes. */
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
   * Atomically adds {@code delta} to the int at {@code index}, and returns the previous value.
   *
   * @throws IllegalArgumentException if the int is not aligned to 4 bytes
   */
  int getAndAddInt(long index, int delta);

  /** Returns a view of the memory as elements of type {@code i8} or {@code u8}. */
  default Bytes bytes() {
    return new Bytes(this);
  }

  /** Returns a view of the memory as elements of type {@code i16} or {@code u16}. */
  default Shorts shorts() {
    return new Shorts(this);
  }

  /** Returns a view of the memory as elements of type {@code i32} or {@code u32}. */
  default Ints ints() {
    return new Ints(this);
  }

  /** Returns a view of the memory as elements of type {@code i64} or {@code u64}. */
  default Longs longs() {
    return new Longs(this);
  }

  /** Returns a view of the memory as elements of type {@code f32}. */
  default Floats floats() {
    return new Floats(this);
  }

  /** Returns a view of the memory as elements of type {@code f64}. */
  default Doubles doubles() {
    return new Doubles(this);
  }

  /** Returns a view of the memory as elements of type {@code f16}. */
  default Float16s float16s() {
    return new Float16s(this);
  }

  /** Returns a view of the memory as elements of type {@code bf16}. */
  default BFloat16s bfloat16s() {
    return new BFloat16s(this);
  }
}
