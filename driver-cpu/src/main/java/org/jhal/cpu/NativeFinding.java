// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.cpu.runtime.HalRuntime;

/**
 * A finding as the native runtime has it, see {@code hal_finding} in {@code hal_check.h}.
 *
 * @param range the number of the parameter, or -1
 * @param at where in the code, from the start of the library
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
    long count) {
  static final int OUTSIDE = 1;
  static final int READ_ONLY = 2;

  static final int WRITE = 1;

  private static final int FIELDS = 10;

  static NativeFinding read(long check, int index) {
    long[] f = new long[FIELDS];
    HalRuntime.hal_check_finding(check, index, f);
    return new NativeFinding(
        (int) f[0], (int) f[1], (int) f[2], (int) f[3], f[4], f[5], f[6], f[7], (int) f[8], f[9]);
  }

  boolean isWrite() {
    return (access & WRITE) != 0;
  }
}
