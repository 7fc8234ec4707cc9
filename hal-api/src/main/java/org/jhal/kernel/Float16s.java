// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Kernel memory as elements of type {@code f16}, which are read and written as floats. An index
 * counts elements, from 0; access outside {@code [0, length())} throws {@link
 * IndexOutOfBoundsException}.
 *
 * <p>Valid for as long as its {@link KernelMemory} is. Concurrent accesses by several workgroups
 * are not synchronized.
 */
public final class Float16s {
  private final KernelMemory memory;

  Float16s(KernelMemory memory) {
    this.memory = memory;
  }

  /** Returns the number of whole elements; bytes of an incomplete last one do not count. */
  public long length() {
    return memory.size() >> 1;
  }

  /** Returns element {@code index}, exactly. */
  public float get(long index) {
    return Float16.toFloat(memory.getShort(Elements.offset(index, 1)));
  }

  /** Writes element {@code index}, rounded to the nearest {@code f16} as by {@link Float16#of}. */
  public void set(long index, float value) {
    memory.putShort(Elements.offset(index, 1), Float16.of(value));
  }

  @Override
  public String toString() {
    return length() + " float16s";
  }
}
