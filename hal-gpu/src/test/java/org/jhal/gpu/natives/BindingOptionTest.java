// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

/** The option for the binding, where there is only the driver's own. */
class BindingOptionTest {
  @Test
  void withoutTheJarOrTheJavaForItAutoTakesTheDriversOwn() {
    assertNull(BindingOption.auto());
  }

  @Test
  void anExplicitRequestSaysWhatIsMissing() {
    HalException thrown = assertThrows(HalException.class, BindingOption::require);
    assertEquals(Status.UNAVAILABLE, thrown.status());
    int java = Runtime.version().feature();
    String missing =
        java < 22
            ? "Java 22 or newer is needed, this is Java " + java
            : "the jar hal-gpu-ffm is missing; in a build of JHAL, ./hal --rebuild with JDK 22 or newer makes it";
    assertTrue(
        thrown.getMessage().contains("binding=ffm cannot be used: " + missing), thrown::getMessage);
  }
}
