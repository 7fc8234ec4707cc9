package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code f64}. An index counts elements, from 0;
 * access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized.
 */
public final class Doubles {
  private final KernelMemory memory;

  Doubles(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size() >> 3;
  }

  /** Reads element {@code index}. */
  public double get(long index) {
    return memory.getDouble(Elements.offset(index, 3));
  }

  /** Writes element {@code index}. */
  public void set(long index, double value) {
    memory.putDouble(Elements.offset(index, 3), value);
  }

  @Override
  public String toString() {
    return length() + " doubles";
  }
}
