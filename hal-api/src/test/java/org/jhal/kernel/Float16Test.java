// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.DoubleFunction;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** {@link Float16} and {@link BFloat16}. */
class Float16Test {
  private interface Widening {
    float of(short bits);
  }

  @Test
  void knownValues() {
    Object[][] known = {
      {0x0000, 0.0},
      {0x8000, -0.0},
      {0x3C00, 1.0},
      {0xC000, -2.0},
      {0x7BFF, 65504.0},
      {0x0400, 0x1p-14},
      {0x0001, 0x1p-24},
      {0x03FF, 1023 * 0x1p-24},
      {0x3555, 0.333251953125},
      {0x7C00, Double.POSITIVE_INFINITY},
      {0xFC00, Double.NEGATIVE_INFINITY}
    };
    for (Object[] one : known) {
      short bits = (short) (int) one[0];
      assertEquals((float) (double) one[1], Float16.toFloat(bits));
      assertEquals(bits, Float16.of((double) one[1]), () -> one[1] + "");
    }
    assertEquals((short) 0x3F80, BFloat16.of(1));
    assertEquals((short) 0xC2F7, BFloat16.of(-123.456));
    assertEquals(-123.5f, BFloat16.toFloat((short) 0xC2F7));
    assertEquals((short) 0x7F80, BFloat16.of(Float.MAX_VALUE), "the nearest is beyond the largest");
    assertEquals((short) 0x7F80, BFloat16.of(Double.MAX_VALUE));
    assertEquals((short) 0x8000, BFloat16.of(-Double.MIN_VALUE));
    assertEquals((short) 0, Float16.of(Double.MIN_VALUE));
    assertEquals((short) 0x7C00, Float16.of(65520), "halfway, the last bit is 0");
    assertEquals((short) 0x7BFF, Float16.of(Math.nextDown(65520.0)));
    assertEquals((short) 0x0000, Float16.of(0x1p-25), "halfway, the last bit is 0");
    assertEquals((short) 0x0001, Float16.of(Math.nextUp(0x1p-25)));
  }

  /** Each value comes back, and so does each number in the half of a step around it. */
  private static void checkAll(Widening widen, DoubleFunction<Short> round, short infinity) {
    for (int i = 0; i < 1 << 16; i++) {
      short bits = (short) i;
      float value = widen.of(bits);
      short back = round.apply(value);
      if (Float.isNaN(value)) {
        assertTrue((bits & 0x7FFF) > infinity);
        assertTrue((back & 0x7FFF) > infinity, () -> "NaN became " + back);
        continue;
      }
      assertEquals(bits, back);
      if ((bits & 0x7FFF) < infinity - 1) { // the next number away from 0 is finite
        double next = widen.of((short) (bits + 1));
        double middle = (value + next) / 2; // exact
        double toward = Math.nextAfter(middle, (double) value);
        double away = Math.nextAfter(middle, next);
        short even = (short) ((bits & 1) == 0 ? bits : bits + 1);
        assertEquals(even, (short) round.apply(middle), () -> "halfway, " + middle);
        assertEquals(bits, (short) round.apply(toward), () -> "just below " + middle);
        assertEquals((short) (bits + 1), (short) round.apply(away), () -> "just above " + middle);
      }
    }
  }

  @Test
  void allNumbersOf16BitsAreRoundedToTheNearest() {
    checkAll(Float16::toFloat, Float16::of, (short) 0x7C00);
    checkAll(BFloat16::toFloat, BFloat16::of, (short) 0x7F80);
  }

  /** From Java 20 on the JDK converts too. */
  @Test
  void theJdkAgrees() throws Throwable {
    Assumptions.assumeTrue(Runtime.version().feature() >= 20, "Float.float16ToFloat is of Java 20");
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodHandle widen =
        lookup.findStatic(
            Float.class, "float16ToFloat", MethodType.methodType(float.class, short.class));
    MethodHandle round =
        lookup.findStatic(
            Float.class, "floatToFloat16", MethodType.methodType(short.class, float.class));
    for (int i = 0; i < 1 << 16; i++) {
      float value = (float) widen.invokeExact((short) i);
      assertEquals(Float.floatToIntBits(value), Float.floatToIntBits(Float16.toFloat((short) i)));
    }
    for (long bits = 0; bits < 1L << 32; bits += 4093) {
      float value = Float.intBitsToFloat((int) bits);
      if (!Float.isNaN(value)) {
        assertEquals((short) round.invokeExact(value), Float16.of(value), () -> value + "");
      }
    }
  }
}
