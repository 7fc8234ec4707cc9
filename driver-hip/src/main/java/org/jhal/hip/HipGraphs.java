package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.hipMemcpyDefault;
import static org.jhal.hip.jna.HipGraphCalls.*;

import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.hip.jna.HipKernelNodeParams;
import org.jhal.hip.jna.HipMemsetParams;
import org.jhal.hip.jna.hipFunction_t;
import org.jhal.hip.jna.hipStream_t;

/**
 * The graphs of a {@link HipDevice}, for ROCm 7 and later. Older versions lay out hipMemsetParams
 * in another way, and their graphs are known to run kernels with wrong arguments: after
 * hipGraphExecKernelNodeSetParams in 6.3 (ROCm/clr#138), and in graphs of 200 nodes and more
 * (ROCm/hip#3887).
 */
final class HipGraphs implements GraphRuntime<hipStream_t, hipFunction_t> {
  /** The first major version of ROCm whose graphs are used. */
  static final int FIRST_MAJOR = 7;

  /** Where in the scratch block the new node is returned; behind any structure. */
  private static final int NODE = 256;

  private final HipDevice device;

  HipGraphs(HipDevice device) {
    this.device = device;
  }

  /** Not known of HIP, whose versions have differed in what a launch in flight reads. */
  @Override
  public boolean mayBeSetInFlight() {
    return false;
  }

  @Override
  public long create() {
    long[] graph = new long[1];
    device.check("hipGraphCreate", hipGraphCreate(graph, 0));
    return graph[0];
  }

  @Override
  public void destroy(long graph) {
    device.checkFreed("hipGraphDestroy", hipGraphDestroy(graph));
  }

  @Override
  public long addKernel(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      hipFunction_t kernel,
      Command dispatch,
      long arguments) {
    long parameters = kernelParameters(scratch, kernel, dispatch, arguments);
    device.check(
        "hipGraphAddKernelNode",
        hipGraphAddKernelNode(scratch.address(NODE), graph, dependencies, count, parameters));
    return scratch.bytes().getLong(NODE);
  }

  @Override
  public void setKernel(
      NativeBlock scratch,
      long instance,
      long node,
      hipFunction_t kernel,
      Command dispatch,
      long arguments) {
    long parameters = kernelParameters(scratch, kernel, dispatch, arguments);
    device.check(
        "hipGraphExecKernelNodeSetParams",
        hipGraphExecKernelNodeSetParams(instance, node, parameters));
  }

  private static long kernelParameters(
      NativeBlock scratch, hipFunction_t kernel, Command dispatch, long arguments) {
    Workgroups size = dispatch.kernel().workgroupSize();
    scratch
        .bytes()
        .putInt(HipKernelNodeParams.BLOCK_DIM, size.x())
        .putInt(HipKernelNodeParams.BLOCK_DIM + 4, size.y())
        .putInt(HipKernelNodeParams.BLOCK_DIM + 8, size.z())
        .putLong(HipKernelNodeParams.EXTRA, arguments)
        .putLong(HipKernelNodeParams.FUNC, kernel.get())
        .putInt(HipKernelNodeParams.GRID_DIM, dispatch.groupsX())
        .putInt(HipKernelNodeParams.GRID_DIM + 4, dispatch.groupsY())
        .putInt(HipKernelNodeParams.GRID_DIM + 8, dispatch.groupsZ())
        .putLong(HipKernelNodeParams.KERNEL_PARAMS, 0)
        .putInt(HipKernelNodeParams.SHARED_MEM_BYTES, dispatch.kernel().dynamicSharedMemory());
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
        "hipGraphAddMemsetNode",
        hipGraphAddMemsetNode(scratch.address(NODE), graph, dependencies, count, parameters));
    return scratch.bytes().getLong(NODE);
  }

  @Override
  public void setFill(
      NativeBlock scratch, long instance, long node, long target, Command fill, long times) {
    long parameters = fillParameters(scratch, target, fill, times);
    device.check(
        "hipGraphExecMemsetNodeSetParams",
        hipGraphExecMemsetNodeSetParams(instance, node, parameters));
  }

  private static long fillParameters(NativeBlock scratch, long target, Command fill, long times) {
    scratch
        .bytes()
        .putLong(HipMemsetParams.DST, target)
        .putLong(HipMemsetParams.PITCH, 0)
        .putInt(HipMemsetParams.VALUE, GraphRuntime.pattern(fill))
        .putInt(HipMemsetParams.ELEMENT_SIZE, fill.patternBytes())
        .putLong(HipMemsetParams.WIDTH, times)
        .putLong(HipMemsetParams.HEIGHT, 1);
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
    device.check(
        "hipGraphAddMemcpyNode1D",
        hipGraphAddMemcpyNode1D(
            scratch.address(NODE),
            graph,
            dependencies,
            count,
            target,
            source,
            bytes,
            hipMemcpyDefault));
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
    device.check(
        "hipGraphExecMemcpyNodeSetParams1D",
        hipGraphExecMemcpyNodeSetParams1D(instance, node, target, source, bytes, hipMemcpyDefault));
  }

  @Override
  public long instantiate(long graph) {
    long[] instance = new long[1];
    device.check("hipGraphInstantiate", hipGraphInstantiateWithFlags(instance, graph, 0));
    return instance[0];
  }

  @Override
  public void destroyInstance(long instance) {
    device.checkFreed("hipGraphExecDestroy", hipGraphExecDestroy(instance));
  }

  @Override
  public void upload(long instance, hipStream_t stream) {
    device.check("hipGraphUpload", hipGraphUpload(instance, stream));
  }

  @Override
  public void launch(long instance, hipStream_t stream) {
    device.check("hipGraphLaunch", hipGraphLaunch(instance, stream));
  }
}
