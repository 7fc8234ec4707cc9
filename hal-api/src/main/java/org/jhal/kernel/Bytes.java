package org.jhal.kernel;

/**
 * Memory that a kernel works on, as elements of {@code i8} or {@code u8}. An index counts elements,
 * from 0; access outside {@code [0, length())} throws {@link IndexOutOfBoundsException}.
 *
 * <p>Accesses from several workgroups are not synchronized.
 */
public final class Bytes {
  private final KernelMemory memory;

  Bytes(KernelMemory memory) {
    this.memory = memory;
  }

  /** The number of elements; bytes at the end that make no whole one do not count. */
  public long length() {
    return memory.size();
  }

  /** Reads element {@code index}. */
  public byte get(long index) {
    return memory.getByte(index);
  }

  /** Reads element {@code index} as an unsigned number. */
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
