package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.hipMemcpyDefault;
import static org.jhal.hip.jna.HipGraphCalls.*;

import org.jhal.Workgroups;
import org.jhal.driver.gpu.GraphRuntime;
import org.jhal.driver.gpu.NativeBlock;
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

  // hipKernelNodeParams.
  private static final int BLOCK_X = 0;
  private static final int BLOCK_Y = 4;
  private static final int BLOCK_Z = 8;
  private static final int EXTRA = 16;
  private static final int FUNCTION = 24;
  private static final int GRID_X = 32;
  private static final int GRID_Y = 36;
  private static final int GRID_Z = 40;
  private static final int KERNEL_PARAMETERS = 48;
  private static final int SHARED_BYTES = 56;

  // hipMemsetParams of ROCm 7.
  private static final int FILL_TARGET = 0;
  private static final int FILL_PITCH = 8;
  private static final int FILL_VALUE = 16;
  private static final int FILL_ELEMENT_BYTES = 20;
  private static final int FILL_WIDTH = 24;
  private static final int FILL_HEIGHT = 32;

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
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments) {
    long parameters =
        kernelParameters(scratch, kernel, groupsX, groupsY, groupsZ, size, sharedBytes, arguments);
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
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments) {
    long parameters =
        kernelParameters(scratch, kernel, groupsX, groupsY, groupsZ, size, sharedBytes, arguments);
    device.check(
        "hipGraphExecKernelNodeSetParams",
        hipGraphExecKernelNodeSetParams(instance, node, parameters));
  }

  private static long kernelParameters(
      NativeBlock scratch,
      hipFunction_t kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments) {
    scratch
        .bytes()
        .putInt(BLOCK_X, size.x())
        .putInt(BLOCK_Y, size.y())
        .putInt(BLOCK_Z, size.z())
        .putLong(EXTRA, arguments)
        .putLong(FUNCTION, kernel.get())
        .putInt(GRID_X, groupsX)
        .putInt(GRID_Y, groupsY)
        .putInt(GRID_Z, groupsZ)
        .putLong(KERNEL_PARAMETERS, 0)
        .putInt(SHARED_BYTES, sharedBytes);
    return scratch.address(0);
  }

  @Override
  public long addFill(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long target,
      int pattern,
      int patternBytes,
      long times) {
    long parameters = fillParameters(scratch, target, pattern, patternBytes, times);
    device.check(
        "hipGraphAddMemsetNode",
        hipGraphAddMemsetNode(scratch.address(NODE), graph, dependencies, count, parameters));
    return scratch.bytes().getLong(NODE);
  }

  @Override
  public void setFill(
      NativeBlock scratch,
      long instance,
      long node,
      long target,
      int pattern,
      int patternBytes,
      long times) {
    long parameters = fillParameters(scratch, target, pattern, patternBytes, times);
    device.check(
        "hipGraphExecMemsetNodeSetParams",
        hipGraphExecMemsetNodeSetParams(instance, node, parameters));
  }

  private static long fillParameters(
      NativeBlock scratch, long target, int pattern, int patternBytes, long times) {
    int value = patternBytes == 4 ? pattern : pattern & ((1 << 8 * patternBytes) - 1);
    scratch
        .bytes()
        .putLong(FILL_TARGET, target)
        .putLong(FILL_PITCH, 0)
        .putInt(FILL_VALUE, value)
        .putInt(FILL_ELEMENT_BYTES, patternBytes)
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
      boolean isTargetOnHost,
      long source,
      boolean isSourceOnHost,
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
      boolean isTargetOnHost,
      long source,
      boolean isSourceOnHost,
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
