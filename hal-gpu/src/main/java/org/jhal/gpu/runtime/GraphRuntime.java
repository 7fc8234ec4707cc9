// SPDX-License-Identifier: Apache-2.0
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

  /** The place of the context in which the node runs, or 0, likewise. */
  private static final int CONTEXT = 264;

  /** The mode that forbids no calls meanwhile: CU_STREAM_CAPTURE_MODE_RELAXED, and HIP's. */
  private static final int CAPTURE_RELAXED = 2;

  private final DeviceCalls calls;
  private final GraphApi api;
  private final GraphSetup setup;
  private final GraphLayout layout;
  private final String addCopy; // names of functions
  private final String setCopy;

  /**
   * For subclasses: with the functions and structures of a runtime.
   *
   * @param copies the suffix of the functions for copy nodes; may be empty
   */
  protected GraphRuntime(
      DeviceCalls calls, GraphApi api, GraphSetup setup, GraphLayout layout, String copies) {
    this.calls = calls;
    this.api = api;
    this.setup = setup;
    this.layout = layout;
    this.addCopy = "graphAddMemcpyNode" + copies;
    this.setCopy = "graphExecMemcpyNodeSetParams" + copies;
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

  // Nodes. The scratch block describes a node when it is added or set.

  /**
   * Describes a kernel.
   *
   * @param dispatch has the grid, the workgroup and its shared memory
   * @param arguments the address of the list of packed arguments; it stays valid as long as the
   *     node can be launched
   */
  public void describeKernel(NativeBlock scratch, long kernel, Command dispatch, long arguments) {
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
    if (layout.context() != GraphLayout.NO_CONTEXT) {
      scratch.bytes().putLong(layout.context(), context(scratch));
    }
  }

  /**
   * Has the nodes that this scratch block describes from now on made in a context of the device; 0
   * for the device's own.
   */
  public static void setContext(NativeBlock scratch, long context) {
    scratch.bytes().putLong(CONTEXT, context);
  }

  /** What {@link #setContext} has set. */
  protected static long context(NativeBlock scratch) {
    return scratch.bytes().getLong(CONTEXT);
  }

  /**
   * Describes a fill.
   *
   * @param fill has the pattern and its length
   * @param times how many times it is written, at least 1
   */
  public void describeFill(NativeBlock scratch, long target, Command fill, long times) {
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
  }

  /**
   * Describes a copy of at least one byte. Both addresses are the device's.
   *
   * @param isTo whether the target is in memory of the host or of an accessible other device
   * @param isFrom likewise for the source
   */
  public abstract void describeCopy(
      NativeBlock scratch, long target, boolean isTo, long source, boolean isFrom, long bytes);

  /**
   * Adds a node.
   *
   * @param kind dispatch, fill, or any other kind for a copy
   * @param dependencies the address of the nodes that it runs behind
   * @param count how many these are
   * @return the node
   */
  public long add(
      Command.Kind kind, NativeBlock scratch, long graph, long dependencies, int count) {
    long node = scratch.address(NODE);
    long description = scratch.address(0);
    switch (kind) {
      case DISPATCH ->
          calls.check(
              "graphAddKernelNode",
              setup.graphAddKernelNode(node, graph, dependencies, count, description));
      case FILL ->
          calls.check("graphAddMemsetNode", addFill(scratch, node, graph, dependencies, count));
      default -> calls.check(addCopy, addCopy(scratch, node, graph, dependencies, count));
    }
    return scratch.bytes().getLong(NODE);
  }

  /**
   * Sets a node of an instance to a description that differs from its present one in addresses and
   * arguments alone. Addresses of copies stay in the same places.
   */
  public void set(Command.Kind kind, NativeBlock scratch, long instance, long node) {
    long description = scratch.address(0);
    switch (kind) {
      case DISPATCH ->
          calls.check(
              "graphExecKernelNodeSetParams",
              api.graphExecKernelNodeSetParams(instance, node, description));
      case FILL -> calls.check("graphExecMemsetNodeSetParams", setFill(scratch, instance, node));
      default -> calls.check(setCopy, setCopy(scratch, instance, node));
    }
  }

  /** Adds a fill, and writes it to {@code node}. Returns the result code, as do the next three. */
  protected abstract int addFill(
      NativeBlock scratch, long node, long graph, long dependencies, int count);

  protected abstract int setFill(NativeBlock scratch, long instance, long node);

  protected abstract int addCopy(
      NativeBlock scratch, long node, long graph, long dependencies, int count);

  protected abstract int setCopy(NativeBlock scratch, long instance, long node);

  // Captures.

  /**
   * Lets the calls that give a stream work, of any thread, build a graph until {@link #endCapture}.
   * Nothing of it runs. Other streams are not affected.
   */
  public void beginCapture(long stream) {
    calls.check("streamBeginCapture", setup.streamBeginCapture(stream, CAPTURE_RELAXED));
  }

  /**
   * Ends the capture of a stream, whether it fails or not.
   *
   * @return the graph
   */
  public long endCapture(long stream) {
    long[] graph = new long[1];
    calls.check("streamEndCapture", setup.streamEndCapture(stream, graph));
    return graph[0];
  }

  // Instances.

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
