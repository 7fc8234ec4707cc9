package org.jhal.cli;

import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Parses the constants of a command line and checks them against the range of their type. */
final class Literals {
  private static final Pattern INTEGER = Pattern.compile("[+-]?(?:0[xX][0-9a-fA-F]+|[0-9]+)");
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern INFINITY = Pattern.compile("[+-]?inf(?:inity)?");

  private Literals() {}

  /**
   * Parses a constant: an integer in decimal or, after {@code 0x}, hexadecimal; for a float also a
   * decimal fraction, {@code nan}, {@code inf} or {@code -inf}.
   *
   * @param name of the parameter, for messages
   * @return as {@link org.jhal.Args} takes it: a Float, a Double, or a Long, which for a u64 has
   *     the bits of the value
   * @throws HalException INVALID_ARGUMENT if it is not a literal of this type; OUT_OF_RANGE if it
   *     does not fit into the type
   */
  static Number parse(String name, ElementType type, String text) {
    boolean isFloat = type == ElementType.F32 || type == ElementType.F64;
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
        Number value =
            type == ElementType.F32 ? (Number) Float.valueOf(text) : Double.valueOf(text);
        return finite(name, type, value, text);
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
   * The constant with an integer's value.
   *
   * @throws HalException OUT_OF_RANGE if it does not fit into the type
   */
  static Number of(String name, ElementType type, BigInteger value) {
    if (type == ElementType.F32) {
      return finite(name, type, value.floatValue(), value.toString());
    }
    if (type == ElementType.F64) {
      return finite(name, type, value.doubleValue(), value.toString());
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
    return type == ElementType.F32 ? (Number) (float) value : (Number) value;
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
