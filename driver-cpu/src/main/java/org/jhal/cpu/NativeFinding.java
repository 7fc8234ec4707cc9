// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.cpu.runtime.HalRuntime;

/**
 * A finding as the native runtime has it, see {@code hal_finding} in {@code hal_check.h}.
 *
 * @param range the number of the parameter or of the variable in shared memory, or -1
 * @param at where in the code, from the start of the library
 * @param otherItem -1 if it is not known
 * @param mask of lanes, or how many items
 */
record NativeFinding(
    int kind,
    int access,
    int size,
    int range,
    long at,
    long address,
    long offset,
    long group,
    int item,
    long otherAt,
    long otherGroup,
    int otherItem,
    int otherAccess,
    long mask,
    long count) {
  static final int OUTSIDE = 1;
  static final int READ_ONLY = 2;
  static final int MISALIGNED = 3;
  static final int RACE = 4;
  static final int UNWRITTEN = 5;
  static final int DIVERGED = 6;
  static final int ENDED = 7;
  static final int ABSENT = 8;
  static final int SHIFT = 9;
  static final int DIVISION = 10;
  static final int CONVERSION = 11;

  /** The number of the dynamic shared memory, and that of the first variable in shared memory. */
  static final int DYNAMIC = 999;

  static final int SHARED = 1000;

  private static final int WRITE = 1;
  private static final int ATOMIC = 2;
  private static final int SAME = 8;

  private static final int FIELDS = 15;

  static NativeFinding read(long check, int index) {
    long[] f = new long[FIELDS];
    HalRuntime.hal_check_finding(check, index, f);
    int at = 0;
    return new NativeFinding(
        (int) f[at++],
        (int) f[at++],
        (int) f[at++],
        (int) f[at++],
        f[at++],
        f[at++],
        f[at++],
        f[at++],
        (int) f[at++],
        f[at++],
        f[at++],
        (int) f[at++],
        (int) f[at++],
        f[at++],
        f[at]);
  }

  /** Whether two writes have written the same. */
  boolean isSame() {
    return (otherAccess & SAME) != 0;
  }

  /** Whether a work item ends there, before it has done all that it is to do. */
  boolean endsItem() {
    return kind == OUTSIDE || kind == DIVISION || kind == ABSENT;
  }

  /** What the access does, as a verb. */
  String verb() {
    return verb(access);
  }

  /** Likewise, of the other one. */
  String otherVerb() {
    return verb(otherAccess);
  }

  private static String verb(int access) {
    String verb = (access & WRITE) != 0 ? "writes" : "reads";
    return (access & ATOMIC) == 0
        ? verb
        : (access & WRITE) != 0 ? "changes atomically" : "reads atomically";
  }
}
