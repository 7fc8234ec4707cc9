// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.assembly;

/** Capabilities of SPIR-V that translated modules may declare. */
public final class Capability {
  /** Every module has it. */
  public static final int SHADER = 1;

  /** Numbers of 16 bits. */
  public static final int FLOAT16 = 9;

  /** Numbers of 64 bits. */
  public static final int FLOAT64 = 10;

  /** Integers of 64 bits, also for addresses. */
  public static final int INT64 = 11;

  /** Atomic operations of 64 bits. */
  public static final int INT64_ATOMICS = 12;

  /** Integers of 16 bits. */
  public static final int INT16 = 22;

  /** Integers of 8 bits. */
  public static final int INT8 = 39;

  /** Ballots of a subgroup. */
  public static final int GROUP_NON_UNIFORM_BALLOT = 64;

  /** Shuffles in a subgroup. */
  public static final int GROUP_NON_UNIFORM_SHUFFLE = 65;

  /** What all functions of subgroups need. */
  public static final int GROUP_NON_UNIFORM = 61;

  /** Loads and stores of 16 bits. */
  public static final int STORAGE_BUFFER_16 = 4433;

  /** Loads and stores of 8 bits. */
  public static final int STORAGE_BUFFER_8 = 4448;

  /** Addresses of buffers. */
  public static final int PHYSICAL_STORAGE_BUFFER_ADDRESSES = 5347;

  /** Shared memory that is read as numbers of different sizes. */
  public static final int WORKGROUP_MEMORY_EXPLICIT_LAYOUT = 4428;

  private Capability() {}
}
