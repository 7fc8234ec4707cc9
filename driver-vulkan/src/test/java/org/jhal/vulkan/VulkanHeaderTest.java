// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jhal.vulkan.jna.VulkanConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The constants and offsets of the bindings are those of {@code vulkan_core.h}, if it is there. */
@Timeout(120)
class VulkanHeaderTest {
  private static final Path HEADER = Path.of("/usr/include/vulkan/vulkan.h");
  private static final long DEADLINE_SECONDS = 60;

  private static final List<String> STRUCTURES =
      List.of(
          "VkPhysicalDeviceFeatures2",
          "VkPhysicalDeviceVulkan11Features",
          "VkPhysicalDeviceVulkan12Features",
          "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT");

  /** The members of those structures, where they are not called as in {@link Feature#title}. */
  private static final Map<String, String> MEMBERS =
      Map.ofEntries(
          Map.entry("Int64", "features.shaderInt64"),
          Map.entry("Float64", "features.shaderFloat64"),
          Map.entry("Int16", "features.shaderInt16"),
          Map.entry("PhysicalStorageBufferAddresses", "bufferDeviceAddress"),
          Map.entry("Int64Atomics", "shaderBufferInt64Atomics"),
          Map.entry("Float16", "shaderFloat16"),
          Map.entry("Int8", "shaderInt8"),
          Map.entry("AtomicFloat32AddEXT", "shaderBufferFloat32AtomicAdd"),
          Map.entry("AtomicFloat64AddEXT", "shaderBufferFloat64AtomicAdd"),
          Map.entry("sharedFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd"),
          Map.entry("sharedFloat64AtomicAdd", "shaderSharedFloat64AtomicAdd"));

  /** Sizes and offsets that the code has as numbers. */
  private static final Map<String, Long> NUMBERS =
      Map.ofEntries(
          Map.entry("sizeof(VkPhysicalDeviceProperties2)", 840L),
          Map.entry("sizeof(VkPhysicalDeviceFeatures2)", 240L),
          Map.entry("sizeof(VkPhysicalDeviceVulkan12Features)", 208L),
          Map.entry("sizeof(VkPhysicalDeviceDriverProperties)", 536L),
          Map.entry("sizeof(VkPhysicalDeviceFloatControlsProperties)", 88L),
          Map.entry(
              "offsetof(VkPhysicalDeviceFloatControlsProperties, denormBehaviorIndependence)", 16L),
          Map.entry(
              "offsetof(VkPhysicalDeviceFloatControlsProperties, shaderDenormPreserveFloat32)",
              40L),
          Map.entry(
              "offsetof(VkPhysicalDeviceFloatControlsProperties, shaderDenormFlushToZeroFloat32)",
              52L),
          Map.entry(
              "offsetof(VkPhysicalDeviceFloatControlsProperties,"
                  + " shaderSignedZeroInfNanPreserveFloat64)",
              32L),
          Map.entry(
              "offsetof(VkPhysicalDeviceFloatControlsProperties, shaderRoundingModeRTEFloat64)",
              68L),
          Map.entry(
              "offsetof(VkPhysicalDeviceFloatControlsProperties, shaderRoundingModeRTZFloat16)",
              72L),
          Map.entry("sizeof(VkPhysicalDeviceMemoryProperties)", 520L),
          Map.entry("sizeof(VkSubmitInfo)", 72L),
          Map.entry("sizeof(VkTimelineSemaphoreSubmitInfo)", 48L),
          Map.entry("sizeof(VkSemaphoreWaitInfo)", 40L),
          Map.entry("sizeof(VkComputePipelineCreateInfo)", 96L),
          Map.entry("sizeof(VkDeviceCreateInfo)", 72L),
          Map.entry("sizeof(VkBufferCreateInfo)", 56L),
          Map.entry("offsetof(VkComputePipelineCreateInfo, layout)", 72L),
          Map.entry("offsetof(VkPhysicalDeviceIDProperties, deviceUUID)", 16L),
          Map.entry("offsetof(VkPhysicalDeviceDriverProperties, driverID)", 16L),
          Map.entry("offsetof(VkPhysicalDeviceDriverProperties, driverInfo)", 276L),
          Map.entry("offsetof(VkPhysicalDeviceMemoryProperties, memoryHeaps)", 264L),
          Map.entry("offsetof(VkMemoryRequirements, memoryTypeBits)", 16L),
          Map.entry("offsetof(VkDebugUtilsMessengerCallbackDataEXT, pMessage)", 40L),
          Map.entry("sizeof(VkQueryPoolCreateInfo)", 32L),
          Map.entry("sizeof(VkCalibratedTimestampInfoEXT)", 24L),
          Map.entry("offsetof(VkCalibratedTimestampInfoEXT, timeDomain)", 16L),
          Map.entry("offsetof(VkQueueFamilyProperties, timestampValidBits)", 8L),
          Map.entry(
              "offsetof(VkPhysicalDeviceProperties2, properties.limits.timestampPeriod)", 736L),
          Map.entry(
              "offsetof(VkPhysicalDeviceProperties2, properties.limits.maxComputeWorkGroupCount)",
              532L));

  @Test
  void numbersAreThoseOfTheHeader(@TempDir Path folder) throws Exception {
    assumeTrue(Files.exists(HEADER), () -> "there is no " + HEADER + " (libvulkan-dev)");
    Map<String, Long> wanted = new LinkedHashMap<>(NUMBERS);
    for (Field field : VulkanConstants.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers())) {
        wanted.put(field.getName(), field.getLong(null));
      }
    }
    for (Feature feature : Feature.values()) {
      String member = MEMBERS.getOrDefault(feature.title, feature.title);
      member = Character.toLowerCase(member.charAt(0)) + member.substring(1);
      wanted.put(
          "offsetof(" + STRUCTURES.get(feature.structure) + ", " + member + ")",
          (long) feature.offset);
    }
    assertTrue(wanted.size() > 100, () -> "only " + wanted.size() + " numbers were found");
    assertEquals(
        new TreeMap<>(wanted), new TreeMap<>(evaluate(List.copyOf(wanted.keySet()), folder)));
  }

  /** The values of C expressions. */
  private static Map<String, Long> evaluate(List<String> expressions, Path folder)
      throws IOException, InterruptedException {
    StringBuilder source =
        new StringBuilder(
            "#include <vulkan/vulkan.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n");
    for (String expression : expressions) {
      source.append("printf(\"%lld\\n\", (long long)(").append(expression).append("));\n");
    }
    source.append("return 0;\n}\n");
    Files.writeString(folder.resolve("numbers.c"), source);
    run(folder, "cc", "-o", "numbers", "numbers.c");
    List<String> lines = run(folder, folder.resolve("numbers").toString()).lines().toList();
    Map<String, Long> values = new LinkedHashMap<>();
    for (int i = 0; i < expressions.size(); i++) {
      values.put(expressions.get(i), Long.valueOf(lines.get(i)));
    }
    return values;
  }

  private static String run(Path folder, String... command)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      assumeTrue(!command[0].equals("cc"), () -> "there is no C compiler: " + e.getMessage());
      throw e;
    }
    try {
      assertTrue(
          process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS),
          () -> List.of(command) + " has not ended after " + DEADLINE_SECONDS + " s");
      String text = Files.readString(log);
      assertEquals(0, process.exitValue(), text);
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
