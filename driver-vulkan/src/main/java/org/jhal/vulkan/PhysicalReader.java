// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jspecify.annotations.Nullable;

/**
 * Reads the properties of a physical device. Offsets are those of {@code vulkan_core.h}.
 *
 * <p>Used by one thread.
 */
final class PhysicalReader {
  private static final String PCI_EXTENSION = "VK_EXT_pci_bus_info";

  private static final int NVIDIA = 0x10DE;
  private static final int EXTENSION_BYTES = 260; // sizeof(VkExtensionProperties)
  private static final int UUID_BYTES = 16;

  // Offsets in VkPhysicalDeviceProperties2.
  private static final int API_VERSION = 16;
  private static final int VENDOR = 24;
  private static final int TYPE = 32;
  private static final int NAME = 36;
  private static final int SHARED_BYTES = 528;
  private static final int GROUP_COUNT = 532;
  private static final int GROUP_ITEMS = 544;
  private static final int GROUP_SIZE = 548;
  private static final int TICK_NANOS = 736;

  private final long physical;
  private static final int DENORM_INDEPENDENCE = 16; // in those of float controls
  private static final int DRIVER_ID = 16; // in VkPhysicalDeviceDriverProperties

  private String name = "a device";

  PhysicalReader(long physical) {
    this.physical = physical;
  }

  /** The name of the device, once it was read. */
  String name() {
    return name;
  }

