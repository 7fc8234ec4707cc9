package org.jhal.cuda;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The functions of the driver API for graphs. JCuda has them too, but makes new objects in each
 * call, and copies structures field by field. Names and arguments are those of cuda.h; handles,
 * addresses, and pointers to memory that the caller owns are {@code long}s. Those with {@code _v2}
 * came with CUDA 12.
 *
 * <p>{@link #bind} must be called first.
 */
final class CudaGraphCalls {
  private CudaGraphCalls() {}

  static void bind(NativeLibrary library) {
    Native.register(CudaGraphCalls.class, library);
  }

  static native int cuGraphCreate(long[] graph, int flags);

  static native int cuGraphDestroy(long graph);

  static native int cuGraphAddKernelNode_v2(
      long node, long graph, long dependencies, long count, long parameters);

  static native int cuGraphAddMemsetNode(
      long node, long graph, long dependencies, long count, long parameters, long context);

  static native int cuGraphAddMemcpyNode(
      long node, long graph, long dependencies, long count, long parameters, long context);

  static native int cuGraphInstantiateWithFlags(long[] instance, long graph, long flags);

  static native int cuGraphExecDestroy(long instance);

  static native int cuGraphUpload(long instance, long stream);

  static native int cuGraphLaunch(long instance, long stream);

  static native int cuGraphExecKernelNodeSetParams_v2(long instance, long node, long parameters);

  static native int cuGraphExecMemsetNodeSetParams(
      long instance, long node, long parameters, long context);

  static native int cuGraphExecMemcpyNodeSetParams(
      long instance, long node, long parameters, long context);
}
