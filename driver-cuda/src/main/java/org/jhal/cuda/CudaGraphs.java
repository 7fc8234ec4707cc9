package org.jhal.cuda;

import static org.jhal.cuda.CudaGraphCalls.*;

import java.nio.ByteBuffer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUfunction;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GraphRuntime;

/** The graphs of a {@link CudaDevice}. The layouts of structures are those of cuda.h. */
final class CudaGraphs implements GraphRuntime<CudaStream, CUfunction> {
  // CUDA_KERNEL_NODE_PARAMS_v2.
  private static final int FUNCTION = 0;
  private static final int GRID_X = 8;
  private static final int GRID_Y = 12;
  private static final int GRID_Z = 16;
  private static final int BLOCK_X = 20;
  private static final int BLOCK_Y = 24;
  private static final int BLOCK_Z = 28;
  private static final int SHARED_BYTES = 32;
  private static final int KERNEL_PARAMETERS = 40;
  private static final int EXTRA = 48;
  private static final int KERNEL = 56;
  private static final int KERNEL_CONTEXT = 64;

  // CUDA_MEMSET_NODE_PARAMS.
  private static final int FILL_TARGET = 0;
  private static final int FILL_PITCH = 8;
  private static final int FILL_VALUE = 16;
  private static final int FILL_ELEMENT_BYTES = 20;
  private static final int FILL_WIDTH = 24;
  private static final int FILL_HEIGHT = 32;

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

  /** Where in the scratch block the new node is returned; behind any structure. */
  private static final int NODE = 256;

  private final CudaDevice device;
  private final long context;

  CudaGraphs(CudaDevice device, CUcontext context) {
    this.device = device;
    this.context = Handles.get(context);
  }

  /** As cuda.h says of setting parameters: launches that are in a stream are not affected. */
  @Override
  public boolean mayBeSetInFlight() {
    return true;
  }

  @Override
  public long create() {
    long[] graph = new long[1];
    device.check("cuGraphCreate", cuGraphCreate(graph, 0));
    return graph[0];
  }

  @Override
  public void destroy(long graph) {
    device.checkFreed("cuGraphDestroy", cuGraphDestroy(graph));
  }

  @Override
  public long addKernel(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      CUfunction kernel,
      Command dispatch,
      long arguments) {
    long parameters = kernelParameters(scratch, kernel, dispatch, arguments);
    device.check(
        "cuGraphAddKernelNode",
        cuGraphAddKernelNode_v2(scratch.address(NODE), graph, dependencies, count, parameters));
    return scratch.bytes().getLong(NODE);
  }

  @Override
  public void setKernel(
      NativeBlock scratch,
      long instance,
      long node,
      CUfunction kernel,
      Command dispatch,
      long arguments) {
    long parameters = kernelParameters(scratch, kernel, dispatch, arguments);
    device.check(
        "cuGraphExecKernelNodeSetParams",
        cuGraphExecKernelNodeSetParams_v2(instance, node, parameters));
  }

  private static long kernelParameters(
      NativeBlock scratch, CUfunction kernel, Command dispatch, long arguments) {
    Workgroups size = dispatch.kernel().workgroupSize();
    scratch
        .bytes()
        .putLong(FUNCTION, Handles.get(kernel))
        .putInt(GRID_X, dispatch.groupsX())
        .putInt(GRID_Y, dispatch.groupsY())
        .putInt(GRID_Z, dispatch.groupsZ())
        .putInt(BLOCK_X, size.x())
        .putInt(BLOCK_Y, size.y())
        .putInt(BLOCK_Z, size.z())
        .putInt(SHARED_BYTES, dispatch.kernel().dynamicSharedMemory())
        .putLong(KERNEL_PARAMETERS, 0)
        .putLong(EXTRA, arguments)
        .putLong(KERNEL, 0)
        .putLong(KERNEL_CONTEXT, 0);
    return scratch.address(0);
  }

  @Override
  public long addFill(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long target,
      Command fill,
      long times) {
    long parameters = fillParameters(scratch, target, fill, times);
    device.check(
        "cuGraphAddMemsetNode",
        cuGraphAddMemsetNode(
            scratch.address(NODE), graph, dependencies, count, parameters, context));
    return scratch.bytes().getLong(NODE);
  }

  @Override
  public void setFill(
      NativeBlock scratch, long instance, long node, long target, Command fill, long times) {
    long parameters = fillParameters(scratch, target, fill, times);
    device.check(
        "cuGraphExecMemsetNodeSetParams",
        cuGraphExecMemsetNodeSetParams(instance, node, parameters, context));
  }

  private static long fillParameters(NativeBlock scratch, long target, Command fill, long times) {
    scratch
        .bytes()
        .putLong(FILL_TARGET, target)
        .putLong(FILL_PITCH, 0)
        .putInt(FILL_VALUE, GraphRuntime.pattern(fill))
        .putInt(FILL_ELEMENT_BYTES, fill.patternBytes())
        .putLong(FILL_WIDTH, times)
        .putLong(FILL_HEIGHT, 1);
    return scratch.address(0);
  }

  @Override
  public long addCopy(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long target,
      boolean isTargetElsewhere,
      long source,
      boolean isSourceElsewhere,
      long bytes) {
    long parameters =
        copyParameters(scratch, target, isTargetElsewhere, source, isSourceElsewhere, bytes);
    device.check(
        "cuGraphAddMemcpyNode",
        cuGraphAddMemcpyNode(
            scratch.address(NODE), graph, dependencies, count, parameters, context));
    return scratch.bytes().getLong(NODE);
  }

  @Override
  public void setCopy(
      NativeBlock scratch,
      long instance,
      long node,
      long target,
      boolean isTargetElsewhere,
      long source,
      boolean isSourceElsewhere,
      long bytes) {
    long parameters =
        copyParameters(scratch, target, isTargetElsewhere, source, isSourceElsewhere, bytes);
    device.check(
        "cuGraphExecMemcpyNodeSetParams",
        cuGraphExecMemcpyNodeSetParams(instance, node, parameters, context));
  }

  private static long copyParameters(
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
  public long instantiate(long graph) {
    long[] instance = new long[1];
    device.check("cuGraphInstantiate", cuGraphInstantiateWithFlags(instance, graph, 0));
    return instance[0];
  }

  @Override
  public void destroyInstance(long instance) {
    device.checkFreed("cuGraphExecDestroy", cuGraphExecDestroy(instance));
  }

  @Override
  public void upload(long instance, CudaStream stream) {
    device.check("cuGraphUpload", cuGraphUpload(instance, stream.address()));
  }

  @Override
  public void launch(long instance, CudaStream stream) {
    device.check("cuGraphLaunch", cuGraphLaunch(instance, stream.address()));
  }
}
