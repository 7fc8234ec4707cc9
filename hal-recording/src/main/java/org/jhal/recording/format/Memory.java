// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

/**
 * A memory.
 *
 * @param device the number of its device
 * @param size in bytes
 * @param type the name of its type, as DEVICE
 * @param origin where it comes from
 */
public record Memory(int device, long size, String type, Origin origin) {
  /** Where memory comes from. */
  public enum Origin {
    /** Allocated: nobody has written it yet. */
    ALLOCATED,
    /** The program's; what the host writes is recorded. */
    HOST,
    /** Not known here; its contents at the beginning are not recorded. */
    FOREIGN
  }
}
