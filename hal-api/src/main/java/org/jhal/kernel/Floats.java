// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Kernel memory as elements of type {@code f32}. An index counts elements, from 0; access outside
 * {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Valid for as long as its {@link KernelMemory} is. Concurrent accesses by several workgroups
 * are not synchronized.
 */
public final class Floats {
  private final KernelMemory memory;

  Floats(KernelMemory memory) {
    this.memory = memory;
  }

  /** Returns the number of whole elements; bytes of an incomplete last one do not count. */
  public long length() {
    return memory.size() >> 2;
  }

  /** Returns element {@code index}. */
  public float get(long index) {
    return memory.getFloat(Elements.offset(index, 2));
  }

  /** Writes element {@code index}. */
  public void set(long index, float value) {
    memory.putFloat(Elements.offset(index, 2), value);
  }

  @Override
  public String toString() {
    return length() + " floats";
  }
}
