package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code i16} or {@code u16}. An index counts
 * elements, from 0; access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized.
 */
public final class Shorts {
  private final KernelMemory memory;

  Shorts(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size() >> 1;
  }

  /** Reads element {@code index}. */
  public short get(long index) {
    return memory.getShort(Elements.offset(index, 1));
  }

  /** Reads element {@code index} as an unsigned number. */
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
