// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;

/** Compares the variables of code with what a manifest declares. */
public final class GlobalSize {
  private GlobalSize() {}

  /** The message if the code has no variable of that name. */
  public static String absence(Global global, String what) {
    return "no global '%s' in %s".formatted(global.name(), what);
  }

  /**
   * Compares sizes.
   *
   * @param bytes the size in the code
   * @param what is being loaded, for people
   * @throws HalException INVALID_ARGUMENT if they differ
   */
  public static void check(Global global, long bytes, String what) {
    if (bytes != global.bytes()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "global '%s' in %s has %s bytes; by the manifest it is %s, which has %s"
              .formatted(global.name(), what, bytes, global, global.bytes()));
    }
  }
}
