// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LiteralsTest {
  @Test
  void parsesIntegersOfEachType() {
    assertEquals(-128L, Literals.parse("a", ElementType.I8, "-128"));
    assertEquals(255L, Literals.parse("a", ElementType.U8, "255"));
    assertEquals(32767L, Literals.parse("a", ElementType.I16, "+32767"));
    assertEquals(65535L, Literals.parse("a", ElementType.U16, "0xffff"));
    assertEquals(-16L, Literals.parse("a", ElementType.I32, "-0x10"));
    assertEquals(4294967294L, Literals.parse("a", ElementType.U32, "4294967294"));
    assertEquals(Long.MIN_VALUE, Literals.parse("a", ElementType.I64, "-9223372036854775808"));
    assertEquals(-1L, Literals.parse("a", ElementType.U64, "18446744073709551615"));
    assertEquals(2.5f, Literals.parse("a", ElementType.F32, "2.5"));
    assertEquals(0.099975586f, Literals.parse("a", ElementType.F16, "0.1"));
    assertEquals(3f, Literals.parse("a", ElementType.BF16, "3"));
    assertEquals(-1e300, Literals.parse("a", ElementType.F64, "-1e300"));
  }

  /** Before anything computes with it, which takes the square of its length. */
  @Test
  void rejectsANumberOfThousandsOfDigits() {
    String longest = "0." + "0".repeat(1097) + "1";
    assertEquals(0.0, Literals.parse("a", ElementType.F64, longest));
    HalException thrown =
        assertThrows(HalException.class, () -> Literals.parse("a", ElementType.F64, longest + "0"));
    assertEquals(Status.INVALID_ARGUMENT, thrown.status());
    assertEquals(
        "argument 'a' has 1101 characters; a number has at most 1100", thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "nan, NaN",
    "NaN, NaN",
    "inf, Infinity",
    "-inf, -Infinity",
    "+Inf, Infinity",
    "-Infinity, -Infinity",
    "16, 16",
    "0x10, 16",
    ".5, 0.5",
    "5., 5",
    "1e-2, 0.01",
    "-0.0, -0.0"
  })
  void parsesFloats(String text, double value) {
    assertEquals(value, Literals.parse("a", ElementType.F64, text));
    assertEquals((float) value, Literals.parse("a", ElementType.F32, text));
  }

  @ParameterizedTest
  @CsvSource({
    "I8, 128",
    "I8, -129",
    "I8, 0xff",
    "U8, 256",
    "U8, -1",
    "I16, 32768",
    "U16, 65536",
    "I32, 2147483648",
    "U32, 4294967296",
    "U32, -1",
    "I64, 9223372036854775808",
    "U64, 18446744073709551616",
    "U64, 0x10000000000000000",
    "F32, 1e39",
    "F32, -1e39",
    "F16, 65520",
    "F16, 1e9",
    "BF16, 1e39",
    "F64, 1e309",
    "F64, -1e309"
  })
  void refusesAValueThatDoesNotFit(ElementType type, String text) {
    HalException e = assertThrows(HalException.class, () -> Literals.parse("gain", type, text));
    String message = String.valueOf(e.getMessage());
    assertEquals(Status.OUT_OF_RANGE, e.status(), message);
    assertTrue(message.contains("'gain'") && message.contains(type.label()), message);
  }

  @ParameterizedTest
  @CsvSource({
    "I32, x", "I32, ''", "I32, 1.5", "I32, 1e3", "I32, 0x", "I32, 0xg", "I32, --1", "I32, 1 2",
    "I32, nan", "I32, 1_000", "F32, x", "F32, ''", "F32, .", "F32, 1e", "F32, 1.5f", "F64, 2d",
    "F64, nano", "F64, 1.5.2", "F64, ' 1'"
  })
  void refusesAMalformedLiteral(ElementType type, String text) {
    HalException e = assertThrows(HalException.class, () -> Literals.parse("gain", type, text));
    String message = String.valueOf(e.getMessage());
    assertEquals(Status.INVALID_ARGUMENT, e.status(), message);
    assertTrue(message.contains("'gain'") && message.contains("'" + text + "'"), message);
  }

  @Test
  void returnsTheValueOfAnInteger() {
    Random random = new Random(40);
    for (ElementType type : ElementType.values()) {
      if (type.label().contains("f")) {
        continue;
      }
      for (int i = 0; i < 100; i++) {
        BigInteger value = new BigInteger(8 * type.bytes(), random);
        if (type.label().startsWith("i")) {
          value = value.subtract(BigInteger.ONE.shiftLeft(8 * type.bytes() - 1));
        }
        String text = i % 2 == 0 ? value.toString() : hexadecimal(value);
        assertEquals(value, Literals.integer(type, Literals.parse("a", type, text)));
      }
    }
  }

  private static String hexadecimal(BigInteger value) {
    return (value.signum() < 0 ? "-" : "") + "0x" + value.abs().toString(16);
  }

  /** Each number, each middle of two, and decimals too close to a middle for a double. */
  @ParameterizedTest
  @EnumSource(
      value = ElementType.class,
      names = {"F16", "BF16"})
  void roundsDecimalsOnce(ElementType type) {
    int largest = type == ElementType.F16 ? 0x7BFF : 0x7F7F;
    BigDecimal little = new BigDecimal("1e-70");
    for (int bits = 0; bits < largest; bits++) {
      float low = toFloat(type, bits);
      float high = toFloat(type, bits + 1);
      BigDecimal exact = new BigDecimal(low);
      BigDecimal middle = exact.add(new BigDecimal(high)).divide(BigDecimal.valueOf(2));
      float even = (bits & 1) == 0 ? low : high;
      assertEquals(low, parse(type, exact), () -> exact.toString());
      assertEquals(even, parse(type, middle), () -> middle.toString());
      assertEquals(low, parse(type, middle.subtract(little)), () -> "below " + middle);
      assertEquals(high, parse(type, middle.add(little)), () -> "above " + middle);
      assertEquals(-high, parse(type, middle.add(little).negate()), () -> "below -" + middle);
    }
    assertEquals(0f, Literals.parse("x", type, "1e-99999999999"));
    assertEquals(0f, Literals.parse("x", type, "1e-2147483648"));
  }

  private static float toFloat(ElementType type, int bits) {
    return type == ElementType.F16 ? Float16.toFloat((short) bits) : BFloat16.toFloat((short) bits);
  }

  private static float parse(ElementType type, BigDecimal value) {
    return (float) Literals.parse("x", type, value.toString());
  }
}
