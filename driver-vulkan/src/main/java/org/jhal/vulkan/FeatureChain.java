// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.EnumSet;
import java.util.Set;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;

/** The chain of structures with the features of a device, to ask for them and to enable them. */
final class FeatureChain {
  /** VkPhysicalDeviceFeatures2. */
  static final int CORE = 0;

  /** VkPhysicalDeviceVulkan11Features. */
  static final int V11 = 1;

  /** VkPhysicalDeviceVulkan12Features. */
  static final int V12 = 2;

  /** VkPhysicalDeviceShaderAtomicFloatFeaturesEXT. */
  static final int FLOATS = 3;

  /** The extension of {@link #FLOATS}. */
  static final String FLOATS_EXTENSION = "VK_EXT_shader_atomic_float";

  private final Structs.Struct[] all = new Structs.Struct[FLOATS + 1];

  /** A chain without features. */
  FeatureChain(Structs structs, boolean hasFloatAtomics) {
    all[FLOATS] =
        structs.typed(
            VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
            0,
            64);
    all[V12] =
        structs.typed(
            VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            hasFloatAtomics ? all[FLOATS].address() : 0,
            208);
    all[V11] =
        structs.typed(
            VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
            all[V12].address(),
            64);
    all[CORE] =
        structs.typed(
            VulkanConstants.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, all[V11].address(), 240);
  }

  /** The address of the first structure. */
  long address() {
    return all[CORE].address();
  }

  /** Enables features. */
  void enable(Set<Feature> features) {
    for (Feature feature : features) {
      all[feature.structure].bytes().putInt(feature.offset, 1);
    }
  }

  /** The features that are set. */
  Set<Feature> features() {
    Set<Feature> found = EnumSet.noneOf(Feature.class);
    for (Feature feature : Feature.values()) {
      if (all[feature.structure].int32At(feature.offset) != 0) {
        found.add(feature);
      }
    }
    return found;
  }
}
