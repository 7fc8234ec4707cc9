package org.jhal;

/**
 * A place in a {@link BindingTable}, or a range of what will be bound there.
 *
 * @param index the place, from 0
 * @param offset where the range starts, in bytes from the start of what is bound
 * @param length how long the range is, in bytes, or {@link #WHOLE} for all that follows {@code
 *     offset}
 */
public record Slot(int index, long offset, long length) implements BufferRef {
  /** The length that stands for everything from the offset on. */
  public static final long WHOLE = -1;

  /**
   * Checks the numbers.
   *
   * @throws HalException OUT_OF_RANGE if {@code index} or {@code offset} is negative, the range
   *     ends beyond {@link Long#MAX_VALUE}, or {@code length} is and is not {@link #WHOLE}
   */
  public Slot {
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

  /** All of what is bound at {@code index}. */
  public static Slot of(int index) {
    return new Slot(index, 0, WHOLE);
  }

  /**
   * {@code sliceLength} bytes from {@code sliceOffset} on of what this slot names.
   *
   * @param sliceLength may be {@link #WHOLE}: all that follows {@code sliceOffset}
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
