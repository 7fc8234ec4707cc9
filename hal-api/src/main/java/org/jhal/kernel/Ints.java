package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code i32} or {@code u32}. An index counts
 * elements, from 0; access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized, except by the atomic method.
 */
public final class Ints {
  private final KernelMemory memory;

  Ints(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size() >> 2;
  }

  /** Reads element {@code index}. */
  public int get(long index) {
    return memory.getInt(Elements.offset(index, 2));
  }

  /** Reads element {@code index} as an unsigned number. */
  public long getUnsigned(long index) {
    return get(index) & 0xFFFF_FFFFL;
  }

  /** Writes element {@code index}. */
  public void set(long index, int value) {
    memory.putInt(Elements.offset(index, 2), value);
  }

  /** Adds atomically to element {@code index}, and returns what it was before. */
  public int getAndAdd(long index, int delta) {
    return memory.getAndAddInt(Elements.offset(index, 2), delta);
  }

  @Override
  public String toString() {
    return length() + " ints";
  }
}
