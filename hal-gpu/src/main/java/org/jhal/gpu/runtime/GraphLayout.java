// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

/**
 * The offsets of members of the structure that describes a kernel node, in bytes.
 *
 * @param bytes its size; all other members are zero
 * @param function the kernel
 * @param grid three ints, the number of workgroups along each axis
 * @param block three ints, the size of a workgroup along each axis
 * @param sharedBytes the dynamic shared memory of a workgroup
 * @param extra the address of the list of packed arguments
 * @param context the context in which the kernel runs, or {@link #NO_CONTEXT}
 */
public record GraphLayout(
    int bytes, int function, int grid, int block, int sharedBytes, int extra, int context) {
  /** The structure has no such member. */
  public static final int NO_CONTEXT = -1;

  // The structure that describes a fill node, common to the vendors.
  public static final int FILL_TARGET = 0;
  public static final int FILL_PITCH = 8;
  public static final int FILL_VALUE = 16;
  public static final int FILL_ELEMENT_BYTES = 20;
  public static final int FILL_WIDTH = 24;
  public static final int FILL_HEIGHT = 32;
}
