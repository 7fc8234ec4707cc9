// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.Parameter;
import org.jhal.cpu.runtime.HalRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A part of a block that a checked dispatch had as an {@code out} buffer, and has written at least
 * in part. It keeps neither the kernel nor other blocks.
 *
 * @param offset in the block, in bytes
 * @param length in bytes
 * @param at where the code has written it first, from the start of the library
 * @param item which work item that was
 */
record Output(
    CheckedCode code,
    String kernel,
    Parameter parameter,
    long offset,
    long length,
    long at,
    String item) {
  /**
   * What is wrong if a part of the block is read back; null if nothing.
   *
   * @param shadow what is known of the block
   */
  @Nullable Finding unwritten(long shadow, long from, long bytes) {
    int element = parameter.type().bytes();
    long begin = Math.max(from, offset);
    begin = offset + (begin - offset + element - 1) / element * element;
    long end = Math.min(from + bytes, offset + length);
    long[] first = new long[1];
    long count =
        begin >= end
            ? 0
            : HalRuntime.hal_shadow_unwritten(shadow, begin, end - begin, element, first);
    if (count == 0) {
      return null;
    }
    String name = parameter.name();
    String message =
        "kernel %s leaves %s of the %s elements (%s) of '%s' unwritten, whose direction is 'out',"
                .formatted(kernel, count, length / element, parameter.typeName(), name)
            + " and they are read back: the first is element "
            + ((begin - offset) / element + first[0]);
    return new Finding(
        CheckText.VALUES, kernel, message, code.place(at, name), item, null, "", false, 1);
  }
}
