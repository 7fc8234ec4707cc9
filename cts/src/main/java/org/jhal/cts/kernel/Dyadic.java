// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import java.math.BigInteger;

/**
 * A number {@code mantissa * 2^exponent}, exactly, and its rounding to each format of
 * floating-point numbers. Knows nothing of how devices compute.
 *
 * <p>Immutable.
 */
record Dyadic(BigInteger mantissa, int exponent) {
  static final Dyadic ZERO = new Dyadic(BigInteger.ZERO, 0);

  /** How many bits quotients and roots have; the last one stands for all that follow. */
  private static final int ENOUGH = 200;

  /** How a number is rounded: to the nearest, toward zero, up, down. */
  enum Mode {
    RN,
    RZ,
    RU,
    RD
  }

  /** A format of IEEE 754: its bits of precision, and its largest exponent. */
  record Format(int precision, int largest) {
    static final Format F16 = new Format(11, 15);
    static final Format BF16 = new Format(8, 127);
    static final Format F32 = new Format(24, 127);
    static final Format F64 = new Format(53, 1023);

    int bits() {
      return precision + Integer.bitCount(largest) + 1;
    }

    long sign() {
      return 1L << (bits() - 1);
    }

    long infinity() {
      return (2L * largest + 1) << (precision - 1);
    }

    /** One of the bit patterns of NaN. */
    long nan() {
      return infinity() | 1L << (precision - 2);
    }

    private long magnitude(long bits) {
      return bits & (sign() - 1);
    }

    boolean isNan(long bits) {
      return magnitude(bits) > infinity();
    }

    boolean isInfinite(long bits) {
      return magnitude(bits) == infinity();
    }

    boolean isZero(long bits) {
      return magnitude(bits) == 0;
    }

    boolean isNegative(long bits) {
      return (bits & sign()) != 0;
    }

    long zero(boolean isNegative) {
      return isNegative ? sign() : 0;
    }

    /** The value of a finite number. */
    Dyadic value(long bits) {
      int biased = (int) (magnitude(bits) >>> (precision - 1));
      long fraction = bits & ((1L << (precision - 1)) - 1);
      if (biased > 0) {
        fraction |= 1L << (precision - 1);
      }
      int exponent = Math.max(biased, 1) - largest - (precision - 1);
      return new Dyadic(BigInteger.valueOf(isNegative(bits) ? -fraction : fraction), exponent);
    }
  }

  static Dyadic of(BigInteger whole) {
    return new Dyadic(whole, 0);
  }

  int sign() {
    return mantissa.signum();
  }

  Dyadic negated() {
    return new Dyadic(mantissa.negate(), exponent);
  }

  Dyadic plus(Dyadic other) {
    int common = Math.min(exponent, other.exponent);
    return new Dyadic(at(common).add(other.at(common)), common);
  }

  private BigInteger at(int smaller) {
    return mantissa.shiftLeft(exponent - smaller);
  }

  Dyadic times(Dyadic other) {
    return new Dyadic(mantissa.multiply(other.mantissa), exponent + other.exponent);
  }

  /** A number between which and the quotient there is none that a format has, nor half of one. */
  Dyadic over(Dyadic other) {
    int shift = ENOUGH + other.mantissa.bitLength();
    BigInteger[] parts = mantissa.abs().shiftLeft(shift).divideAndRemainder(other.mantissa.abs());
    BigInteger sticky = sticky(parts[0], parts[1]);
    boolean isNegative = sign() * other.sign() < 0;
    return new Dyadic(isNegative ? sticky.negate() : sticky, exponent - other.exponent - shift - 1);
  }

  /** Likewise, of a number that is not negative. */
  Dyadic root() {
    int shift = 2 * ENOUGH + (exponent & 1);
    BigInteger[] parts = mantissa.shiftLeft(shift).sqrtAndRemainder();
    return new Dyadic(sticky(parts[0], parts[1]), (exponent - shift) / 2 - 1);
  }

  private static BigInteger sticky(BigInteger value, BigInteger rest) {
    return value.shiftLeft(1).or(rest.signum() == 0 ? BigInteger.ZERO : BigInteger.ONE);
  }

  /** The bits of this number in a format. */
  long round(Format format, Mode mode) {
    boolean isNegative = sign() < 0;
    BigInteger size = mantissa.abs();
    if (size.signum() == 0) {
      return 0;
    }
    int least = 1 - format.largest() - (format.precision() - 1);
    int unit = Math.max(least, exponent + size.bitLength() - format.precision());
    long kept = rounded(size, exponent - unit, mode, isNegative).longValueExact();
    boolean isBeyond = unit - least > 2 * format.largest();
    // A carry goes into the exponent, which is what it should do.
    long bits = isBeyond ? 0 : kept + ((long) (unit - least) << (format.precision() - 1));
    if (isBeyond || bits >= format.infinity()) {
      boolean stays =
          mode == Mode.RZ || mode == Mode.RU && isNegative || mode == Mode.RD && !isNegative;
      bits = stays ? format.infinity() - 1 : format.infinity();
    }
    return bits | format.zero(isNegative);
  }

  /** The whole number next to this one, as the mode says. */
  BigInteger whole(Mode mode) {
    BigInteger size = rounded(mantissa.abs(), exponent, mode, sign() < 0);
    return sign() < 0 ? size.negate() : size;
  }

  /** {@code size * 2^shift} as a whole number. */
  private static BigInteger rounded(BigInteger size, int shift, Mode mode, boolean isNegative) {
    if (shift >= 0) {
      return size.shiftLeft(shift);
    }
    BigInteger down = size.shiftRight(-shift);
    BigInteger rest = size.subtract(down.shiftLeft(-shift));
    int half = rest.shiftLeft(1).compareTo(BigInteger.ONE.shiftLeft(-shift));
    boolean isUp =
        switch (mode) {
          case RN -> half > 0 || half == 0 && down.testBit(0);
          case RZ -> false;
          case RU -> rest.signum() > 0 && !isNegative;
          case RD -> rest.signum() > 0 && isNegative;
        };
    return isUp ? down.add(BigInteger.ONE) : down;
  }
}
