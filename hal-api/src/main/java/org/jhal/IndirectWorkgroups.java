// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * The place of the number of workgroups of a dispatch, in memory of the device: three unsigned
 * 32-bit numbers, in native byte order, for the first, the second and the third axis. The device
 * reads them when the dispatch begins, so earlier work can compute them (rule M6a).
 *
 * <pre>{@code
 * DeviceBuffer next = device.allocate(IndirectWorkgroups.BYTES, BufferParams.DEVICE);
 * queue.dispatch(timeline.at(1), timeline.at(2), select, groups, Args.of(items, kept, next));
 * queue.dispatch(timeline.at(2), timeline.at(3), refine, IndirectWorkgroups.of(next), Args.of(kept));
 * }</pre>
 *
 * <p>Immutable.
 *
 * @param counts a buffer that kernels may read ({@link BufferUsage#DISPATCH_READ}); in a command
 *     buffer also a {@link Slot}
 * @param offset where the three numbers begin in {@code counts}, in bytes; together with the offset
 *     of a slice or a slot, a multiple of 4
 */
public record IndirectWorkgroups(BufferRef counts, long offset) {
  /** The length of the three numbers, in bytes. */
  public static final int BYTES = 12;

  /**
   * Checks the place as far as it does not depend on the device.
   *
   * @throws HalException OUT_OF_RANGE if {@code offset} is negative
   */
  public IndirectWorkgroups {
    Objects.requireNonNull(counts, "counts");
    if (offset < 0) {
      throw new HalException(
          Status.OUT_OF_RANGE, "offset " + offset + " of workgroup counts may not be negative");
    }
  }

  /** Returns the counts at the start of a buffer or a slot. */
  public static IndirectWorkgroups of(BufferRef counts) {
    return new IndirectWorkgroups(counts, 0);
  }

  /**
   * Returns the counts that begin at byte {@code offset} of a buffer or a slot.
   *
   * @throws HalException OUT_OF_RANGE if {@code offset} is negative
   */
  public static IndirectWorkgroups of(BufferRef counts, long offset) {
    return new IndirectWorkgroups(counts, offset);
  }
}
