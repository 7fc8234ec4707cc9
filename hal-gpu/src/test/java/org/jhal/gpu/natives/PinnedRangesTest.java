// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

class PinnedRangesTest {
  private final PinnedRanges ranges = new PinnedRanges();

  @Test
  void aRangeContainsItsBytesOnly() {
    ranges.add(this, 100, 10);
    ranges.add(this, 110, 10);
    assertTrue(ranges.contains(100, 109));
    assertTrue(ranges.contains(105, 105));
    assertFalse(ranges.contains(99, 100));
    assertFalse(ranges.contains(105, 110), "from one range to the next");
    assertFalse(ranges.contains(120, 120));
    ranges.remove(this, 100);
    assertFalse(ranges.contains(100, 100));
    assertTrue(ranges.contains(110, 119));
  }

  @Test
  void refusesOverlappingRanges() {
    ranges.add(this, 100, 10);
    for (long[] other : new long[][] {{100, 10}, {95, 6}, {109, 1}, {90, 100}, {103, 2}}) {
      HalException refused =
          assertThrows(HalException.class, () -> ranges.add(this, other[0], other[1]));
      assertEquals(Status.FAILED_PRECONDITION, refused.status());
      assertTrue(refused.getMessage().contains(other[1] + " bytes"), refused::getMessage);
    }
    ranges.add(this, 90, 10);
    ranges.add(this, 110, 1);
    ranges.remove(this, 100);
    ranges.add(this, 102, 8);
  }
}
