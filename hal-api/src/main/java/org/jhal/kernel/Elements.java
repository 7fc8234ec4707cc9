// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/** Computes where elements are in memory. */
final class Elements {
  private Elements() {}

  /**
   * Returns the offset in bytes of an element of {@code 1 << shift} bytes.
   *
   * @throws IndexOutOfBoundsException if the offset does not fit into a long; the memory checks the
   *     rest
   */
  static long offset(long index, int shift) {
    long offset = index << shift;
    if (offset >> shift != index) {
      throw new IndexOutOfBoundsException("there is no element " + index);
    }
    return offset;
  }
}
