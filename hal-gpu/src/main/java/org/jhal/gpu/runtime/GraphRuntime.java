package org.jhal.gpu.runtime;

import org.jhal.HalException;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.NativeBlock;

/**
 * The native calls on graphs of one open device; each method maps to one of them. Graphs, nodes,
 * instances and addresses are numbers. A driver whose runtime has graphs adds the vendor's part.
 *
 * <p>Failures are {@link HalException}s, as those of {@link GpuRuntime}.
 *
 * <p>Threads: the methods are called from any thread, with no lock held and with the device bound.
 * One thread at a time uses a graph and its instance.
 */
public abstract class GraphRuntime {
  /** The size of the {@code scratch} block that a call may use, in bytes. */
  public static final int SCRATCH_BYTES = 512;

  /** The place of the new node in the scratch block, behind any structure. */
  private static final int NODE = 256;

  private final DeviceCalls calls;
  private final GraphApi api;
  private final GraphSetup setup;
  private final GraphLayout layout;

  /** For subclasses: with the functions and structures of a runtime. */
  protected GraphRuntime(DeviceCalls calls, GraphApi api, GraphLayout layout) {
    this.calls = calls;
    this.api = api;
    this.setup = api.setup();
    this.layout = layout;
  }

  /**
   * Whether setting a node affects later launches only, so that it is possible while launches of
   * the instance are in a stream.
   */
  public abstract boolean mayBeSetInFlight();

  public long create() {
    long[] graph = new long[1];
    calls.check("graphCreate", setup.graphCreate(graph, 0));
    return graph[0];
  }

  /** Destroys a graph, whose nodes cannot be set afterwards. Never throws. */
  public void destroy(long graph) {
    calls.checkFreed("graphDestroy", setup.graphDestroy(graph));
  }

  /**
   * Adds a kernel.
   *
   * @param dependencies the address of the nodes that it runs behind
   * @param count how many these are
   * @param dispatch has the grid, the workgroup and its shared memory
   * @param arguments the address of the list of packed arguments; it stays valid as long as the
   *     node can be launched
   * @return the node
   */
  public long addKernel(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long kernel,
      Command dispatch,
      long arguments) {
    long parameters = kernelParameters(scratch, kernel, dispatch, arguments);
    calls.check(
        "graphAddKernelNode",
        setup.graphAddKernelNode(scratch.address(NODE), graph, dependencies, count, parameters));
    return scratch.bytes().getLong(NODE);
  }

  /** Sets the arguments of a kernel node of an instance; the rest stays. */
  public void setKernel(
      NativeBlock scratch,
      long instance,
      long node,
      long kernel,
      Command dispatch,
      long arguments) {
    long parameters = kernelParameters(scratch, kernel, dispatch, arguments);
    calls.check(
        "graphExecKernelNodeSetParams",
        api.graphExecKernelNodeSetParams(instance, node, parameters));
  }

  private long kernelParameters(
      NativeBlock scratch, long kernel, Command dispatch, long arguments) {
    for (int i = 0; i < layout.bytes(); i += Long.BYTES) {
      scratch.bytes().putLong(i, 0);
    }
    Workgroups size = dispatch.kernel().workgroupSize();
    scratch
        .bytes()
        .putLong(layout.function(), kernel)
        .putInt(layout.grid(), dispatch.groupsX())
        .putInt(layout.grid() + 4, dispatch.groupsY())
        .putInt(layout.grid() + 8, dispatch.groupsZ())
        .putInt(layout.block(), size.x())
        .putInt(layout.block() + 4, size.y())
        .putInt(layout.block() + 8, size.z())
        .putInt(layout.sharedBytes(), dispatch.kernel().dynamicSharedMemory())
        .putLong(layout.extra(), arguments);
    return scratch.address(0);
  }

  /**
   * Adds a fill.
   *
   * @param fill has the pattern and its length
   * @param times how many times it is written, at least 1
   * @return the node
   */
  public long addFill(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long target,
      Command fill,
      long times) {
    long parameters = fillParameters(scratch, target, fill, times);
    calls.check(
        "graphAddMemsetNode",
        addMemsetNode(scratch.address(NODE), graph, dependencies, count, parameters));
    return scratch.bytes().getLong(NODE);
  }

