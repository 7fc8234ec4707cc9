package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
