// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.util.Arrays;
import org.jhal.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * Compares two arrays of elements of a type: integers exactly, floating-point numbers by the number
 * of values between them. All NaNs are equal. Elements that neither side has written are not
 * compared.
 */
public final class Elements {
  /** What fresh memory is filled with on the two sides. */
  public static final byte[] FRESH = {(byte) 0xA5, (byte) 0x5A};

  private final ElementType type;
  private final Tolerance tolerance;
  private final int size;
  private double slack; // the difference up to which two numbers count as equal

  Elements(ElementType type, Tolerance tolerance) {
    this.type = type;
    this.tolerance = tolerance;
    this.size = type.bytes();
    this.slack = tolerance.absolute;
  }

  boolean isFloat() {
    return isFloat(type);
  }

  static boolean isFloat(ElementType type) {
    return switch (type) {
      case F16, BF16, F32, F64 -> true;
      default -> false;
    };
  }

  /** Takes the largest number of a buffer into account, if that is wanted. */
  void scaleBy(byte[] bytes) {
    if (tolerance.isScaled && isFloat()) {
      slack = Math.max(tolerance.absolute, scaledSlack(bytes));
    }
  }

  /** The difference that counts as none by the unit of the largest number of a buffer. */
  private double scaledSlack(byte[] bytes) {
    return tolerance.ulps * ulp(largest(bytes));
  }

  /** The largest magnitude of a finite number. */
  private double largest(byte[] bytes) {
    double largest = 0;
    for (int i = 0; i < bytes.length / size; i++) {
      double value = Math.abs(Constants.number(type, bytes, i * size).doubleValue());
      largest = value > largest && value < Double.POSITIVE_INFINITY ? value : largest;
    }
    return largest;
  }

  /**
   * The largest number of a buffer, if two elements that differ would be near enough by its unit;
   * null if they would not.
   */
  @Nullable Double nearScaledBy(byte[] first, byte[] second, int element) {
    return isFloat() && difference(first, second, element) <= scaledSlack(first)
        ? (Double) largest(first)
        : null;
  }

  /** The distance of a number from the next larger one of the type. */
  private double ulp(double value) {
    return switch (type) {
      case F64 -> Math.ulp(value);
      case F32 -> Math.ulp((float) value);
      case F16 -> Math.scalb(1.0, Math.max(Math.getExponent(value), -14) - 10);
      default -> Math.scalb(1.0, Math.max(Math.getExponent(value), -126) - 7);
    };
  }

  /**
   * How far floating-point numbers may be apart.
   *
   * @param ulps how many units in the last place
   * @param absolute the difference up to which they count as equal
   * @param isScaled whether units in the last place are those of the largest number of the buffer
   */
  public record Tolerance(long ulps, double absolute, boolean isScaled) {}

  /** Whether neither side has written an element. */
  boolean isFresh(byte[] first, byte[] second, int element) {
    for (int i = element * size; i < (element + 1) * size; i++) {
      if (first[i] != FRESH[0] || second[i] != FRESH[1]) {
        return false;
      }
    }
    return true;
  }

  /** Whether the bits of an element are equal. */
  boolean isSame(byte[] first, byte[] second, int element) {
    int from = element * size;
    return Arrays.equals(first, from, from + size, second, from, from + size);
  }

  /** How many values lie between the two, for integers too; 0 for two NaNs. */
  long distance(byte[] first, byte[] second, int element) {
    Number a = Constants.number(type, first, element * size);
    Number b = Constants.number(type, second, element * size);
    if (isFloat()) {
      return distance(
          a.doubleValue(),
          b.doubleValue(),
          bits(first, element),
          bits(second, element),
          Byte.SIZE * size);
    }
    long difference = a.longValue() - b.longValue();
    return difference == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(difference);
  }

  /** The difference of two elements as numbers. */
  double difference(byte[] first, byte[] second, int element) {
    double a = Constants.number(type, first, element * size).doubleValue();
    double b = Constants.number(type, second, element * size).doubleValue();
    return Math.abs(a - b);
  }

  private long bits(byte[] bytes, int element) {
    long bits = 0;
    for (int i = size - 1; i >= 0; i--) {
      bits = bits << 8 | bytes[element * size + i] & 0xFF;
    }
    return bits;
  }

  private static long distance(double a, double b, long aBits, long bBits, int width) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Double.isNaN(a) && Double.isNaN(b) ? 0 : Long.MAX_VALUE;
    }
    long difference = ordered(aBits, width) - ordered(bBits, width);
    boolean isTooFar = (a < 0) != (b < 0) && width == 64 && Math.abs(a - b) > Double.MIN_NORMAL;
    return isTooFar || difference == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(difference);
  }

  /** The place of a number among all of its type. */
  private static long ordered(long bits, int width) {
    long sign = 1L << width - 1;
    return (bits & sign) == 0 ? bits : -(bits & ~sign);
  }

  /** Whether two elements are farther apart than they may be. */
  boolean differ(byte[] first, byte[] second, int element) {
    long distance = distance(first, second, element);
    if (distance == 0 || !isFloat()) {
      return distance != 0;
    }
    return distance > tolerance.ulps && !(difference(first, second, element) <= slack);
  }

  /** An element for people. */
  String text(byte[] bytes, int element) {
    return Constants.text(type, Constants.number(type, bytes, element * size));
  }
}