  /** Sets the target of a fill node of an instance. */
  public void setFill(
      NativeBlock scratch, long instance, long node, long target, Command fill, long times) {
    long parameters = fillParameters(scratch, target, fill, times);
    calls.check("graphExecMemsetNodeSetParams", setMemsetNode(instance, node, parameters));
  }

  private static long fillParameters(NativeBlock scratch, long target, Command fill, long times) {
    int bytes = fill.patternBytes();
    int pattern = bytes == 4 ? fill.pattern() : fill.pattern() & ((1 << 8 * bytes) - 1);
    scratch
        .bytes()
        .putLong(GraphLayout.FILL_TARGET, target)
        .putLong(GraphLayout.FILL_PITCH, 0)
        .putInt(GraphLayout.FILL_VALUE, pattern)
        .putInt(GraphLayout.FILL_ELEMENT_BYTES, bytes)
        .putLong(GraphLayout.FILL_WIDTH, times)
        .putLong(GraphLayout.FILL_HEIGHT, 1);
    return scratch.address(0);
  }

  /** Adds a fill that the structure at {@code parameters} describes. Returns the result code. */
  protected abstract int addMemsetNode(
      long node, long graph, long dependencies, int count, long parameters);

  /** Changes a fill. Returns the result code. */
  protected abstract int setMemsetNode(long instance, long node, long parameters);

  /**
   * Adds a copy. Both addresses are the device's.
   *
   * @param isTargetElsewhere whether the target is in memory of the host or of an accessible other
   *     device; likewise for the source
   * @param bytes at least 1
   * @return the node
   */
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
    copyParameters(scratch, target, source, bytes, isTargetElsewhere, isSourceElsewhere);
    calls.check(
        "graphAddMemcpyNode" + copyNodes(),
        addMemcpyNode(scratch, scratch.address(NODE), graph, dependencies, count));
    return scratch.bytes().getLong(NODE);
  }

  /** Sets the addresses of a copy node of an instance, in memory in the same places. */
  public void setCopy(
      NativeBlock scratch,
      long instance,
      long node,
      long target,
      boolean isTargetElsewhere,
      long source,
      boolean isSourceElsewhere,
      long bytes) {
    copyParameters(scratch, target, source, bytes, isTargetElsewhere, isSourceElsewhere);
    calls.check(
        "graphExecMemcpyNodeSetParams" + copyNodes(), setMemcpyNode(scratch, instance, node));
  }

  /**
   * Writes the description of a copy to the beginning of the scratch block.
   *
   * @param isTo whether the target is elsewhere, see {@link #addCopy}
   * @param isFrom whether the source is elsewhere
   */
  protected abstract void copyParameters(
      NativeBlock scratch, long target, long source, long bytes, boolean isTo, boolean isFrom);

  /** Adds a copy that the scratch block describes. Returns the result code. */
  protected abstract int addMemcpyNode(
      NativeBlock scratch, long node, long graph, long dependencies, int count);

  /** The suffix of the functions for copy nodes, for messages. */
  protected String copyNodes() {
    return "";
  }

  /** Changes a copy. Returns the result code. */
  protected abstract int setMemcpyNode(NativeBlock scratch, long instance, long node);

  /** Makes an instance of a graph, which can be launched. */
  public long instantiate(long graph) {
    long[] instance = new long[1];
    calls.check("graphInstantiateWithFlags", setup.graphInstantiateWithFlags(instance, graph, 0));
    return instance[0];
  }

  /** Destroys an instance, which may be in a stream. Never throws. */
  public void destroyInstance(long instance) {
    calls.checkFreed("graphExecDestroy", setup.graphExecDestroy(instance));
  }

  /** Uploads what a launch needs to the device, in stream order. */
  public void upload(long instance, long stream) {
    calls.check("graphUpload", setup.graphUpload(instance, stream));
  }

  /** Runs an instance with its nodes' present parameters. */
  public void launch(long instance, long stream) {
    calls.check("graphLaunch", api.graphLaunch(instance, stream));
  }
}
