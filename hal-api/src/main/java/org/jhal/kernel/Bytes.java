// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * Kernel memory as elements of type {@code i8} or {@code u8}. An index counts elements, from 0;
 * access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Valid for as long as its {@link KernelMemory} is. Concurrent accesses by several workgroups
 * are not synchronized.
 */
public final class Bytes {
  private final KernelMemory memory;

  Bytes(KernelMemory memory) {
    this.memory = memory;
  }

  /** Returns the number of elements. */
  public long length() {
    return memory.size();
  }

  /** Returns element {@code index}. */
  public byte get(long index) {
    return memory.getByte(index);
  }

  /** Returns element {@code index} as an unsigned number. */
  public int getUnsigned(long index) {
    return get(index) & 0xFF;
  }

  /** Writes element {@code index}. */
  public void set(long index, byte value) {
    memory.putByte(index, value);
  }

  @Override
  public String toString() {
    return length() + " bytes";
  }
}
