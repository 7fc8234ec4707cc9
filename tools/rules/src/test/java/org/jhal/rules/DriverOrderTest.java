// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.jhal.DriverRegistry;
import org.junit.jupiter.api.Test;

/** Without a name, GPUs are tried first, then the processors, and the test double last. */
class DriverOrderTest {
  @Test
  void gpusPrecedeTheProcessorsWhichPrecedeTheMock() {
    List<String> known = List.of("cuda", "hip", "vulkan", "cpu", "mock");
    List<String> found = new ArrayList<>();
    for (DriverRegistry.Entry entry : DriverRegistry.load().entries()) {
      if (known.contains(entry.name())) {
        found.add(entry.name());
      }
    }
    assertEquals(known, found);
  }
}
