// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {
  @Test
  void parsesAndPrintsAShape() {
    Shape shape = Shape.parse("480,640,3");
    assertEquals(Shape.of(480, 640, 3), shape);
    assertEquals(921_600, shape.elements());
    assertEquals(3_686_400, shape.bytes(4));
    assertEquals("480,640,3", shape.toString());
    assertEquals(1, Shape.of().elements());
    assertEquals(0, Shape.parse("0,9223372036854775807,9223372036854775807").elements());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",", "3,", ",3", "3;4", "x", "1.5", "99999999999999999999", " 3"})
  void refusesAMalformedShape(String text) {
    HalException e = assertThrows(HalException.class, () -> Shape.parse(text));
    assertEquals(Status.INVALID_ARGUMENT, e.status());
  }

  @Test
  void aSizeOutsideTheRangeIsRefused() {
    assertOutOfRange("-1");
    assertOutOfRange("3,-4");
    assertOutOfRange("4294967296,4294967296");
    HalException e =
        assertThrows(HalException.class, () -> Shape.parse("9223372036854775807").bytes(2));
    assertEquals(Status.OUT_OF_RANGE, e.status());
  }

  private static void assertOutOfRange(String text) {
    HalException e = assertThrows(HalException.class, () -> Shape.parse(text));
    assertEquals(Status.OUT_OF_RANGE, e.status());
  }
}
