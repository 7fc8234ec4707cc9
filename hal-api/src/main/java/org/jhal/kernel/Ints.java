// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Kernel memory as elements of type {@code i32} or {@code u32}. An index counts elements, from 0;
 * access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Valid for as long as its {@link KernelMemory} is. Concurrent accesses by several workgroups
 * are not synchronized, except those by {@link #getAndAdd}.
 */
public final class Ints {
  private final KernelMemory memory;

  Ints(KernelMemory memory) {
    this.memory = memory;
  }

  /** Returns the number of whole elements; bytes of an incomplete last one do not count. */
  public long length() {
    return memory.size() >> 2;
  }

  /** Returns element {@code index}. */
  public int get(long index) {
    return memory.getInt(Elements.offset(index, 2));
  }

  /** Returns element {@code index} as an unsigned number. */
  public long getUnsigned(long index) {
    return get(index) & 0xFFFF_FFFFL;
  }

  /** Writes element {@code index}. */
  public void set(long index, int value) {
    memory.putInt(Elements.offset(index, 2), value);
  }

  /**
   * Atomically adds {@code delta} to element {@code index}, and returns the previous value.
   *
   * @throws IllegalArgumentException if the element is not aligned to 4 bytes
   */
  public int getAndAdd(long index, int delta) {
    return memory.getAndAddInt(Elements.offset(index, 2), delta);
  }

  @Override
  public String toString() {
    return length() + " ints";
  }
}
