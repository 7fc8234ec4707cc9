// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Converts numbers to and from {@code f16}, IEEE 754 binary16. In Java, the bits of a {@code short}
 * represent such a number. It has 11 significant bits; the largest is 65504, and the smallest above
 * 0 is 2^-24.
 */
public final class Float16 {
  private static final int INFINITY = 0x7C00;
  private static final int NAN = 0x7E00;
  private static final int MANTISSA = 0x3FF;
  private static final int SIGN = 0x8000;

  private static final int FLOAT_INFINITY = 0x7F80_0000;
  private static final int DROPPED = 13; // mantissa bits that a float has and an f16 lacks
  private static final int SMALLEST_NORMAL = 0x3880_0000; // 2^-14 as a float
  private static final int TOO_LARGE = 0x4780_0000; // 65536 as a float
  private static final int REBASED = 112 << 23; // the difference between the exponent biases

  private Float16() {}

  /**
   * Returns the {@code f16} that is nearest to {@code value}; a tie goes to the one whose last bit
   * is 0. A value beyond the range becomes an infinity, and a NaN stays a NaN.
   */
  public static short of(double value) {
    int bits = Float.floatToRawIntBits(toOdd(value));
    int sign = bits >>> 16 & SIGN;
    int magnitude = bits & Integer.MAX_VALUE;
    if (magnitude > FLOAT_INFINITY) {
      return (short) (sign | NAN);
    }
    if (magnitude >= TOO_LARGE) {
      return (short) (sign | INFINITY);
    }
    if (magnitude < SMALLEST_NORMAL) { // subnormal results are multiples of 2^-24
      return (short) (sign | (int) Math.rint(Float.intBitsToFloat(magnitude) * 0x1p24f));
    }
    int rebased = magnitude - REBASED;
    int half = (1 << DROPPED - 1) - 1 + (rebased >>> DROPPED & 1);
    return (short) (sign | rebased + half >>> DROPPED); // may carry into the exponent
  }

  /** Returns the number with these bits, exactly. */
  public static float toFloat(short bits) {
    int sign = (bits & SIGN) << 16;
    int magnitude = bits & Short.MAX_VALUE;
    if (magnitude >= INFINITY) {
      return Float.intBitsToFloat(sign | FLOAT_INFINITY | (magnitude & MANTISSA) << DROPPED);
    }
    if (magnitude <= MANTISSA) {
      float value = magnitude * 0x1p-24f;
      return sign == 0 ? value : -value;
    }
    return Float.intBitsToFloat(sign | (magnitude << DROPPED) + REBASED);
  }

  /**
   * Returns a float that rounds to a shorter type as {@code value} itself does. If digits are lost,
   * the last bit of the float is 1, so it is never halfway between two shorter numbers.
   */
  static float toOdd(double value) {
    float near = (float) value;
    int bits = Float.floatToRawIntBits(near);
    if (near == value || Double.isNaN(value) || (bits & 1) == 1) {
      return near;
    }
    return Float.intBitsToFloat(Math.abs(value) > Math.abs((double) near) ? bits + 1 : bits - 1);
  }
}
