// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;

/** The simulated driver library, through JNA: each function by its name. */
final class CudaCalls {
  private final NativeLibrary library =
      NativeLibrary.getInstance(SimulatedCuda.library().path().toString());

  /** Calls a function and returns its code. */
  int code(String function, Object... arguments) {
    return library.getFunction(function).invokeInt(arguments);
  }

  /** Calls a function that must succeed. */
  void ok(String function, Object... arguments) {
    assertEquals(0, code(function, arguments), function);
  }

  /** Calls a function that writes a handle, an address or a size to its first argument. */
  long make(String function, Object... arguments) {
    long[] result = new long[1];
    Object[] all = new Object[arguments.length + 1];
    all[0] = result;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    ok(function, all);
    return result[0];
  }

  /** Makes device 0 ready, and its primary context current on this thread. */
  long start() {
    ok("cuInit", 0);
    long context = make("cuDevicePrimaryCtxRetain", 0);
    ok("cuCtxSetCurrent", context);
    return context;
  }

  long stream() {
    return make("cuStreamCreate", 1);
  }

  long event() {
    return make("cuEventCreate", 1);
  }

  long function(byte[] image, String name) {
    Memory memory = new Memory(image.length);
    memory.write(0, image, 0, image.length);
    return make("cuModuleGetFunction", make("cuModuleLoadData", memory), name);
  }

  /** Launches with arguments of 4 bytes (Integer, Float) or 8 (Long, Double). */
  int launch(long function, int blocks, int threads, int shared, long stream, Object... arguments) {
    Memory values = new Memory(8L * arguments.length + 8);
    Memory pointers = new Memory(8L * arguments.length + 8);
    for (int i = 0; i < arguments.length; i++) {
      Object argument = arguments[i];
      if (argument instanceof Integer value) {
        values.setInt(8L * i, value);
      } else if (argument instanceof Float value) {
        values.setFloat(8L * i, value);
      } else {
        values.setLong(8L * i, (Long) argument);
      }
      pointers.setPointer(8L * i, values.share(8L * i));
    }
    return code(
        "cuLaunchKernel",
        function,
        blocks,
        1,
        1,
        threads,
        1,
        1,
        shared,
        stream,
        pointers,
        Pointer.NULL);
  }
}
