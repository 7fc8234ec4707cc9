package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code i64} or {@code u64}. An index counts
 * elements, from 0; access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized.
 */
public final class Longs {
  private final KernelMemory memory;

  Longs(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size() >> 3;
  }

  /** Reads element {@code index}. */
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
