package org.jhal.cuda.sim;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

/** Calls about graphs, with the structures that they take. */
final class CudaGraphCalls {
  static final int HOST = 1;
  static final int DEVICE = 2;
  static final int UNIFIED = 4;

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

  /** Of a kernel that runs on one thread of each block, with an address and a value. */
  static Memory kernelParameters(long function, int blocks, long address, int value) {
    Memory memory = kernelShape(function, blocks, 1, 0);
    memory.setPointer(40, memory.share(72));
    memory.setPointer(72, memory.share(88));
    memory.setPointer(80, memory.share(96));
    memory.setLong(88, address);
    memory.setInt(96, value);
    return memory;
  }

  /** The same with packed arguments, of which there are so many bytes. */
  static Memory packedParameters(long function, long address, int value, long bytes) {
    Memory memory = kernelShape(function, 1, 1, 0);
    memory.setPointer(48, memory.share(104));
    memory.setLong(88, address);
    memory.setInt(96, value);
    memory.setLong(104, 1);
    memory.setPointer(112, memory.share(88));
    memory.setLong(120, 2);
    memory.setPointer(128, memory.share(144));
    memory.setLong(136, 0);
    memory.setLong(144, bytes);
    return memory;
  }

  /** Changes the value in what one of the methods before has made. */
  static void value(Memory parameters, int value) {
    parameters.setInt(96, value);
  }

  /** Without arguments. */
  static Memory kernelShape(long function, int blocks, int threads, int shared) {
    Memory memory = new Memory(152);
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
