// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Converts numbers to and from {@code bf16}, the upper 16 bits of an IEEE 754 binary32. In Java,
 * the bits of a {@code short} represent such a number. It has 8 significant bits and the range of a
 * float.
 */
public final class BFloat16 {
  private static final int QUIET = 0x40;

  private BFloat16() {}

  /**
   * Returns the {@code bf16} that is nearest to {@code value}; a tie goes to the one whose last bit
   * is 0. A value beyond the range becomes an infinity, and a NaN stays a NaN.
   */
  public static short of(double value) {
    int bits = Float.floatToRawIntBits(Float16.toOdd(value));
    if (Double.isNaN(value)) {
      return (short) (bits >>> 16 | QUIET);
    }
    return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16); // may carry into the exponent
  }

  /** Returns the number with these bits, exactly. */
  public static float toFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }
}
