package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code f16}, which Java computes with as floats. An
 * index counts elements, from 0; access outside {@code [0, length())} throws {@link
 * IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized.
 */
public final class Float16s {
  private final KernelMemory memory;

  Float16s(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size() >> 1;
  }

  /** Reads element {@code index}, exactly. */
  public float get(long index) {
    return Float16.toFloat(memory.getShort(Elements.offset(index, 1)));
  }

  /** Writes element {@code index}, rounded to the nearest. */
  public void set(long index, float value) {
    memory.putShort(Elements.offset(index, 1), Float16.of(value));
  }

  @Override
  public String toString() {
    return length() + " float16s";
  }
}
