// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jhal.kernel.Float16;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FillPatternTest {
  @Test
  void holdsOneTwoOrFourBytes() {
    assertEquals(new FillPattern(0xFF, 1), FillPattern.of8(0xFF));
    assertEquals(new FillPattern(0xFFFF, 2), FillPattern.of16(0xFFFF));
    assertEquals(new FillPattern(-1, 4), FillPattern.of32(-1));
    assertEquals(new FillPattern(0x3FC00000, 4), FillPattern.of(1.5f));
    assertEquals(new FillPattern(0, 1), FillPattern.ZERO);
  }

  @Test
  void holdsNumbersOfEachType() {
    assertEquals(new FillPattern(0xFE, 1), FillPattern.of((byte) -2));
    assertEquals(new FillPattern(0xFFFE, 2), FillPattern.of((short) -2));
    assertEquals(new FillPattern(0x3C00, 2), FillPattern.of(Float16.of(1)));
    assertEquals(new FillPattern(1, 4), FillPattern.of(1));
    assertEquals(new FillPattern(0, 4), FillPattern.of(0.0));
    assertEquals(new FillPattern(-1, 4), FillPattern.of(-1L));
    assertEquals(new FillPattern(7, 4), FillPattern.of(0x7_0000_0007L));
  }

  @Test
  void refusesNumbersOfEightBytesWithDifferentHalves() {
    HalException one = assertThrows(HalException.class, () -> FillPattern.of(1L));
    assertEquals(Status.INVALID_ARGUMENT, one.status());
    assertEquals(
        "a fill pattern has at most 4 bytes, and the two halves of 0x1 differ; upload this value,"
            + " or write it with a kernel",
        one.getMessage());
    assertThrows(HalException.class, () -> FillPattern.of(1.5));
    assertThrows(HalException.class, () -> FillPattern.of(-0.0));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 3, 5, 8})
  void refusesOtherLengths(int bytes) {
    HalException refused = assertThrows(HalException.class, () -> new FillPattern(0, bytes));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(
        "fill pattern of " + bytes + " bytes; it may have 1, 2 or 4", refused.getMessage());
  }

  @Test
  void refusesBitsThatDoNotFit() {
    HalException one = assertThrows(HalException.class, () -> FillPattern.of8(0x100));
    HalException negative = assertThrows(HalException.class, () -> FillPattern.of8(-1));
    HalException two = assertThrows(HalException.class, () -> FillPattern.of16(0x10000));

    assertEquals("fill pattern 0x100 does not fit into 1 bytes", one.getMessage());
    assertEquals("fill pattern 0xffffffff does not fit into 1 bytes", negative.getMessage());
    assertEquals("fill pattern 0x10000 does not fit into 2 bytes", two.getMessage());
    assertEquals(Status.INVALID_ARGUMENT, two.status());
  }
}
