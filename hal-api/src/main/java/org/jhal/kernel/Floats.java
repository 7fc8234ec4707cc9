package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code f32}. An index counts elements, from 0;
 * access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized.
 */
public final class Floats {
  private final KernelMemory memory;

  Floats(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size() >> 2;
  }

  /** Reads element {@code index}. */
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
