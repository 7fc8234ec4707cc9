// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

/** The type of a function's results. They are kept as bits, extended with zeros to 64. */
public enum ResultType {
  /** 32 bits, of a signed or an unsigned integer, or of a truth value. */
  U32(0, 0, 4),
  /** 64 bits. */
  U64(0, 0, 8),
  /** A float. */
  F32(8, 23, 4),
  /** A double. */
  F64(11, 52, 8),
  /** A half. */
  F16(5, 10, 2),
  /** A bfloat16. */
  BF16(8, 7, 2);

  private final int exponent;
  private final int fraction;
  private final int bytes;

  ResultType(int exponent, int fraction, int bytes) {
    this.exponent = exponent;
    this.fraction = fraction;
    this.bytes = bytes;
  }

  /** The size of a result in bytes. */
  public int bytes() {
    return bytes;
  }

  private boolean isFloating() {
    return exponent > 0;
  }

  /** Whether these bits are a NaN. */
  boolean isNan(long bits) {
    return isFloating() && magnitude(bits) > infinity();
  }

  private long infinity() {
    return ((1L << exponent) - 1) << fraction;
  }

  private long magnitude(long bits) {
    return bits & (1L << exponent + fraction) - 1;
  }

  /**
   * Whether a float or bfloat16 is too near zero for the usual form, or may have been before it was
   * rounded.
   */
  boolean isSubnormal(long bits) {
    boolean canBe = this == F32 || this == BF16;
    return canBe && magnitude(bits) != 0 && magnitude(bits) <= 1L << fraction;
  }

  /**
   * How many numbers of this type lie between two, plus one: 0 for the same number, 1 for
   * neighbours. Infinity counts as the neighbour of the largest number; zeros of both signs are one
   * number. {@code Long.MAX_VALUE} if just one of them is a NaN. For integers, the difference.
   */
  long distance(long a, long b) {
    if (!isFloating()) {
      long difference = a - b;
      return difference == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(difference);
    }
    if (isNan(a) || isNan(b)) {
      return isNan(a) && isNan(b) ? 0 : Long.MAX_VALUE;
    }
    long difference = position(a) - position(b); // both have at most 63 bits and a sign
    return difference == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(difference);
  }

  private long position(long bits) {
    return (bits >>> exponent + fraction & 1) == 1 ? -magnitude(bits) : magnitude(bits);
  }

  /** A result for people: the number, and the bits of what is no integer. */
  String text(long bits) {
    String hexadecimal = "0x" + Long.toHexString(bits);
    if (this == F32) {
      return Float.intBitsToFloat((int) bits) + " (" + hexadecimal + ")";
    }
    return this == F64 ? Double.longBitsToDouble(bits) + " (" + hexadecimal + ")" : hexadecimal;
  }
}
