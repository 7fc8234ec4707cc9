// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;

/**
 * The family of queues that a device's work goes to: one that computes and has no graphics, on
 * which a submission costs less, if there is any.
 *
 * @param index its place among the families
 * @param count how many queues it has
 * @param isComputeOnly whether it has no graphics
 * @param timestampBits how many bits of a timestamp mean something; 0 if there are none
 */
record QueueFamily(int index, int count, boolean isComputeOnly, int timestampBits) {
  private static final int BYTES = 24; // sizeof(VkQueueFamilyProperties)

  /** Chooses the family of a physical device. */
  static QueueFamily of(long physical) {
    int[] count = new int[1];
    VulkanApi.API.setup().getPhysicalDeviceQueueFamilyProperties(physical, count, 0);
    QueueFamily any = null;
    try (Structs structs = new Structs()) {
      Structs.Struct all = structs.zeros(Math.max(1, count[0]) * BYTES);
      VulkanApi.API.setup().getPhysicalDeviceQueueFamilyProperties(physical, count, all.address());
      for (int i = 0; i < count[0]; i++) {
        int flags = all.int32At(i * BYTES);
        boolean isComputeOnly = (flags & VulkanConstants.VK_QUEUE_GRAPHICS_BIT) == 0;
        if ((flags & VulkanConstants.VK_QUEUE_COMPUTE_BIT) != 0
            && (any == null || isComputeOnly && !any.isComputeOnly)) {
          any =
              new QueueFamily(
                  i, all.int32At(i * BYTES + 4), isComputeOnly, all.int32At(i * BYTES + 8));
        }
      }
    }
    if (any == null) {
      throw new HalException(Status.UNAVAILABLE, "it has no queue that computes");
    }
    return any;
  }
}
