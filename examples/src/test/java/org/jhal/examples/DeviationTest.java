// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The check of {@code hal accuracy} passes and fails as it should. */
class DeviationTest {
  private static final double[] REFERENCE = {1 + 0x1p-30, 0, -4};
  private static final double[] SCALE = {1 + 0x1p-30, 0, 4};

  private static Deviation of(float... result) {
    return Deviation.of(result, REFERENCE, SCALE, Deviation.ROUNDING);
  }

  @Test
  void aValueThatIsRoundedOncePasses() {
    Deviation deviation = of(1, 0, -4);
    assertEquals(0x1p-30, deviation.largest(), 0x1p-50);
    assertTrue(deviation.isWithin());
  }

  @Test
  void aValueBesideTheRoundedOneFails() {
    assertFalse(of(Math.nextUp(1f), 0, -4).isWithin());
    assertFalse(of(1, 0, Math.nextDown(-4f)).isWithin());
  }

  @Test
  void aNonZeroResultForZeroFails() {
    assertFalse(of(1, Float.MIN_VALUE, -4).isWithin());
  }

  @Test
  void nanFails() {
    assertFalse(of(1, Float.NaN, -4).isWithin());
    assertFalse(of(Float.NaN, 0, -4).isWithin());
    assertFalse(of(1, 0, Float.NEGATIVE_INFINITY).isWithin());
  }

  @Test
  void theBoundsOfSeveralRoundingsAddUp() {
    assertEquals(2 * 0x1p-24, Deviation.roundings(2), 0x1p-44);
    assertTrue(Deviation.roundings(2) > 2 * 0x1p-24);
  }

  @Test
  void aFailedCheckIsPrinted() {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    assertFalse(Accuracy.print(out, "saxpy", new Deviation(0.25, 0.125)));
    assertEquals(
        "saxpy      largest error 2.500e-01, bound 1.250e-01: TOO LARGE", text.toString().strip());
    assertTrue(Accuracy.print(out, "saxpy", new Deviation(0.125, 0.125)));
  }
}
