// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import org.jhal.hip.jna.HipConstants;

/** Calls about graphs, by name, with the structures of ROCm 7 that they take. */
final class HipGraphCalls {
  static final int DEVICE_TO_HOST = 2;
  static final int DEVICE_TO_DEVICE = 3;

  private static final int ARGUMENTS = 64;
  private static final int LIST = 80;
  private static final int POINTERS = 128;

  private final NativeLibrary library;

  HipGraphCalls(NativeLibrary library) {
    this.library = library;
  }

  int code(String function, Object... arguments) {
    return library.getFunction(function).invokeInt(arguments);
  }

  void ok(String function, Object... arguments) {
    assertEquals(0, code(function, arguments), function);
  }

  /** Calls a function that writes a handle to its first argument. */
  private long make(String function, Object... arguments) {
    long[] result = new long[1];
    Object[] all = new Object[arguments.length + 1];
    all[0] = result;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    ok(function, all);
    return result[0];
  }

  long graph() {
    return make("hipGraphCreate", 0);
  }

  long instance(long graph) {
    return make("hipGraphInstantiateWithFlags", graph, 0L);
  }

  long kernel(long graph, Memory parameters, long... dependencies) {
    return make(
        "hipGraphAddKernelNode",
        graph,
        array(dependencies),
        (long) dependencies.length,
        parameters);
  }

  long memset(long graph, Memory parameters, long... dependencies) {
    return make(
        "hipGraphAddMemsetNode",
        graph,
        array(dependencies),
        (long) dependencies.length,
        parameters);
  }

  long memcpy(long graph, long to, long from, long bytes, int kind, long... dependencies) {
    return make(
        "hipGraphAddMemcpyNode1D",
        graph,
        array(dependencies),
        (long) dependencies.length,
        to,
        from,
        bytes,
        kind);
  }

  int setKernel(long instance, long node, Memory parameters) {
    return code("hipGraphExecKernelNodeSetParams", instance, node, parameters);
  }

  int setMemset(long instance, long node, Memory parameters) {
    return code("hipGraphExecMemsetNodeSetParams", instance, node, parameters);
  }

  int setMemcpy(long instance, long node, long to, long from, long bytes, int kind) {
    return code("hipGraphExecMemcpyNodeSetParams1D", instance, node, to, from, bytes, kind);
  }

  private static Object array(long[] handles) {
    return handles.length == 0 ? Pointer.NULL : handles;
  }

  /** Of one thread in each block, with an address and a value, packed. */
  static Memory packed(long function, int blocks, long address, int value) {
    Memory memory = arguments(function, blocks, address, value);
    memory.setPointer(16, memory.share(LIST));
    memory.setLong(LIST, HipConstants.HIP_LAUNCH_PARAM_BUFFER_POINTER);
    memory.setPointer(LIST + 8, memory.share(ARGUMENTS));
    memory.setLong(LIST + 16, HipConstants.HIP_LAUNCH_PARAM_BUFFER_SIZE);
    memory.setPointer(LIST + 24, memory.share(LIST + 40));
    memory.setLong(LIST + 32, HipConstants.HIP_LAUNCH_PARAM_END);
    memory.setLong(LIST + 40, 12);
    return memory;
  }

  /** The same, one by one. */
  static Memory separate(long function, int blocks, long address, int value) {
    Memory memory = arguments(function, blocks, address, value);
    memory.setPointer(48, memory.share(POINTERS));
    memory.setPointer(POINTERS, memory.share(ARGUMENTS));
    memory.setPointer(POINTERS + 8, memory.share(ARGUMENTS + 8));
    return memory;
  }

  private static Memory arguments(long function, int blocks, long address, int value) {
    Memory memory = new Memory(POINTERS + 16);
    memory.clear();
    memory.write(0, new int[] {1, 1, 1}, 0, 3);
    memory.setLong(24, function);
    memory.write(32, new int[] {blocks, 1, 1}, 0, 3);
    memory.setLong(ARGUMENTS, address);
    memory.setInt(ARGUMENTS + 8, value);
    return memory;
  }

  /** Changes the value in arguments from one of the methods above. */
  static void value(Memory parameters, int value) {
    parameters.setInt(ARGUMENTS + 8, value);
  }

  /** Sets the size of packed arguments. */
  static void size(Memory parameters, long bytes) {
    parameters.setLong(LIST + 40, bytes);
  }

  static Memory memset(long to, int value, int width, long count) {
    Memory memory = new Memory(40);
    memory.clear();
    memory.setLong(0, to);
    memory.setInt(16, value);
    memory.setInt(20, width);
    memory.setLong(24, count);
    memory.setLong(32, 1);
    return memory;
  }
}
