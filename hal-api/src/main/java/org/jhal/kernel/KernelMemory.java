package org.jhal.kernel;

/**
 * Bytes that a kernel works on, in native byte order. An index is an offset in bytes, from 0.
 * Unaligned access is legal except for the atomic methods. Access outside {@code [0, size())}
 * throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized, except by the atomic methods.
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
}