  /**
   * Reads everything.
   *
   * @throws HalException UNAVAILABLE with the reason if the device cannot be used
   */
  PhysicalDevice read() {
    Set<String> extensions = extensions();
    try (Structs structs = new Structs()) {
      Structs.Struct pci =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT, 0, 32);
      boolean hasPci = extensions.contains(PCI_EXTENSION);
      Structs.Struct imports =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
              hasPci ? pci.address() : 0,
              24);
      boolean hasImports = extensions.contains(PhysicalDevice.HOST_MEMORY_EXTENSION);
      Structs.Struct floats =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
              hasImports ? imports.address() : hasPci ? pci.address() : 0,
              88);
      Structs.Struct subgroups =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
              floats.address(),
              32);
      Structs.Struct sizes =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
              subgroups.address(),
              32);
      Structs.Struct driver =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
              sizes.address(),
              536);
      Structs.Struct ids =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
              driver.address(),
              64);
      Structs.Struct all =
          structs.typed(
              VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, ids.address(), 840);
      VulkanApi.API.setup().getPhysicalDeviceProperties2(physical, all.address());
      name = all.textAt(NAME);
      Set<Feature> features = features(extensions, all.int32At(API_VERSION));
      MemoryTypes memory = MemoryTypes.of(physical);
      for (MemoryType use : MemoryType.values()) {
        memory.index(use); // throws if there is none
      }
      QueueFamily family = QueueFamily.of(physical);
      return new PhysicalDevice(
          physical,
          name,
          uuid(ids, all.int32At(VENDOR)),
          hasPci ? pciAddress(pci) : null,
          all.int32At(TYPE) == VulkanConstants.VK_PHYSICAL_DEVICE_TYPE_CPU,
          family,
          memory,
          features,
          extensions,
          new PhysicalDevice.Limits(
              workgroups(all, GROUP_COUNT),
              workgroups(all, GROUP_SIZE),
              all.int32At(GROUP_ITEMS),
              all.int32At(SHARED_BYTES),
              sizes.int64At(24),
              hasImports ? imports.int64At(16) : 0,
              (subgroups.int32At(20) & VulkanConstants.VK_SHADER_STAGE_COMPUTE_BIT) == 0
                  ? 0
                  : subgroups.int32At(24),
              Float.intBitsToFloat(all.int32At(TICK_NANOS)),
              floatModes(floats),
              floats.int32At(DENORM_INDEPENDENCE)
                  != VulkanConstants.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE),
          properties(all, driver, subgroups, family, extensions));
    }
  }

  private Set<String> extensions() {
    int[] count = new int[1];
    String call = "enumerateDeviceExtensionProperties";
    VulkanResult.check(
        call, VulkanApi.API.setup().enumerateDeviceExtensionProperties(physical, 0, count, 0));
    Set<String> names = new HashSet<>();
    if (count[0] == 0) {
      return names;
    }
    try (Structs structs = new Structs(count[0] * EXTENSION_BYTES)) {
      Structs.Struct all = structs.zeros(count[0] * EXTENSION_BYTES);
      VulkanResult.check(
          call,
          VulkanApi.API
              .setup()
              .enumerateDeviceExtensionProperties(physical, 0, count, all.address()));
      for (int i = 0; i < count[0]; i++) {
        names.add(all.textAt(i * EXTENSION_BYTES));
      }
    }
    return names;
  }

  private Set<Feature> features(Set<String> extensions, int version) {
    if (Integer.compareUnsigned(version, VulkanConstants.VK_API_VERSION_1_2) < 0) {
      throw new HalException(
          Status.UNAVAILABLE,
          "its driver is of Vulkan " + VulkanLibrary.version(version) + ", and 1.2 is needed");
    }
    try (Structs structs = new Structs()) {
      FeatureChain chain =
          new FeatureChain(structs, extensions.contains(FeatureChain.FLOATS_EXTENSION));
      VulkanApi.API.setup().getPhysicalDeviceFeatures2(physical, chain.address());
      Set<Feature> found = chain.features();
      List<String> missing = new ArrayList<>();
      for (Feature feature : Feature.required()) {
        if (!found.contains(feature)) {
          missing.add(feature.title);
        }
      }
      if (!missing.isEmpty()) {
        throw new HalException(Status.UNAVAILABLE, "it lacks " + String.join(", ", missing));
      }
      return found;
    }
  }

  /** The uuid, as NVIDIA's own tools and {@code cuda} write it if the device is NVIDIA's. */
  private static String uuid(Structs.Struct ids, int vendor) {
    byte[] bytes = new byte[UUID_BYTES];
    ids.bytes().get(16, bytes);
    return GpuProperties.uuid(vendor == NVIDIA ? "GPU-" : "", bytes);
  }

  private static @Nullable String pciAddress(Structs.Struct pci) {
    return GpuProperties.pciAddress(pci.int32At(16), pci.int32At(20), pci.int32At(24));
  }

  private static Workgroups workgroups(Structs.Struct all, int offset) {
    return new Workgroups(
        atMostInt(all.int32At(offset)),
        atMostInt(all.int32At(offset + 4)),
        atMostInt(all.int32At(offset + 8)));
  }

  private static int atMostInt(int unsigned) {
    return unsigned < 0 ? Integer.MAX_VALUE : unsigned;
  }

  private static Map<FloatMode, Set<Integer>> floatModes(Structs.Struct floats) {
    Map<FloatMode, Set<Integer>> found = new EnumMap<>(FloatMode.class);
    for (FloatMode mode : FloatMode.values()) {
      Set<Integer> bits = new HashSet<>();
      int at = mode.offset;
      for (int size : new int[] {Short.SIZE, Float.SIZE, Double.SIZE}) {
        if (floats.int32At(at) != 0) {
          bits.add(size);
        }
        at += Integer.BYTES;
      }
      found.put(mode, bits);
    }
    return found;
  }

  private static Map<String, String> properties(
      Structs.Struct all,
      Structs.Struct driver,
      Structs.Struct subgroups,
      QueueFamily family,
      Set<String> extensions) {
    Map<String, String> properties = new HashMap<>();
    properties.put("vulkan", VulkanLibrary.version(all.int32At(API_VERSION)));
    properties.put("driver", driver.textAt(20) + " " + driver.textAt(276));
    String loops = LoopLimit.of(driver.int32At(DRIVER_ID), driver.textAt(276));
    if (loops != null) {
      properties.put("loops", loops);
    }
    properties.put("subgroup size", String.valueOf(subgroups.int32At(16)));
    properties.put(
        "native queues", family.count() + (family.isComputeOnly() ? ", of compute alone" : ""));
    String obstacle = DeviceTimes.obstacle(family, extensions);
    properties.put("times", obstacle == null ? "measured" : "not measured: " + obstacle);
    return properties;
  }
}
