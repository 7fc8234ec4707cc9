package org.jhal.driver.gpu;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The arguments of a launch, packed in native memory, in the form that native launches take as
 * {@code extra}: a list with the address and the size of a block. The launch copies them, so a
 * stream uses one buffer for all its launches.
 *
 * <p>Not thread-safe.
 */
public final class LaunchBuffer {
  // LAUNCH_PARAM_BUFFER_POINTER and _SIZE of the runtimes. The word that ends the list differs.
  private static final long BUFFER_POINTER = 1;
  private static final long BUFFER_SIZE = 2;

  private static final int LIST_BYTES = 48; // five words, and the size that the fourth points to
  private static final int SIZE_AT = 40;

  private final long end;
  private ByteBuffer memory;
  private long list; // the address of the memory

  LaunchBuffer(long end) {
    this.end = end;
    memory = reserve(4096);
  }

  private ByteBuffer reserve(int size) {
    ByteBuffer made = ByteBuffer.allocateDirect(LIST_BYTES + size).order(ByteOrder.nativeOrder());
    list = GpuRuntime.address(made);
    return made.putLong(0, BUFFER_POINTER)
        .putLong(8, list + LIST_BYTES)
        .putLong(16, BUFFER_SIZE)
        .putLong(24, list + SIZE_AT)
        .putLong(32, end);
  }

  /** Sets the arguments to the first {@code size} bytes of {@code packed}. */
  void set(byte[] packed, int size) {
    if (LIST_BYTES + size > memory.capacity()) {
      memory = reserve(2 * size);
    }
    memory.putLong(SIZE_AT, size);
    memory.put(LIST_BYTES, packed, 0, size);
  }

  /** Writes an address at {@code offset} of the arguments. */
  void setAddress(int offset, long address) {
    memory.putLong(LIST_BYTES + offset, address);
  }

  /** The address of the list; valid until the next launch. */
  public long list() {
    return list;
  }
}
