// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.StructType;
import org.jhal.StructValue;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.jspecify.annotations.Nullable;

/** Parses the constants of a command line and checks them against the range of their type. */
final class Literals {
  private static final Pattern INTEGER = Pattern.compile("[+-]?(?:0[xX][0-9a-fA-F]+|[0-9]+)");
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern INFINITY = Pattern.compile("[+-]?inf(?:inity)?");

  /** Enough for each double in decimal. Longer ones cost the square of their length. */
  private static final int MAX_LENGTH = 1100;

  private Literals() {}

  /**
   * Parses a constant: an integer in decimal or, after {@code 0x}, hexadecimal; for a float also a
   * decimal fraction, {@code nan}, {@code inf} or {@code -inf}.
   *
   * @param name of the parameter, for messages
   * @return as {@link org.jhal.Args} takes it: a Float, a Double, or a Long, which for a u64 has
   *     the bits of the value
   * @throws HalException INVALID_ARGUMENT if it is not a literal of this type, or longer than
   *     {@value #MAX_LENGTH} characters; OUT_OF_RANGE if it does not fit into the type
   */
  static Number parse(String name, ElementType type, String text) {
    if (text.length() > MAX_LENGTH) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "argument '%s' has %s characters; a number has at most %s"
              .formatted(name, text.length(), MAX_LENGTH));
    }
    boolean isFloat = isFloat(type);
    if (INTEGER.matcher(text).matches()) {
      return of(name, type, integer(text));
    }
    if (isFloat) {
      String lower = text.toLowerCase(Locale.ROOT);
      if (lower.equals("nan")) {
        return special(type, Double.NaN);
      }
      if (INFINITY.matcher(lower).matches()) {
        return special(
            type, text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
      }
      if (DECIMAL.matcher(text).matches()) {
        return finite(name, type, nearest(type, text), text);
      }
    }
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "argument '"
            + name
            + "': '"
            + text
            + "' is not of type "
            + type.label()
            + (isFloat ? ", which is a number such as 2.5, nan or inf" : ", which is an integer"));
  }

  /**
   * Parses a struct: the numbers of its scalars, with commas between them.
   *
   * @throws HalException INVALID_ARGUMENT if there are more or fewer numbers; otherwise as {@link
   *     #parse}
   */
  static StructValue struct(String name, StructType type, String text) {
    String[] parts = text.split(",", -1);
    if (parts.length != type.scalars()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "argument '%s': '%s' has %s numbers; %s has %s"
              .formatted(name, text, parts.length, type, type.scalars()));
    }
    Object[] values = new Object[parts.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = parse(name, type.field(i).type(), parts[i].strip());
    }
    return type.value(values);
  }

  /**
   * The constant with an integer's value.
   *
   * @throws HalException OUT_OF_RANGE if it does not fit into the type
   */
  static Number of(String name, ElementType type, BigInteger value) {
    if (isFloat(type)) {
      return finite(name, type, nearest(type, value.toString()), value.toString());
    }
    boolean signed = type.label().startsWith("i");
    int bits = 8 * type.bytes();
    BigInteger min = signed ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
    BigInteger max = BigInteger.ONE.shiftLeft(signed ? bits - 1 : bits).subtract(BigInteger.ONE);
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "argument '"
              + name
              + "': "
              + value
              + " is outside the range of "
              + type.label()
              + ", "
              + min
              + " to "
              + max);
    }
    return value.longValue();
  }

  /** The value of an integer constant as {@link #parse} returns it, or null if it is a float. */
  static @Nullable BigInteger integer(ElementType type, Number value) {
    if (!(value instanceof Long)) {
      return null;
    }
    return type == ElementType.U64
        ? new BigInteger(Long.toUnsignedString(value.longValue()))
        : BigInteger.valueOf(value.longValue());
  }

  private static BigInteger integer(String text) {
    String digits = text.startsWith("+") || text.startsWith("-") ? text.substring(1) : text;
    BigInteger value =
        digits.startsWith("0x") || digits.startsWith("0X")
            ? new BigInteger(digits.substring(2), 16)
            : new BigInteger(digits);
    return text.startsWith("-") ? value.negate() : value;
  }

  private static Number special(ElementType type, double value) {
    return type == ElementType.F64 ? (Number) value : (Number) (float) value;
  }

  private static boolean isFloat(ElementType type) {
    return switch (type) {
      case F16, BF16, F32, F64 -> true;
      default -> false;
    };
  }

  /** The number of a type that is nearest to a decimal one. */
  private static Number nearest(ElementType type, String text) {
    return switch (type) {
      case F16 -> (Number) Float16.toFloat(Float16.of(toOdd(text)));
      case BF16 -> (Number) BFloat16.toFloat(BFloat16.of(toOdd(text)));
      case F32 -> (Number) Float.valueOf(text);
      default -> (Number) Double.valueOf(text);
    };
  }

  /**
   * A double from which rounding to fewer digits gives the same as from the decimal number itself:
   * if that lies between two doubles, it is the one of them whose last bit is 1. Of numbers that
   * are far out of the range of the shorter types it is the nearest one.
   */
  private static double toOdd(String decimal) {
    double near = Double.parseDouble(decimal);
    if (Math.abs(near) < 1e-60 || Math.abs(near) > 1e60) {
      return near;
    }
    int side = new BigDecimal(decimal).compareTo(new BigDecimal(near));
    boolean isOdd = (Double.doubleToRawLongBits(near) & 1) == 1;
    return side == 0 || isOdd ? near : side > 0 ? Math.nextUp(near) : Math.nextDown(near);
  }

  private static Number finite(String name, ElementType type, Number value, String text) {
    if (Double.isInfinite(value.doubleValue())) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "argument '" + name + "': " + text + " is outside the range of " + type.label());
    }
    return value;
  }
}
