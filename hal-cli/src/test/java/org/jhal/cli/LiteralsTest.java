package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Random;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiteralsTest {
  @Test
  void eachTypeIsRead() {
    assertEquals(-128L, Literals.parse("a", ElementType.I8, "-128"));
    assertEquals(255L, Literals.parse("a", ElementType.U8, "255"));
    assertEquals(32767L, Literals.parse("a", ElementType.I16, "+32767"));
    assertEquals(65535L, Literals.parse("a", ElementType.U16, "0xffff"));
    assertEquals(-16L, Literals.parse("a", ElementType.I32, "-0x10"));
    assertEquals(4294967294L, Literals.parse("a", ElementType.U32, "4294967294"));
    assertEquals(Long.MIN_VALUE, Literals.parse("a", ElementType.I64, "-9223372036854775808"));
    assertEquals(-1L, Literals.parse("a", ElementType.U64, "18446744073709551615"));
    assertEquals(2.5f, Literals.parse("a", ElementType.F32, "2.5"));
    assertEquals(-1e300, Literals.parse("a", ElementType.F64, "-1e300"));
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
  void floatsAreRead(String text, double value) {
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
    "F64, 1e309",
    "F64, -1e309"
  })
  void whatDoesNotFitIsOutOfRange(ElementType type, String text) {
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
  void whatIsNoLiteralIsInvalid(ElementType type, String text) {
    HalException e = assertThrows(HalException.class, () -> Literals.parse("gain", type, text));
    String message = String.valueOf(e.getMessage());
    assertEquals(Status.INVALID_ARGUMENT, e.status(), message);
    assertTrue(message.contains("'gain'") && message.contains("'" + text + "'"), message);
  }

  @Test
  void anIntegerHasItsValueWhateverItsBits() {
    Random random = new Random(40);
    for (ElementType type : ElementType.values()) {
      if (type == ElementType.F32 || type == ElementType.F64) {
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
}
