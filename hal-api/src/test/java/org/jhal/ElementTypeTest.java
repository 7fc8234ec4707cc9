// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElementTypeTest {
  @Test
  void countsBytes() {
    assertEquals(0, ElementType.F32.bytes(0));
    assertEquals(3, ElementType.U8.bytes(3));
    assertEquals(12_000_000_000L, ElementType.F32.bytes(3_000_000_000L));
    assertEquals(Long.MAX_VALUE - 7, ElementType.F64.bytes(Long.MAX_VALUE / 8));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE / 8 + 1, Long.MAX_VALUE})
  void refusesCountsWithoutASize(long count) {
    HalException refused = assertThrows(HalException.class, () -> ElementType.F64.bytes(count));
    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals(
        count + " elements of f64; at least 0 and at most 1152921504606846975 are possible",
        refused.getMessage());
  }
}
