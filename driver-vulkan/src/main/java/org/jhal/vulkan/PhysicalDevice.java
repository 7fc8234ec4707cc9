// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jhal.DeviceInfo;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/**
 * A physical device and its properties, known without opening it.
 *
 * @param handle the VkPhysicalDevice, which lives as long as the process
 * @param name the vendor's name
 * @param uuid as {@link DeviceInfo#uuid}
 * @param pciAddress as {@link DeviceInfo#pciAddress}
 * @param computesOnHost whether it is a driver in software
 * @param family the queues that it offers
 * @param memory the types of its memory
 * @param features all that it has of those that the driver knows
 * @param extensions the names of its extensions
 * @param limits its limits
 * @param properties further properties, for display
 */
record PhysicalDevice(
    long handle,
    String name,
    String uuid,
    @Nullable String pciAddress,
    boolean computesOnHost,
    QueueFamily family,
    MemoryTypes memory,
    Set<Feature> features,
    Set<String> extensions,
    Limits limits,
    Map<String, String> properties) {
  /** The extension that imports memory of the host. */
  static final String HOST_MEMORY_EXTENSION = "VK_EXT_external_memory_host";

  /**
   * Limits of a device.
   *
   * @param groups workgroups along each axis
   * @param size work items of a workgroup along each axis
   * @param items work items of a workgroup
   * @param sharedBytes shared memory of a workgroup, in bytes
   * @param allocationBytes the largest allocation, in bytes
   * @param importAlignment the size of the pages that are imported, in bytes; 0 if none can be
   * @param subgroupOperations VkSubgroupFeatureFlags of kernels
   * @param tickNanos the nanoseconds of a tick of its timestamps
   * @param floatControls the names of the capabilities of float controls that it has
   * @param nanBits the bits of floats whose NaN, infinities and signed zeros a module can ask to
   *     keep
   */
  record Limits(
      Workgroups groups,
      Workgroups size,
      int items,
      int sharedBytes,
      long allocationBytes,
      long importAlignment,
      int subgroupOperations,
      float tickNanos,
      Set<String> floatControls,
      Set<Integer> nanBits) {}

  /** Its properties as users see them, with the memory limited to {@code memoryBytes}. */
  DeviceInfo info(int index, long memoryBytes, String binding) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("binding", binding);
    return DeviceInfo.builder(VulkanDriverProvider.NAME, index)
        .name(name)
        .uuid(uuid)
        .pciAddress(pciAddress)
        .memoryBytes(Math.min(memoryBytes, memory.deviceBytes()))
        .maxAllocationBytes(limits.allocationBytes)
        .maxWorkgroupCount(limits.groups)
        .maxWorkgroupItems(limits.items)
        .maxWorkgroupSize(limits.size)
        .maxSharedMemory(limits.sharedBytes)
        .reportsKernelFailures(false)
        .computesOnHost(computesOnHost)
        .properties(all)
        .build();
  }
}
