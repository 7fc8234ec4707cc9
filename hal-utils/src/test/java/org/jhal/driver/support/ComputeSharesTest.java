// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComputeSharesTest {
  private static void assertExhausted(ComputeShares shares, double share, String... parts) {
    HalException refused = assertThrows(HalException.class, () -> shares.take(share));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status());
    for (String part : parts) {
      assertTrue(String.valueOf(refused.getMessage()).contains(part), refused.getMessage());
    }
  }

  /** The nearest multiple of the granule, at least one, and never all. */
  @ParameterizedTest
  @CsvSource({
    "132, 8, 0.25, 32", "132, 8, 0.2, 24", "132, 8, 0.001, 8", "132, 8, 1, 120",
    "16, 1, 0.5, 8", "2, 1, 0.5, 1", "2, 1, 1, 1", "3, 1, 0.5, 2"
  })
  void takesTheNearestMultiple(int units, int granule, double share, int expected) {
    ComputeShares shares = new ComputeShares("gpu", units, granule);
    assertEquals(expected, shares.take(share).units());
    assertEquals(units - expected, shares.rest());
  }

  @Test
  void moreThanOneIsRefusedAndTakesNothing() {
    ComputeShares shares = new ComputeShares("gpu-0", 16, 1);
    ComputeShares.Share most = shares.take(0.75);
    assertExhausted(shares, 0.5, "gpu-0", "a share of 0.5", "0.75", "3 of its 16");
    assertEquals(4, shares.rest());
    assertEquals(3, shares.take(0.25).units(), "one is left for the others");
    assertExhausted(shares, 0.01, "0 of its 16");
    shares.giveBack(most);
    assertEquals(12, shares.take(0.75).units());
  }

  /** Ten tenths are not exactly one. */
  @Test
  void roundingOfSharesIsForgiven() {
    ComputeShares shares = new ComputeShares("gpu", 110, 1, 100);
    List<ComputeShares.Share> all = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      all.add(shares.take(0.1));
    }
    assertEquals(1, shares.take(0.1).units(), "what is left of 100");
    all.forEach(shares::giveBack);
    assertEquals(109, shares.rest());
  }

  @Test
  void aDeviceWithOneGranuleHasNoShares() {
    assertFalse(new ComputeShares("cpu", 1, 1).canBeShared());
    assertFalse(new ComputeShares("gpu", 15, 8).canBeShared());
    assertTrue(new ComputeShares("gpu", 16, 8).canBeShared());
    assertExhausted(new ComputeShares("cpu", 1, 1), 0.5, "0 of its 1");
  }
}
