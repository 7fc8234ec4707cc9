// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

/** Calls about graphs, with the structures that they take. */
final class CudaGraphCalls {
  static final int HOST = 1;
  static final int DEVICE = 2;
  static final int UNIFIED = 4;

  private static final int ARGUMENTS = 104; // behind the structure and four pointers

  private final CudaCalls cuda;
  private final long context;

  CudaGraphCalls(CudaCalls cuda, long context) {
    this.cuda = cuda;
    this.context = context;
  }

  long graph() {
    return cuda.make("cuGraphCreate", 0);
  }

  long instance(long graph) {
    return cuda.make("cuGraphInstantiateWithFlags", graph, 0L);
  }

  /** Launches and waits. */
  void run(long instance, long stream) {
    cuda.ok("cuGraphLaunch", instance, stream);
    cuda.ok("cuStreamSynchronize", stream);
  }

  long kernel(long graph, Memory parameters, long... dependencies) {
    return cuda.make(
        "cuGraphAddKernelNode_v2",
        graph,
        array(dependencies),
        (long) dependencies.length,
        parameters);
  }

  long memset(long graph, Memory parameters, long... dependencies) {
    return cuda.make(
        "cuGraphAddMemsetNode",
        graph,
        array(dependencies),
        (long) dependencies.length,
        parameters,
        context);
  }

  long memcpy(long graph, Memory parameters, long... dependencies) {
    return cuda.make(
        "cuGraphAddMemcpyNode",
        graph,
        array(dependencies),
        (long) dependencies.length,
        parameters,
        context);
  }

  int setKernel(long instance, long node, Memory parameters) {
    return cuda.code("cuGraphExecKernelNodeSetParams_v2", instance, node, parameters);
  }

  int setMemset(long instance, long node, Memory parameters) {
    return cuda.code("cuGraphExecMemsetNodeSetParams", instance, node, parameters, context);
  }

  int setMemcpy(long instance, long node, Memory parameters) {
    return cuda.code("cuGraphExecMemcpyNodeSetParams", instance, node, parameters, context);
  }

  private static Object array(long[] handles) {
    return handles.length == 0 ? Pointer.NULL : handles;
  }

  /** Of one thread in each block, with at most four arguments: Integer, Float or Long. */
  static Memory kernelParameters(long function, int blocks, Object... arguments) {
    Memory memory = kernelShape(function, blocks, 1, 0);
    memory.setPointer(40, memory.share(72));
    for (int i = 0; i < arguments.length; i++) {
      int at = ARGUMENTS + 8 * i;
      memory.setPointer(72 + 8L * i, memory.share(at));
      if (arguments[i] instanceof Integer value) {
        memory.setInt(at, value);
      } else if (arguments[i] instanceof Float value) {
        memory.setFloat(at, value);
      } else {
        memory.setLong(at, (Long) arguments[i]);
      }
    }
    return memory;
  }

  /** A kernel node of one thread, with packed arguments of {@code bytes} bytes. */
  static Memory packedParameters(long function, long address, int value, long bytes) {
    Memory memory = kernelShape(function, 1, 1, 0);
    memory.setPointer(48, memory.share(136));
    memory.setLong(ARGUMENTS, address);
    memory.setInt(ARGUMENTS + 8, value);
    memory.setLong(136, 1);
    memory.setPointer(144, memory.share(ARGUMENTS));
    memory.setLong(152, 2);
    memory.setPointer(160, memory.share(176));
    memory.setLong(168, 0);
    memory.setLong(176, bytes);
    return memory;
  }

  /** Changes the second argument. */
  static void value(Memory parameters, int value) {
    parameters.setInt(ARGUMENTS + 8, value);
  }

  /** Without arguments. */
  static Memory kernelShape(long function, int blocks, int threads, int shared) {
    Memory memory = new Memory(184);
    memory.clear();
    memory.setLong(0, function);
    memory.write(8, new int[] {blocks, 1, 1, threads, 1, 1, shared}, 0, 7);
    return memory;
  }

  static Memory memsetParameters(long to, int value, int width, long count) {
    Memory memory = new Memory(40);
    memory.clear();
    memory.setLong(0, to);
    memory.setInt(16, value);
    memory.setInt(20, width);
    memory.setLong(24, count);
    memory.setLong(32, 1);
    return memory;
  }

  static Memory memcpyParameters(int toMemory, long to, int fromMemory, long from, long bytes) {
    Memory memory = new Memory(200);
    memory.clear();
    memory.setInt(32, fromMemory);
    memory.setLong(fromMemory == HOST ? 40 : 48, from);
    memory.setInt(120, toMemory);
    memory.setLong(toMemory == HOST ? 128 : 136, to);
    memory.setLong(176, bytes);
    memory.setLong(184, 1);
    memory.setLong(192, 1);
    return memory;
  }
}
