// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkgroupsTest {
  @Test
  void kernelsReturnTheWorkgroupsThatCoverTheItems() {
    Kernel kernel = Fakes.kernel("k"); // of 8 x 4 items

    assertEquals(new Workgroups(2, 1, 1), kernel.covering(9));
    assertEquals(new Workgroups(1, 3, 1), kernel.covering(8, 9));
    assertEquals(new Workgroups(1, 1, 5), kernel.covering(1, 1, 5));
    assertEquals(new Workgroups(0, 1, 1), kernel.covering(0, 4));
    assertEquals(new Workgroups(3, 2, 1), Workgroups.covering(5, 6, 7, new Workgroups(2, 5, 7)));
    HalException refused = assertThrows(HalException.class, () -> kernel.covering(1, -1));
    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals(new Workgroups(MAX, 1, 1), kernel.covering(8L * MAX));
    refused = assertThrows(HalException.class, () -> kernel.covering(8L * MAX + 1));
    assertEquals(Status.OUT_OF_RANGE, refused.status());
  }

  private static final int MAX = Integer.MAX_VALUE;

  @Test
  void countsAlongUpToThreeAxes() {
    assertEquals(new Workgroups(5, 1, 1), Workgroups.of(5));
    assertEquals(new Workgroups(MAX, 1, 1), Workgroups.of((long) MAX));
    assertEquals(new Workgroups(5, 6, 1), Workgroups.of(5, 6));
  }

  @ParameterizedTest(name = "{0} items in groups of {1}: {2}")
  @CsvSource({
    "0, 1, 0",
    "1, 256, 1",
    "256, 256, 1",
    "257, 256, 2",
    "2147483647, 1, 2147483647",
    "549755813632, 256, 2147483647",
  })
  void coversItems(long items, int size, int groups) {
    assertEquals(new Workgroups(groups, 1, 1), Workgroups.covering(items, size));
  }

  @ParameterizedTest(name = "{0} items in groups of {1}")
  @CsvSource({"-1, 1", "1, 0", "1, -1", "2147483648, 1", "9223372036854775807, 256"})
  void refusesToCoverWhatCannotBeCovered(long items, int size) {
    HalException refused = assertThrows(HalException.class, () -> Workgroups.covering(items, size));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 1L << 31, Long.MAX_VALUE})
  void refusesALineThatIsTooLongAndNamesIt(long x) {
    HalException refused = assertThrows(HalException.class, () -> Workgroups.of(x));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals("workgroups " + x + ": a count is from 0 to 2147483647", refused.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"-1, 1, 1", "1, -1, 1", "1, 1, -1"})
  void refusesNegativeCounts(int x, int y, int z) {
    HalException refused = assertThrows(HalException.class, () -> new Workgroups(x, y, z));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals(
        "workgroups " + x + "," + y + "," + z + ": a count may not be negative",
        refused.getMessage());
  }

  @Test
  void isEmptyWithAZeroAnywhere() {
    assertTrue(new Workgroups(0, 1, 1).isEmpty());
    assertTrue(new Workgroups(1, 0, 1).isEmpty());
    assertTrue(new Workgroups(1, 1, 0).isEmpty());
    assertFalse(new Workgroups(1, 1, 1).isEmpty());
  }
}
