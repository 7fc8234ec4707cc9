// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a device that ends loops on its own says of itself; see docs/vulkan.md. */
final class LoopLimit {
  /** VK_DRIVER_ID_MESA_LLVMPIPE, which is lavapipe. */
  private static final int LAVAPIPE = 13;

  /** The first version of Mesa in which it was not seen. */
  private static final int WITHOUT = 25;

  private static final Pattern VERSION = Pattern.compile("Mesa (\\d{1,4})\\..*");

  private LoopLimit() {}

  /**
   * The limit, for people; null if none is known.
   *
   * @param driver a VkDriverId
   * @param info the driver's version as it describes it
   */
  static @Nullable String of(int driver, String info) {
    Matcher version = VERSION.matcher(info);
    boolean isNew = version.matches() && Integer.parseInt(version.group(1)) >= WITHOUT;
    return driver == LAVAPIPE && !isNew
        ? "end, unreported, when a work item has begun 65535 rounds of all its loops"
        : null;
  }
}
