// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.List;
import org.jhal.KernelFinding;
import org.jhal.Parameter;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.KernelChecks;
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
  @Nullable CheckReport unwritten(long shadow, long from, long bytes) {
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
    KernelFinding.Place place = code.place(at, name);
    return new CheckReport(
        new KernelFinding(KernelChecks.VALUES, kernel, message, place, item, null, "", false, 1),
        place == null ? List.of() : code.lines(place.file()),
        null);
  }
}
