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
    return new FillPattern(Float.floatToRawIntBits(value), 4);
  }
}
