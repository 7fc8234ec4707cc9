// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;

/** Loads the Vulkan loader once per process, for as long as the process lives. */
final class VulkanLibrary {
  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "the Vulkan loader",
          "the package libvulkan1 or the driver of a device",
          "jhal.vulkan.library",
          Status.UNAVAILABLE);
  private static final List<String> NAMES = List.of("libvulkan.so.1");
  private static final String NEEDED = "Vulkan 1.2";

  /**
   * RTLD_LAZY | RTLD_NODELETE of the C library: threads of drivers may run its code at any time.
   */
  private static final int LAZY_AND_KEPT = 0x1 | 0x1000;

  private static final Lazy<SharedLibrary> LOADED = Lazy.keepingFailure();

  private VulkanLibrary() {}

  /**
   * Binds {@link VulkanApi}, the first time.
   *
   * @throws HalException UNAVAILABLE with the reason, the same in each call
   */
  static SharedLibrary load() {
    return LOADED.get(VulkanLibrary::open);
  }

  private static SharedLibrary open() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      throw new HalException(
          Status.UNAVAILABLE,
          "Vulkan is used on 64-bit Linux only, this is " + Platform.RESOURCE_PREFIX);
    }
    SharedLibrary library = WANTED.find(NAMES, "vkCreateInstance");
    WANTED.require(library, VulkanApi.API.symbols(), NEEDED);
    NativeLibrary.getInstance(library.path(), Map.of(Library.OPTION_OPEN_FLAGS, LAZY_AND_KEPT));
    VulkanApi.API.bind(library);
    int[] version = new int[1];
    VulkanResult.check(
        "enumerateInstanceVersion", VulkanApi.API.setup().enumerateInstanceVersion(version));
    if (Integer.compareUnsigned(version[0], VulkanConstants.VK_API_VERSION_1_2) < 0) {
      throw new HalException(
          Status.UNAVAILABLE,
          "%s is of Vulkan %s; JHAL needs %s or newer"
              .formatted(library.path(), version(version[0]), NEEDED));
    }
    return library;
  }

  /** Decodes a version of Vulkan, such as 1.3.230. */
  static String version(int encoded) {
    return (encoded >>> 22 & 0x7F) + "." + (encoded >>> 12 & 0x3FF) + "." + (encoded & 0xFFF);
  }
}
