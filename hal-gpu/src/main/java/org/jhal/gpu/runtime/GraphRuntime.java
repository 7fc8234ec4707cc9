package org.jhal.gpu.runtime;

import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.gpu.natives.NativeBlock;

/**
 * The native calls on graphs of one open device. A driver whose runtime has graphs implements them;
 * each method maps to one native call. Graphs, their nodes and their instances are numbers, as are
 * addresses.
 *
 * <p>Failures are {@link HalException}s, as those of {@link GpuRuntime}.
 *
 * <p>Threads: the methods are called from any thread, with no lock held and with the device bound.
 * One thread at a time uses a graph and its instance.
 *
 * @param <S> the native stream
 * @param <K> the native kernel
 */
public interface GraphRuntime<S, K> {
  /** How much room a call may use in the block that it is given as {@code scratch}, in bytes. */
  int SCRATCH_BYTES = 512;

  /**
   * Whether setting a node changes later launches only, so that it may be set while launches of the
   * instance are in a stream.
   */
  boolean mayBeSetInFlight();

  /** Creates an empty graph. */
  long create();

  /** Destroys a graph, whose nodes cannot be set any more. Never throws. */
  void destroy(long graph);

  /**
   * Adds a kernel.
   *
   * @param dependencies the address of the nodes that it runs behind
   * @param count how many these are
   * @param dispatch tells the grid, the workgroup and its shared memory
   * @param arguments the address of the list of packed arguments; it stays valid as long as the
   *     node can be launched
   * @return the node
   */
  long addKernel(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      K kernel,
      Command dispatch,
      long arguments);

  /** Gives a kernel node of an instance other arguments; the rest is as it was added. */
  void setKernel(
      NativeBlock scratch, long instance, long node, K kernel, Command dispatch, long arguments);

  /**
   * Adds a fill.
   *
   * @param fill tells the pattern and its length
   * @param times how many times it is written, at least 1
   * @return the node
   */
  long addFill(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long target,
      Command fill,
      long times);

  /** Gives a fill node of an instance another target. */
  void setFill(
      NativeBlock scratch, long instance, long node, long target, Command fill, long times);

  /** The pattern of a fill without the bits that do not belong to it. */
  static int pattern(Command fill) {
    int bytes = fill.patternBytes();
    return bytes == 4 ? fill.pattern() : fill.pattern() & ((1 << 8 * bytes) - 1);
  }

  /**
   * Adds a copy. Both addresses are the device's.
   *
   * @param isTargetElsewhere whether the target is not in the device's own memory, but in that of
   *     the host, or of another device to which this one has access; likewise for the source
   * @param bytes at least 1
   * @return the node
   */
  long addCopy(
      NativeBlock scratch,
      long graph,
      long dependencies,
      int count,
      long target,
      boolean isTargetElsewhere,
      long source,
      boolean isSourceElsewhere,
      long bytes);

  /** Gives a copy node of an instance other addresses, in memory in the same places. */
  void setCopy(
      NativeBlock scratch,
      long instance,
      long node,
      long target,
      boolean isTargetElsewhere,
      long source,
      boolean isSourceElsewhere,
      long bytes);

  /** Makes an instance of a graph, which can be launched. */
  long instantiate(long graph);

  /** Destroys an instance, which may be in a stream. Never throws. */
  void destroyInstance(long instance);

  /** Puts what a launch needs on the device, in the order of a stream. */
  void upload(long instance, S stream);

  /** Runs an instance with the parameters that its nodes have now. */
  void launch(long instance, S stream);
}
