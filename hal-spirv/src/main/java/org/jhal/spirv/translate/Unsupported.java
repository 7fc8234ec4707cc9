// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.HalException;
import org.jhal.Status;

/** Refusals: what kernels for Vulkan cannot have. */
final class Unsupported {
  private Unsupported() {}

  /** The failure of code, such as {@code kernel 'sum'}, that has what is not translated. */
  static HalException in(String code, String what) {
    return new HalException(Status.UNIMPLEMENTED, code + " has " + what + ", which Vulkan lacks");
  }

  /** The same, and what to do instead. */
  static HalException in(String code, String what, String instead) {
    return new HalException(
        Status.UNIMPLEMENTED, code + " has " + what + ", which Vulkan lacks; " + instead);
  }
}
