package org.jhal.kernel;

/**
 * Bytes that a kernel works on, indexed with a {@code long} from 0 in bytes, in native byte order.
 * Unaligned access is legal except for the atomic methods. Access outside {@code [0, size())}
 * throws {@link IndexOutOfBoundsException}.
 */
public interface KernelMemory {
  /** How many bytes there are. */
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
