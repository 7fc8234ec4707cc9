// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How the speeds are printed. */
class ProductRunTest {
  @Test
  void aRateHasThreeDigitsAtLeast() {
    assertEquals("0.0412", ProductRun.rate(0.041234));
    assertEquals("0.500", ProductRun.rate(0.4999999));
    assertEquals("4.12", ProductRun.rate(4.1234));
    assertEquals("99.9", ProductRun.rate(99.94));
    assertEquals("51234", ProductRun.rate(51234.4));
  }
}
