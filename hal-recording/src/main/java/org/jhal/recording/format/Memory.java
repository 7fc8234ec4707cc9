// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import org.jspecify.annotations.Nullable;

/**
 * A memory.
 *
 * @param device the number of its device
 * @param size in bytes
 * @param type the name of its type, as DEVICE
 * @param origin where it comes from
 * @param variable which variable it is; null unless it is one of {@link Origin#GLOBAL}
 */
public record Memory(
    int device, long size, String type, Origin origin, @Nullable Variable variable) {
  /** A variable of the code of a bundle, which has a number. */
  public record Variable(int bundle, String name) {}

  /** Where memory comes from. */
  public enum Origin {
    /** Allocated: nobody has written it yet. */
    ALLOCATED,
    /** The program's; what the host writes is recorded. */
    HOST,
    /** Not known here; its contents at the beginning are not recorded. */
    FOREIGN,
    /** A variable of kernels, which begins as the code says. */
    GLOBAL
  }
}
