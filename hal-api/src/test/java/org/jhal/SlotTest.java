// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTest {
  private static final long MAX = Long.MAX_VALUE;

  @Test
  void standsForTheWholeOrARange() {
    assertEquals(new Slot(3, 0, Slot.WHOLE), Slot.of(3));
    assertEquals(new Slot(3, 8, 16), Slot.of(3).slice(8, 16));
    assertEquals(new Slot(3, 8, Slot.WHOLE), Slot.of(3).slice(8, Slot.WHOLE));
    assertEquals(new Slot(3, 12, 4), new Slot(3, 8, 16).slice(4, 4));
    assertEquals(new Slot(3, 12, 12), new Slot(3, 8, 16).slice(4, Slot.WHOLE));
    assertEquals(new Slot(3, 24, 0), new Slot(3, 8, 16).slice(16, 0));
    assertEquals(new Slot(3, 24, 0), new Slot(3, 8, 16).slice(16, Slot.WHOLE));
    assertEquals(new Slot(0, MAX - 8, 8), Slot.of(0).slice(MAX - 8, 8));
  }

  @ParameterizedTest
  @CsvSource({"-1, 0, 0", "0, -1, 0", "0, 0, -2", "0, 9223372036854775807, 1"})
  void refusesNegativeNumbersAndEndsBeyondALong(int index, long offset, long length) {
    HalException refused = assertThrows(HalException.class, () -> new Slot(index, offset, length));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals(
        "slot index "
            + index
            + ", offset "
            + offset
            + ", length "
            + length
            + ": none may be negative, and the end must be at most 2^63 - 1",
        refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {BindingTable.MAX_SIZE, 20_000_000, Integer.MAX_VALUE})
  void refusesAnIndexThatNoTableHas(int index) {
    HalException refused = assertThrows(HalException.class, () -> Slot.of(index));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals(
        "slot index " + index + " is too large: a binding table has at most 4096 slots",
        refused.getMessage());
    assertEquals(BindingTable.MAX_SIZE - 1, Slot.of(BindingTable.MAX_SIZE - 1).index());
  }

  @ParameterizedTest(name = "[{0},{1}] of [{2},{3}]")
  @CsvSource({
    "17, 0, 8, 16",
    "0, 17, 8, 16",
    "9, 8, 8, 16",
    "-1, 4, 8, 16",
    "0, -2, 8, 16",
    "17, -1, 8, 16",
    "-4, 8, 8, -1", // the range would begin before the slot's own
    "0, -2, 8, -1",
    "9223372036854775807, 1, 8, -1",
    "9223372036854775807, 1, 8, 16",
    "1, 9223372036854775807, 8, 16",
  })
  void refusesASliceThatDoesNotFit(long sliceOffset, long sliceLength, long offset, long length) {
    Slot slot = new Slot(0, offset, length);

    HalException refused =
        assertThrows(HalException.class, () -> slot.slice(sliceOffset, sliceLength));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertTrue(
        refused.getMessage().startsWith("slice offset " + sliceOffset + ", length "),
        refused::getMessage);
  }
}
