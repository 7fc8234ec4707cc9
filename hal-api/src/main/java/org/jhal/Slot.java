// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * A slot of a {@link BindingTable}, or a range of the buffer that will be bound to it. Immutable.
 *
 * @param index the slot's index, from 0; less than {@link BindingTable#MAX_SIZE}
 * @param offset where the range starts, in bytes from the start of the bound buffer
 * @param length the length of the range in bytes, or {@link #WHOLE} for everything from {@code
 *     offset} on
 */
public record Slot(int index, long offset, long length) implements BufferRef {
  /** The length that stands for everything from the offset on. */
  public static final long WHOLE = -1;

  /**
   * Checks the numbers.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} is not in {@code [0,
   *     BindingTable.MAX_SIZE)}, {@code offset} is negative, {@code length} is negative and not
   *     {@link #WHOLE}, or the range ends beyond {@link Long#MAX_VALUE}
   */
  public Slot {
    if (index >= BindingTable.MAX_SIZE) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "slot index "
              + index
              + " is too large: a binding table has at most "
              + BindingTable.MAX_SIZE
              + " slots");
    }
    if (index < 0
        || offset < 0
        || length < WHOLE
        || offset > Long.MAX_VALUE - Math.max(0, length)) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "slot index "
              + index
              + ", offset "
              + offset
              + ", length "
              + length
              + ": none may be negative, and the end must be at most 2^63 - 1");
    }
  }

  /**
   * Returns a slot for the whole buffer that is bound at {@code index}.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} is not in {@code [0, BindingTable.MAX_SIZE)}
   */
  public static Slot of(int index) {
    return new Slot(index, 0, WHOLE);
  }

  /**
   * Returns a slot for {@code sliceLength} bytes of this slot's range, from {@code sliceOffset} on.
   *
   * @param sliceOffset where the new range starts, in bytes from the start of this slot's range
   * @param sliceLength in bytes, or {@link #WHOLE} for everything from {@code sliceOffset} on
   * @throws HalException OUT_OF_RANGE if the range does not fit
   */
  public Slot slice(long sliceOffset, long sliceLength) {
    if (sliceLength == WHOLE && length != WHOLE) {
      return slice(sliceOffset, Math.max(0, length - sliceOffset));
    }
    if (sliceOffset < 0
        || sliceLength < WHOLE
        || sliceOffset > Long.MAX_VALUE - offset
        || (length != WHOLE && sliceOffset > length - sliceLength)) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "slice offset " + sliceOffset + ", length " + sliceLength + " does not fit into " + this);
    }
    return new Slot(index, offset + sliceOffset, sliceLength);
  }
}
