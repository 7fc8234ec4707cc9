// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Objects;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.junit.jupiter.api.Test;

/** Devices on which long loops end too early say so. */
class LoopLimitTest {
  private static final int LAVAPIPE = 13;
  private static final int RADV = 3;

  @Test
  void olderVersionsOfLavapipeHaveIt() {
    assertNotNull(LoopLimit.of(LAVAPIPE, "Mesa 22.3.6 (LLVM 15.0.6)"));
    assertNotNull(LoopLimit.of(LAVAPIPE, "unknown"));
    assertNull(LoopLimit.of(LAVAPIPE, "Mesa 25.0.7-2+deb13u1 (LLVM 19.1.7)"));
    assertNull(LoopLimit.of(RADV, "Mesa 22.3.6 (LLVM 15.0.6)"));
  }

  /** The numbers are read from where the driver of this machine writes them. */
  @Test
  void theDeviceOfThisMachineIsRecognized() {
    try (Device device = OpenVulkan.open("vulkan")) {
      DeviceInfo info = device.info();
      String driver = Objects.requireNonNull(info.properties().get("driver"));
      String version = driver.replaceFirst("^llvmpipe ", "");
      int id = driver.startsWith("llvmpipe ") ? LAVAPIPE : RADV;
      assertEquals(LoopLimit.of(id, version), info.properties().get("loops"), driver);
    }
  }
}
