// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;
import org.jhal.vulkan.jna.VulkanSetup;

/**
 * An instance of Vulkan. There is one in a process, and another one with the validation layer if
 * that is asked for; both are kept until the process ends, since some vendors' libraries do not
 * survive the end of an instance.
 *
 * <p>Thread-safe.
 */
final class VulkanInstance {
  private static final String LAYER = "VK_LAYER_KHRONOS_validation";
  private static final int LAYER_BYTES = 520; // sizeof(VkLayerProperties)

  private static final Lazy<VulkanInstance> PLAIN = Lazy.keepingFailure();
  private static final Lazy<VulkanInstance> VALIDATED = Lazy.keepingFailure();

  private final long handle;

  /** Read once: devices are not added or removed at run time. */
  private final Lazy<DeviceSearch> found = new Lazy<>();

  private VulkanInstance(long handle) {
    this.handle = handle;
  }

  /**
   * The instance of the process.
   *
   * @param isValidated whether calls are checked by the validation layer
   * @throws HalException UNAVAILABLE with the reason if there is none
   */
  static VulkanInstance get(boolean isValidated) {
    VulkanLibrary.load();
    return isValidated
        ? VALIDATED.get(VulkanInstance::createValidated)
        : PLAIN.get(() -> new VulkanInstance(create(List.of(), List.of())));
  }

  private static VulkanInstance createValidated() {
    if (!layers().contains(LAYER)) {
      throw new HalException(
          Status.UNAVAILABLE,
          "the layer " + LAYER + " is not installed (Debian: vulkan-validationlayers)");
    }
    long handle = create(List.of(LAYER), List.of(ValidationMessages.EXTENSION));
    ValidationMessages.report(handle);
    return new VulkanInstance(handle);
  }

  private static List<String> layers() {
    VulkanSetup setup = VulkanApi.API.setup();
    int[] count = new int[1];
    VulkanResult.check(
        "enumerateInstanceLayerProperties", setup.enumerateInstanceLayerProperties(count, 0));
    List<String> names = new ArrayList<>();
    if (count[0] == 0) {
      return names;
    }
    try (Structs structs = new Structs(count[0] * LAYER_BYTES)) {
      Structs.Struct all = structs.zeros(count[0] * LAYER_BYTES);
      VulkanResult.check(
          "enumerateInstanceLayerProperties",
          setup.enumerateInstanceLayerProperties(count, all.address()));
      for (int i = 0; i < count[0]; i++) {
        names.add(all.textAt(i * LAYER_BYTES));
      }
    }
    return names;
  }

  private static long create(List<String> layers, List<String> extensions) {
    try (Structs structs = new Structs()) {
      long name = structs.text("JHAL");
      Structs.Struct application =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_APPLICATION_INFO, 0, 48)
              .int64(name)
              .int32(0)
              .int64(name)
              .int32(0)
              .int32(VulkanConstants.VK_API_VERSION_1_2);
      long layerNames = structs.texts(layers);
      long extensionNames = structs.texts(extensions);
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, 0, 64)
              .int32(0)
              .int64(application.address())
              .int32(layers.size())
              .int64(layerNames)
              .int32(extensions.size())
              .int64(extensionNames);
      long[] instance = new long[1];
      int code = VulkanApi.API.setup().createInstance(info.address(), 0, instance);
      if (code != VulkanConstants.VK_SUCCESS) {
        String what =
            code == VulkanConstants.VK_ERROR_INCOMPATIBLE_DRIVER ? DeviceSearch.NO_DRIVER : "";
        throw VulkanResult.failure("createInstance", code, what);
      }
      return instance[0];
    }
  }

  /** The devices that can be used, and why others cannot. */
  DeviceSearch devices() {
    return found.get(() -> DeviceSearch.of(handles()));
  }

  private List<Long> handles() {
    VulkanSetup setup = VulkanApi.API.setup();
    int[] count = new int[1];
    VulkanResult.check(
        "enumeratePhysicalDevices", setup.enumeratePhysicalDevices(handle, count, 0));
    List<Long> handles = new ArrayList<>();
    if (count[0] == 0) {
      return handles;
    }
    try (Structs structs = new Structs()) {
      Structs.Struct all = structs.zeros(count[0] * Long.BYTES);
      VulkanResult.check(
          "enumeratePhysicalDevices", setup.enumeratePhysicalDevices(handle, count, all.address()));
      for (int i = 0; i < count[0]; i++) {
        handles.add(all.int64At(i * Long.BYTES));
      }
    }
    return handles;
  }
}
