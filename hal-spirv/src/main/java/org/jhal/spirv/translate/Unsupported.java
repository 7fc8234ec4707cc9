// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.HalException;
import org.jhal.Status;

/** Refusals: what kernels for Vulkan cannot have. */
final class Unsupported {
  private Unsupported() {}

  /** The failure of a function that uses something which is not translated. */
  static HalException in(String function, String what) {
    return new HalException(
        Status.UNIMPLEMENTED, "function " + function + " has " + what + ", which Vulkan lacks");
  }
}
