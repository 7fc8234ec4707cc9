package org.jhal.cuda;

import java.nio.ByteBuffer;
import java.util.List;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.GraphLayout;
import org.jhal.gpu.runtime.GraphRuntime;

/** The graphs of a device. The layouts of structures are those of cuda.h. */
final class CudaGraphs extends GraphRuntime {
  /** CUDA_KERNEL_NODE_PARAMS_v2. */
  private static final GraphLayout KERNEL = new GraphLayout(72, 0, 8, 20, 32, 48);

  // CUDA_MEMCPY3D. All else is zero.
  private static final int COPY_BYTES = 200;
  private static final int SOURCE_TYPE = 32;
  private static final int SOURCE_DEVICE = 48;
  private static final int TARGET_TYPE = 120;
  private static final int TARGET_DEVICE = 136;
  private static final int COPY_WIDTH = 176;
  private static final int COPY_HEIGHT = 184;
  private static final int COPY_DEPTH = 192;

  // CUmemorytype.
  private static final int DEVICE = 2;
  private static final int UNIFIED = 4;

  /**
   * The functions for graphs, through JNA: JCuda has them too, but makes new objects in each call,
   * and copies structures field by field.
   */
  static final class Api implements GraphApi {
    static final Api API = new Api();

    private Api() {}

    static List<String> symbols() {
      return SharedLibrary.functions(Api.class).stream().map(Api::symbol).toList();
    }

    /** Binds the functions to a library, which has them all. */
    static void bind(SharedLibrary library) {
      library.bind(Api.class, Api::symbol);
    }

    /** Those with {@code _v2} came with CUDA 12. */
    private static String symbol(String function) {
      String name = SharedLibrary.function("cu", function);
      return function.contains("Kernel") ? name + "_v2" : name;
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

    native int graphAddMemsetNode(
        long node, long graph, long dependencies, long count, long parameters, long context);

    native int graphAddMemcpyNode(
        long node, long graph, long dependencies, long count, long parameters, long context);

    native int graphExecMemsetNodeSetParams(
        long instance, long node, long parameters, long context);

    native int graphExecMemcpyNodeSetParams(
        long instance, long node, long parameters, long context);
  }

  private final long context;

  CudaGraphs(DeviceCalls device, long context) {
    super(device, Api.API, KERNEL);
    this.context = context;
  }

  /** As cuda.h says of setting parameters: launches that are in a stream are not affected. */
  @Override
  public boolean mayBeSetInFlight() {
    return true;
  }

  @Override
  protected int addMemsetNode(
      long node, long graph, long dependencies, int count, long parameters) {
    return Api.API.graphAddMemsetNode(node, graph, dependencies, count, parameters, context);
  }

  @Override
  protected int setMemsetNode(long instance, long node, long parameters) {
    return Api.API.graphExecMemsetNodeSetParams(instance, node, parameters, context);
  }

  @Override
  protected long copyParameters(
      NativeBlock scratch,
      long target,
      boolean isTargetElsewhere,
      long source,
      boolean isSourceElsewhere,
      long bytes) {
    ByteBuffer out = scratch.bytes();
    for (int i = 0; i < COPY_BYTES; i += Long.BYTES) {
      out.putLong(i, 0);
    }
    out.putInt(SOURCE_TYPE, isSourceElsewhere ? UNIFIED : DEVICE)
        .putLong(SOURCE_DEVICE, source)
        .putInt(TARGET_TYPE, isTargetElsewhere ? UNIFIED : DEVICE)
        .putLong(TARGET_DEVICE, target)
        .putLong(COPY_WIDTH, bytes)
        .putLong(COPY_HEIGHT, 1)
        .putLong(COPY_DEPTH, 1);
    return scratch.address(0);
  }

  @Override
  protected int addMemcpyNode(
      long node,
      long graph,
      long dependencies,
      int count,
      long parameters,
      long target,
      long source,
      long bytes) {
    return Api.API.graphAddMemcpyNode(node, graph, dependencies, count, parameters, context);
  }

  @Override
  protected int setMemcpyNode(
      long instance, long node, long parameters, long target, long source, long bytes) {
    return Api.API.graphExecMemcpyNodeSetParams(instance, node, parameters, context);
  }
}
