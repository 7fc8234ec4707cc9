// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.assembly;

/** Decorations of SPIR-V, and the built-in variables, that translated modules have. */
public final class Decoration {
  /** The number of a specialization constant. */
  public static final int SPEC_ID = 1;

  /** A struct that is the memory of a variable. */
  public static final int BLOCK = 2;

  /** The bytes from one element of an array to the next one. */
  public static final int ARRAY_STRIDE = 6;

  /** Marks a built-in variable. */
  public static final int BUILT_IN = 11;

  /** Variables that may share memory. */
  public static final int ALIASED = 20;

  /** The place of a member in bytes. */
  public static final int OFFSET = 35;

  /** Arithmetic that is done as it is written. */
  public static final int NO_CONTRACTION = 42;

  /** Built-in: the number of workgroups. */
  public static final int NUM_WORKGROUPS = 24;

  /** Built-in: the size of the workgroup, a constant. */
  public static final int WORKGROUP_SIZE = 25;

  /** Built-in: the workgroup. */
  public static final int WORKGROUP_ID = 26;

  /** Built-in: the work item in its workgroup. */
  public static final int LOCAL_INVOCATION_ID = 27;

  /** Built-in: the number of work items of a subgroup. */
  public static final int SUBGROUP_SIZE = 36;

  /** Built-in: the work item in its subgroup. */
  public static final int SUBGROUP_LOCAL_INVOCATION_ID = 41;

  private Decoration() {}
}
