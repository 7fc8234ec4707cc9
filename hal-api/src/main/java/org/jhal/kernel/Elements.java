package org.jhal.kernel;

/** Where elements are in memory. */
final class Elements {
  private Elements() {}

  /**
   * The offset in bytes of an element of {@code 1 << shift} bytes.
   *
   * @throws IndexOutOfBoundsException if the offset is no long; the memory checks the rest
   */
  static long offset(long index, int shift) {
    long offset = index << shift;
    if (offset >> shift != index) {
      throw new IndexOutOfBoundsException("there is no element " + index);
    }
    return offset;
  }
}
