// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Kernel memory as elements of type {@code i16} or {@code u16}. An index counts elements, from 0;
 * access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Valid for as long as its {@link KernelMemory} is. Concurrent accesses by several workgroups
 * are not synchronized.
 */
public final class Shorts {
  private final KernelMemory memory;

  Shorts(KernelMemory memory) {
    this.memory = memory;
  }

  /** Returns the number of whole elements; bytes of an incomplete last one do not count. */
  public long length() {
    return memory.size() >> 1;
  }

  /** Returns element {@code index}. */
  public short get(long index) {
    return memory.getShort(Elements.offset(index, 1));
  }

  /** Returns element {@code index} as an unsigned number. */
  public int getUnsigned(long index) {
    return get(index) & 0xFFFF;
  }

  /** Writes element {@code index}. */
  public void set(long index, short value) {
    memory.putShort(Elements.offset(index, 1), value);
  }

  @Override
  public String toString() {
    return length() + " shorts";
  }
}
