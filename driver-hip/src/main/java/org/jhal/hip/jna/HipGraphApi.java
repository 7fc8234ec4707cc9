package org.jhal.hip.jna;

import java.util.List;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.GraphLayout;

/**
 * The functions of the HIP runtime for graphs.
 *
 * <p>{@link #bind} must be called first.
 */
public final class HipGraphApi implements GraphApi {
  public static final HipGraphApi API = new HipGraphApi();

  /** The C structure {@code hipKernelNodeParams}. */
  public static final GraphLayout KERNEL = new GraphLayout(64, 24, 32, 0, 56, 16);

  private HipGraphApi() {}

  /** The names of all functions. */
  public static List<String> symbols() {
    return SharedLibrary.functions(HipGraphApi.class).stream()
        .map(HipApi.API::functionName)
        .toList();
  }

  /** Binds the functions to a library, which has them all. */
  public static void bind(SharedLibrary library) {
    library.bind(HipGraphApi.class, HipApi.API::functionName);
  }

  @Override
  public native int graphCreate(long[] graph, int flags);

  @Override
  public native int graphDestroy(long graph);

  @Override
  public native int graphAddKernelNode(
      long node, long graph, long dependencies, long count, long parameters);

  @Override
  public native int graphExecKernelNodeSetParams(long instance, long node, long parameters);

  @Override
  public native int graphInstantiateWithFlags(long[] instance, long graph, long flags);

  @Override
  public native int graphExecDestroy(long instance);

  @Override
  public native int graphUpload(long instance, long stream);

  @Override
  public native int graphLaunch(long instance, long stream);

  public native int graphAddMemsetNode(
      long node, long graph, long dependencies, long count, long parameters);

  public native int graphAddMemcpyNode1D(
      long node,
      long graph,
      long dependencies,
      long count,
      long target,
      long source,
      long bytes,
      int kind);

  public native int graphExecMemsetNodeSetParams(long instance, long node, long parameters);

  public native int graphExecMemcpyNodeSetParams1D(
      long instance, long node, long target, long source, long bytes, int kind);
}
