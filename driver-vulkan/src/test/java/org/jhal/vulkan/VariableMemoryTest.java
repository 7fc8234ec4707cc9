// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import java.util.Objects;
import org.jhal.Device;
import org.jhal.engine.EngineDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The variables outside functions of a module, and the memory of each. */
@Timeout(60)
class VariableMemoryTest {
  @Test
  void variablesAreFoundByName() {
    ModuleVariables variables =
        new ModuleVariables(
            40,
            Map.of(0, new byte[] {7}),
            Map.of(16, 8),
            Map.of(
                "count", new ModuleVariables.Place(0, 4), "at", new ModuleVariables.Place(16, 8)));
    try (Device device = OpenVulkan.open("vulkan")) {
      LogicalDevice logical = ((VulkanDevice) ((EngineDevice<?>) device).backend()).logical();
      VariableMemory memory =
          Objects.requireNonNull(VariableMemory.make(logical, variables, "a module"));
      assertEquals(0, memory.address() % 256);
      VulkanMemory count = Objects.requireNonNull(memory.variable("count"));
      VulkanMemory at = Objects.requireNonNull(memory.variable("at"));
      assertEquals(4, count.size());
      assertEquals(8, at.size());
      assertEquals(memory.address(), count.address());
      assertEquals(memory.address() + 16, at.address());
      assertEquals(count.buffer(), at.buffer());
      assertEquals(count.bufferOffset() + 16, at.bufferOffset());
      assertNull(memory.variable("total"));
      memory.free();
    }
  }

  @Test
  void aModuleWithoutVariablesHasNoMemory() {
    ModuleVariables none = new ModuleVariables(0, Map.of(), Map.of(), Map.of());
    try (Device device = OpenVulkan.open("vulkan")) {
      LogicalDevice logical = ((VulkanDevice) ((EngineDevice<?>) device).backend()).logical();
      assertNull(VariableMemory.make(logical, none, "a module"));
    }
  }
}
