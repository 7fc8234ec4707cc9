// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.EnumMap;
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
   * @param floatModes the bits of floats for which it has a mode
   * @param hasIndependentDenorms whether kernels can demand other modes for the subnormal numbers
   *     of 32 bits than for others
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
      Map<FloatMode, Set<Integer>> floatModes,
      boolean hasIndependentDenorms) {
    boolean has(FloatMode mode, int bits) {
      return floatModes.getOrDefault(mode, Set.of()).contains(bits);
    }

    /** The modes that this driver demands for kernels, with the bits for which it does. */
    Map<FloatMode, Set<Integer>> demanded() {
      Map<FloatMode, Set<Integer>> all = new EnumMap<>(FloatMode.class);
      FloatMode nan = FloatMode.SIGNED_ZERO_INF_NAN_PRESERVE;
      all.put(nan, floatModes.getOrDefault(nan, Set.of()));
      if (has(FloatMode.DENORM_PRESERVE, Float.SIZE) && hasIndependentDenorms) {
        all.put(FloatMode.DENORM_PRESERVE, Set.of(Float.SIZE));
      }
      return all;
    }
  }

  /** Whether kernels keep subnormal numbers of 32 bits; processors of a host do without a mode. */
  boolean keepsSubnormals() {
    return computesOnHost || limits.demanded().containsKey(FloatMode.DENORM_PRESERVE);
  }

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
