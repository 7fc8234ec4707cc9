// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Driver;

/** Opens devices for tests, which are skipped with the reason where there is none. */
final class OpenVulkan {
  private OpenVulkan() {}

  /** Opens a device; without controls, as programs do. */
  static Device open(String uri) {
    return driver().open(DeviceUri.parse(uri));
  }

  /** The driver, on a machine where it can be used. */
  static VulkanDriver driver() {
    VulkanDriver driver = new VulkanDriver();
    Driver.Availability verdict = driver.probe();
    assumeTrue(verdict.isAvailable(), verdict::detail);
    return driver;
  }
}
