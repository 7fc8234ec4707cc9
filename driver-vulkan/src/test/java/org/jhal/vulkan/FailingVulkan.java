// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.Set;
import org.jhal.DeviceInfo;
import org.jhal.driver.support.Faults;

/** A device with failing calls that {@code ControlledBackend}, in front of it, does not see. */
final class FailingVulkan extends VulkanDevice {
  /** The call: recording a command. */
  final Faults faults = new Faults(Set.of("command"));

  FailingVulkan(LogicalDevice logical, DeviceInfo info, VulkanDevice.Config config) {
    super(logical, info, config);
  }

  @Override
  VulkanStream makeStream() {
    return new VulkanStream(this, ring()) {
      @Override
      boolean isHeld() {
        return HeldWork.of(this).isHeld(commands().timeline());
      }

      @Override
      void beforeCommand() {
        faults.check("command");
      }
    };
  }
}
