package org.jhal.cuda;

import com.sun.jna.Memory;
import jcuda.Pointer;

/**
 * The arguments of a launch, packed in native memory, in the form that cuLaunchKernel takes as
 * {@code extra}: a list of the block's address and size. The call copies them, so one buffer serves
 * all launches of a thread.
 *
 * <p>For one thread at a time.
 */
final class LaunchBuffer {
  // From cuda.h: CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END.
  private static final long BUFFER_POINTER = 1;
  private static final long BUFFER_SIZE = 2;
  private static final long END = 0;

  private static final int LIST_BYTES = 48; // five words, and the size that one of them points to
  private static final int SIZE_AT = 40;

  private Memory memory = new Memory(LIST_BYTES + 4096);
  private Pointer list = prepare();

  private Pointer prepare() {
    long base = com.sun.jna.Pointer.nativeValue(memory);
    memory.setLong(0, BUFFER_POINTER);
    memory.setLong(8, base + LIST_BYTES);
    memory.setLong(16, BUFFER_SIZE);
    memory.setLong(24, base + SIZE_AT);
    memory.setLong(32, END);
    return Handles.pointer(base);
  }

  /** Begins with the first {@code size} bytes of {@code packed}. */
  void set(byte[] packed, int size) {
    if (LIST_BYTES + size > memory.size()) {
      memory = new Memory(LIST_BYTES + 2L * size);
      list = prepare();
    }
    memory.setLong(SIZE_AT, size);
    memory.write(LIST_BYTES, packed, 0, size);
  }

  /** Puts an address at {@code offset}. */
  void setAddress(int offset, long address) {
    memory.setLong(LIST_BYTES + offset, address);
  }

  /** For the argument {@code extra}. */
  Pointer extra() {
    return list;
  }
}
