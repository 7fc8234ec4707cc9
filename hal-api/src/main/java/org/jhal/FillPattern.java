// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * The pattern that a fill repeats: the low {@code bytes} bytes of {@code bits}, little-endian.
 * Immutable.
 *
 * @param bits the pattern
 * @param bytes its length in bytes: 1, 2 or 4
 */
public record FillPattern(int bits, int bytes) {
  /** A single zero byte. */
  public static final FillPattern ZERO = new FillPattern(0, 1);

  /**
   * Checks the pattern.
   *
   * @throws HalException INVALID_ARGUMENT if {@code bytes} is not 1, 2 or 4, or {@code bits} does
   *     not fit into that many bytes
   */
  public FillPattern {
    if (bytes != 1 && bytes != 2 && bytes != 4) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "fill pattern of " + bytes + " bytes; it may have 1, 2 or 4");
    }
    if (bytes < 4 && bits >>> (8 * bytes) != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "fill pattern 0x" + Integer.toHexString(bits) + " does not fit into " + bytes + " bytes");
    }
  }

  /**
   * Returns a pattern of one byte.
   *
   * @param bits in {@code [0, 0xFF]}
   * @throws HalException INVALID_ARGUMENT if {@code bits} is not in this range
   */
  public static FillPattern of8(int bits) {
    return new FillPattern(bits, 1);
  }

  /**
   * Returns a pattern of two bytes.
   *
   * @param bits in {@code [0, 0xFFFF]}
   * @throws HalException INVALID_ARGUMENT if {@code bits} is not in this range
   */
  public static FillPattern of16(int bits) {
    return new FillPattern(bits, 2);
  }

  /** Returns a pattern of four bytes. */
  public static FillPattern of32(int bits) {
    return new FillPattern(bits, 4);
  }

  /** Returns a pattern of the four bytes of a float. */
  public static FillPattern of(float value) {
    return of32(Float.floatToRawIntBits(value));
  }

  /** Returns a pattern of the four bytes of an int, whether it holds an i32 or a u32. */
  public static FillPattern of(int value) {
    return of32(value);
  }

  /**
   * Returns a pattern of the two bytes of a short: an i16, a u16, or the bits of an f16 or a bf16,
   * as {@link org.jhal.kernel.Float16#of} and {@link org.jhal.kernel.BFloat16#of} return them.
   */
  public static FillPattern of(short value) {
    return of16(value & 0xFFFF);
  }

  /** Returns a pattern of one byte, whether it holds an i8 or a u8. */
  public static FillPattern of(byte value) {
    return of8(value & 0xFF);
  }

  /**
   * Returns a pattern of a long, whether it holds an i64 or a u64. Only a value whose two halves
   * are equal, such as 0 or -1, is a pattern of at most four bytes; upload other values, or write
   * them with a kernel.
   *
   * @throws HalException INVALID_ARGUMENT if the two halves differ
   */
  public static FillPattern of(long value) {
    if ((int) value != (int) (value >>> 32)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "a fill pattern has at most 4 bytes, and the two halves of 0x"
              + Long.toHexString(value)
              + " differ; upload this value, or write it with a kernel");
    }
    return of32((int) value);
  }

  /**
   * Returns a pattern of a double, such as 0.0, under the condition of {@link #of(long)}.
   *
   * @throws HalException INVALID_ARGUMENT if the two halves of its bits differ
   */
  public static FillPattern of(double value) {
    return of(Double.doubleToRawLongBits(value));
  }
}
