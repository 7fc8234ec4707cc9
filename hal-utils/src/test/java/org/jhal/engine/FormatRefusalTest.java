// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a device says about a format that it does not load. */
class FormatRefusalTest {
  /** A set may have another order in each process. */
  @Test
  void namesTheFormatsThatTheDeviceLoadsInOrder() {
    FakeBackend backend = new FakeBackend();
    backend.formats = Set.of("e", "b", "h", "a", "d", "g", "c", "f");
    assertEquals(
        backend.info().driver() + "-0 loads [a, b, c, d, e, f, g, h]", backend.refusal("z"));
  }
}
