// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The devices of an instance.
 *
 * @param usable those that can be used: hardware first, then software, each in the loader's order
 * @param refused the names of the others, each with the reason
 */
record DeviceSearch(List<PhysicalDevice> usable, List<String> refused) {
  /** Why there may be no device at all. */
  static final String NO_DRIVER =
      "the Vulkan loader finds no device; a driver of one, such as Debian's mesa-vulkan-drivers,"
          + " may be missing";

  /** Looks at physical devices. */
  static DeviceSearch of(List<Long> handles) {
    List<PhysicalDevice> hardware = new ArrayList<>();
    List<PhysicalDevice> software = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    for (long handle : handles) {
      PhysicalReader reader = new PhysicalReader(handle);
      try {
        PhysicalDevice device = reader.read();
        (device.computesOnHost() ? software : hardware).add(device);
      } catch (HalException e) {
        refused.add(reader.name() + ": " + e.getMessage());
      }
    }
    hardware.addAll(software);
    return new DeviceSearch(List.copyOf(hardware), List.copyOf(refused));
  }

  /**
   * Checks that there is a device.
   *
   * @throws HalException UNAVAILABLE if there is none
   */
  DeviceSearch require() {
    if (usable.isEmpty()) {
      throw new HalException(
          Status.UNAVAILABLE,
          refused.isEmpty()
              ? NO_DRIVER
              : "no Vulkan device can be used: " + String.join("; ", refused));
    }
    return this;
  }
}
