// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** Which file a device is recorded in: the option's, the property's, or the variable's. */
class RecordOptionTest {
  @Test
  void theFirstOneThatIsSetCounts() {
    assertEquals("a", EngineOptions.recordsTo("a", "b", "c"));
    assertEquals("b", EngineOptions.recordsTo("off", "b", "c"));
    assertEquals("c", EngineOptions.recordsTo("off", null, "c"));
    assertEquals("c", EngineOptions.recordsTo("off", "", "c"));
    assertNull(EngineOptions.recordsTo("off", null, null));
    assertNull(EngineOptions.recordsTo("off", "", ""));
    assertNull(EngineOptions.recordsTo("off", "off", "c"), "the property turns the variable off");
  }
}
