// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.lang.System.Logger.Level;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;

/** Logs what the validation layer reports, each message as a warning. */
final class ValidationMessages {
  static final String EXTENSION = "VK_EXT_debug_utils";

  /** Where messages go. */
  static final String LOGGER = ValidationMessages.class.getName();

  private static final System.Logger LOG = System.getLogger(LOGGER);

  /** The offset of the text in VkDebugUtilsMessengerCallbackDataEXT. */
  private static final int MESSAGE_OFFSET = 40;

  /** PFN_vkDebugUtilsMessengerCallbackEXT. */
  @FunctionalInterface
  public interface Messenger extends Callback {
    /** Takes a message; returns whether the call is to be aborted: never. */
    int report(int severity, int types, Pointer data, Pointer user);
  }

  /** Reachable for ever, as the instance is. */
  private static final Messenger MESSENGER =
      (severity, types, data, user) -> {
        LOG.log(Level.WARNING, data.getPointer(MESSAGE_OFFSET).getString(0));
        return 0;
      };

  private ValidationMessages() {}

  /** Begins to log the messages about an instance with the {@link #EXTENSION}. */
  static void report(long instance) {
    String name = "vkCreateDebugUtilsMessengerEXT";
    long address = VulkanApi.API.setup().getInstanceProcAddr(instance, name);
    Function create = Function.getFunction(new Pointer(address));
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT, 0, 48)
              .int32(0)
              .int32(
                  VulkanConstants.VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
                      | VulkanConstants.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
              .int32(VulkanConstants.VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)
              .int64(Pointer.nativeValue(CallbackReference.getFunctionPointer(MESSENGER)));
      long[] messenger = new long[1];
      VulkanResult.check(
          "createDebugUtilsMessengerEXT",
          create.invokeInt(new Object[] {instance, info.address(), 0L, messenger}));
    }
  }
}
