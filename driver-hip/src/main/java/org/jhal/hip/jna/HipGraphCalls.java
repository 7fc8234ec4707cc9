package org.jhal.hip.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The functions of the HIP runtime for graphs; each returns a {@code hipError_t}. Handles and
 * pointers to memory that the caller owns are {@code long}s.
 *
 * <p>{@link #bind} must be called first.
 */
public final class HipGraphCalls {
  private HipGraphCalls() {}

  /** Binds the functions to a library, which has them all. */
  public static void bind(NativeLibrary library) {
    Native.register(HipGraphCalls.class, library);
  }

  public static native int hipGraphCreate(long[] pGraph, int flags);

  public static native int hipGraphDestroy(long graph);

  public static native int hipGraphAddKernelNode(
      long pGraphNode, long graph, long pDependencies, long numDependencies, long pNodeParams);

  public static native int hipGraphAddMemsetNode(
      long pGraphNode, long graph, long pDependencies, long numDependencies, long pMemsetParams);

  public static native int hipGraphAddMemcpyNode1D(
      long pGraphNode,
      long graph,
      long pDependencies,
      long numDependencies,
      long dst,
      long src,
      long count,
      int kind);

  public static native int hipGraphInstantiateWithFlags(long[] pGraphExec, long graph, long flags);

  public static native int hipGraphExecDestroy(long graphExec);

  public static native int hipGraphUpload(long graphExec, hipStream_t stream);

  public static native int hipGraphLaunch(long graphExec, hipStream_t stream);

  public static native int hipGraphExecKernelNodeSetParams(
      long hGraphExec, long node, long pNodeParams);

  public static native int hipGraphExecMemsetNodeSetParams(
      long hGraphExec, long node, long pNodeParams);

  public static native int hipGraphExecMemcpyNodeSetParams1D(
      long hGraphExec, long node, long dst, long src, long count, int kind);
}
