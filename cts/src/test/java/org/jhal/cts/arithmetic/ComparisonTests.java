// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.function.BinaryOperator;
import org.jhal.cts.arithmetic.Comparison.Scope;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a device may differ in that takes subnormal numbers for zeros. */
class ComparisonTests {
  private static float flushed(float x) {
    return Math.abs(x) < Float.MIN_NORMAL ? Math.copySign(0f, x) : x;
  }

  private static float computed(String name, float x, float y) {
    return switch (name) {
      case "x+y" -> x + y;
      case "x-y" -> x - y;
      case "x*y" -> x * y;
      case "x/y" -> x / y;
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static int different(String name, Scope scope, BinaryOperator<Float> compute)
      throws IOException {
    DialectFunction function =
        DialectFunction.all().stream()
            .filter(of -> of.name().equals(name))
            .findFirst()
            .orElseThrow();
    Operands.Tuples tuples = function.operands().tuples();
    long[] bits = new long[Operands.COUNT];
    for (int i = 0; i < bits.length; i++) {
      float x = Float.intBitsToFloat(tuples.a()[i]);
      float y = Float.intBitsToFloat(tuples.b()[i]);
      bits[i] = Integer.toUnsignedLong(Float.floatToRawIntBits(compute.apply(x, y)));
    }
    return Comparison.of(function, bits, Results.measured(), Results.exact(), scope).different();
  }

  @ParameterizedTest
  @CsvSource({"x+y", "x-y", "x*y", "x/y"})
  void zerosMayStandForSubnormalNumbers(String name) throws IOException {
    Scope keeping = new Scope(true, true, false);
    Scope flushing = new Scope(true, false, false);
    BinaryOperator<Float> flushes = (x, y) -> flushed(computed(name, flushed(x), flushed(y)));
    assertEquals(0, different(name, keeping, (x, y) -> computed(name, x, y)));
    assertEquals(0, different(name, flushing, flushes));
    assertTrue(different(name, keeping, flushes) > 0, "a device that keeps them has zeros");
    BinaryOperator<Float> wrong = (x, y) -> Math.nextUp(flushes.apply(x, y));
    int found = different(name, flushing, wrong);
    assertTrue(found > Operands.COUNT / 2, name + ": only " + found + " wrong results are found");
  }
}
