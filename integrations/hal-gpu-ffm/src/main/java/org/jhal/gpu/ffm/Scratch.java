// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Native memory of each thread for the values behind pointers, for the time of one call. Each
 * parameter has its own place. It is freed some time after its thread has ended.
 */
final class Scratch {
  /** More parameters than any function has. */
  private static final int PLACES = 32;

  private static final ThreadLocal<MemorySegment> MEMORY =
      ThreadLocal.withInitial(
          () -> Arena.ofAuto().allocate((long) PLACES * Long.BYTES, Long.BYTES));

  private Scratch() {}

  private static long address(MemorySegment memory, int place) {
    return memory.address() + (long) place * Long.BYTES;
  }

  /** Stores the first element, and returns its address. */
  static long pass(int place, long[] value) {
    MemorySegment memory = MEMORY.get();
    memory.setAtIndex(ValueLayout.JAVA_LONG, place, value[0]);
    return address(memory, place);
  }

  /** Loads the first element. */
  static void fetch(int place, long[] value) {
    value[0] = MEMORY.get().getAtIndex(ValueLayout.JAVA_LONG, place);
  }

  static long pass(int place, int[] value) {
    MemorySegment memory = MEMORY.get();
    memory.setAtIndex(ValueLayout.JAVA_INT, 2L * place, value[0]);
    return address(memory, place);
  }

  static void fetch(int place, int[] value) {
    value[0] = MEMORY.get().getAtIndex(ValueLayout.JAVA_INT, 2L * place);
  }

  static long pass(int place, float[] value) {
    MemorySegment memory = MEMORY.get();
    memory.setAtIndex(ValueLayout.JAVA_FLOAT, 2L * place, value[0]);
    return address(memory, place);
  }

  static void fetch(int place, float[] value) {
    value[0] = MEMORY.get().getAtIndex(ValueLayout.JAVA_FLOAT, 2L * place);
  }
}
