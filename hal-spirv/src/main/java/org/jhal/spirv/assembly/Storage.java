// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.assembly;

/** Storage classes of SPIR-V. */
public final class Storage {
  /** Constant memory, in kernels. */
  public static final int UNIFORM_CONSTANT = 0;

  /** Built-in variables. */
  public static final int INPUT = 1;

  /** Shared memory. */
  public static final int WORKGROUP = 4;

  /** Global memory, in kernels. */
  public static final int CROSS_WORKGROUP = 5;

  /** Variables of a work item outside functions. */
  public static final int PRIVATE = 6;

  /** Variables of a function. */
  public static final int FUNCTION = 7;

  /** Any memory, in kernels. */
  public static final int GENERIC = 8;

  /** Arguments. */
  public static final int PUSH_CONSTANT = 9;

  /** Memory by its address. */
  public static final int PHYSICAL_STORAGE_BUFFER = 5349;

  private Storage() {}
}
