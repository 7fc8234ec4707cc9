// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Locale;

/**
 * The type of a constant, or of the elements of a buffer. Manifests write it in lower case: {@code
 * f32}.
 */
public enum ElementType {
  /** Signed 8-bit integer. */
  I8(1),
  /** Unsigned 8-bit integer. */
  U8(1),
  /** Signed 16-bit integer. */
  I16(2),
  /** Unsigned 16-bit integer. */
  U16(2),
  /** Signed 32-bit integer. */
  I32(4),
  /** Unsigned 32-bit integer. */
  U32(4),
  /** Signed 64-bit integer. */
  I64(8),
  /** Unsigned 64-bit integer. */
  U64(8),
  /** IEEE 754 binary16; {@link org.jhal.kernel.Float16} converts. */
  F16(2),
  /** The upper half of an IEEE 754 binary32; {@link org.jhal.kernel.BFloat16} converts. */
  BF16(2),
  /** IEEE 754 binary32. */
  F32(4),
  /** IEEE 754 binary64. */
  F64(8);

  private final int bytes;

  ElementType(int bytes) {
    this.bytes = bytes;
  }

  /** Returns the size of one element in bytes, which is also its alignment. */
  public int bytes() {
    return bytes;
  }

  /**
   * Returns the size of {@code count} elements in bytes.
   *
   * @throws HalException OUT_OF_RANGE if {@code count} is negative or the size exceeds {@link
   *     Long#MAX_VALUE}
   */
  public long bytes(long count) {
    if (count < 0 || count > Long.MAX_VALUE / bytes) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          count
              + " elements of "
              + label()
              + "; at least 0 and at most "
              + Long.MAX_VALUE / bytes
              + " are possible");
    }
    return count * bytes;
  }

  /** Returns the name as manifests write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
