// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.Map;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;

/** The meaning of VkResult. Codes of later versions mean {@link Status#UNKNOWN}. */
final class VulkanResult {
  private record Meaning(String name, Status status) {}

  private static final Map<Integer, Meaning> CODES =
      Map.ofEntries(
          code(1, "VK_NOT_READY", Status.INTERNAL),
          code(2, "VK_TIMEOUT", Status.DEADLINE_EXCEEDED),
          code(5, "VK_INCOMPLETE", Status.INTERNAL),
          code(-1, "VK_ERROR_OUT_OF_HOST_MEMORY", Status.RESOURCE_EXHAUSTED),
          code(-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY", Status.RESOURCE_EXHAUSTED),
          code(-3, "VK_ERROR_INITIALIZATION_FAILED", Status.UNAVAILABLE),
          code(-4, "VK_ERROR_DEVICE_LOST", Status.UNAVAILABLE),
          code(-5, "VK_ERROR_MEMORY_MAP_FAILED", Status.RESOURCE_EXHAUSTED),
          code(-6, "VK_ERROR_LAYER_NOT_PRESENT", Status.UNAVAILABLE),
          code(-7, "VK_ERROR_EXTENSION_NOT_PRESENT", Status.UNIMPLEMENTED),
          code(-8, "VK_ERROR_FEATURE_NOT_PRESENT", Status.UNIMPLEMENTED),
          code(-9, "VK_ERROR_INCOMPATIBLE_DRIVER", Status.UNAVAILABLE),
          code(-10, "VK_ERROR_TOO_MANY_OBJECTS", Status.RESOURCE_EXHAUSTED),
          code(-12, "VK_ERROR_FRAGMENTED_POOL", Status.RESOURCE_EXHAUSTED),
          code(-13, "VK_ERROR_UNKNOWN", Status.UNKNOWN),
          code(-1000012000, "VK_ERROR_INVALID_SHADER_NV", Status.INVALID_ARGUMENT),
          code(-1000069000, "VK_ERROR_OUT_OF_POOL_MEMORY", Status.RESOURCE_EXHAUSTED),
          code(-1000072003, "VK_ERROR_INVALID_EXTERNAL_HANDLE", Status.INVALID_ARGUMENT),
          code(-1000257000, "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", Status.INVALID_ARGUMENT));

  private VulkanResult() {}

  private static Map.Entry<Integer, Meaning> code(int code, String name, Status status) {
    return Map.entry(code, new Meaning(name, status));
  }

  /** Throws {@link #failure} unless {@code code} is VK_SUCCESS. */
  static void check(String function, int code) {
    if (code != VulkanConstants.VK_SUCCESS) {
      throw failure(function, code, "");
    }
  }

  /**
   * Makes the failure of a call.
   *
   * @param function its name without the prefix
   * @param what the attempted action, for messages; may be empty
   */
  static HalException failure(String function, int code, String what) {
    Meaning meaning = CODES.get(code);
    return new HalException(
        meaning == null ? Status.UNKNOWN : meaning.status,
        (what.isEmpty() ? "" : what + ": ")
            + VulkanApi.functionName(function)
            + " returned "
            + code
            + (meaning == null ? ", which has no known name" : " " + meaning.name),
        null,
        new NativeCode(code, meaning == null ? null : meaning.name));
  }
}
