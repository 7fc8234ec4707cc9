// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Kernel memory as elements of type {@code i64} or {@code u64}. An index counts elements, from 0;
 * access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Valid for as long as its {@link KernelMemory} is. Concurrent accesses by several workgroups
 * are not synchronized.
 */
public final class Longs {
  private final KernelMemory memory;

  Longs(KernelMemory memory) {
    this.memory = memory;
  }

  /** Returns the number of whole elements; bytes of an incomplete last one do not count. */
  public long length() {
    return memory.size() >> 3;
  }

  /** Returns element {@code index}. */
  public long get(long index) {
    return memory.getLong(Elements.offset(index, 3));
  }

  /** Writes element {@code index}. */
  public void set(long index, long value) {
    memory.putLong(Elements.offset(index, 3), value);
  }

  @Override
  public String toString() {
    return length() + " longs";
  }
}
