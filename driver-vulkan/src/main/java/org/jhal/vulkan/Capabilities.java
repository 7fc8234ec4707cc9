// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The SPIR-V capabilities of kernels that a device can run. */
final class Capabilities {
  /** Of every device: Matrix, Shader. */
  private static final Set<Integer> EVERYWHERE = Set.of(0, 1);

  /** Those of subgroups, and the bits of VkSubgroupFeatureFlagBits that they need. */
  private static final Map<Integer, Integer> SUBGROUPS =
      Map.of(61, 0x1, 62, 0x2, 63, 0x4, 64, 0x8, 65, 0x10, 66, 0x20, 67, 0x40, 68, 0x80);

  private static final Map<Integer, String> NAMES = names();

  private Capabilities() {}

  private static Map<Integer, String> names() {
    Map<Integer, String> names = new HashMap<>();
    for (FloatMode mode : FloatMode.values()) {
      names.put(mode.capability, mode.title);
    }
    for (Feature feature : Feature.values()) {
      names.put(feature.capability, feature.title);
    }
    names.putAll(
        Map.of(
            4, "Addresses",
            5, "Linkage",
            6, "Kernel",
            61, "GroupNonUniform",
            62, "GroupNonUniformVote",
            63, "GroupNonUniformArithmetic",
            64, "GroupNonUniformBallot",
            65, "GroupNonUniformShuffle",
            66, "GroupNonUniformShuffleRelative",
            67, "GroupNonUniformClustered"));
    names.put(68, "GroupNonUniformQuad");
    return names;
  }

  /** The names of those that a device lacks, in the order of the module. */
  static List<String> missing(SpirvModule module, PhysicalDevice device) {
    List<String> missing = new ArrayList<>();
    for (int capability : module.capabilities()) {
      if (!has(capability, device)) {
        String number = String.valueOf(capability);
        String name = NAMES.get(capability);
        missing.add(name == null ? number : name + " (" + number + ")");
      }
    }
    return missing;
  }

  private static boolean has(int capability, PhysicalDevice device) {
    if (EVERYWHERE.contains(capability)) {
      return true;
    }
    Integer operations = SUBGROUPS.get(capability);
    if (operations != null) {
      return (device.limits().subgroupOperations() & operations) != 0;
    }
    for (FloatMode mode : FloatMode.values()) {
      if (mode.capability == capability) {
        return device.limits().has(mode, Float.SIZE);
      }
    }
    for (Feature feature : device.features()) {
      if (feature.capability == capability) {
        return true;
      }
    }
    return false;
  }
}
