// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.runtime.GpuMemory;

/**
 * Launches the single commands of a stream as graphs of one node, where that is faster: one for
 * each kernel, which ends with the kernel's module, one for small copies, one for small readbacks,
 * and one for the grids of indirect dispatches.
 *
 * <p>Used by the thread that issues to the stream, except for {@link #makesNext}.
 */
public final class OneNodeGraphs {
  /** A larger copy takes so long that its launch does not matter. */
  private static final long LARGEST_COPY = 64 << 10;

  private final GraphCache cache;
  private final int place; // of the device's own memory
  private final OneNodeGraph copies;
  private final OneNodeGraph readbacks;
  private final OneNodeGraph grids;

  OneNodeGraphs(GraphCache cache, int place) {
    this.cache = cache;
    this.place = place;
    this.copies = new OneNodeGraph(cache);
    this.readbacks = new OneNodeGraph(cache);
    this.grids = new OneNodeGraph(cache);
  }

  /** Whether issuing the commands may make a graph, and so block. For any thread. */
  public boolean makesNext(CommandList commands, int stream) {
    if (!cache.makesAtOnce() || commands.size() != 1) {
      return false;
    }
    Command only = commands.get(0);
    return switch (only.kind()) {
      case DISPATCH ->
          !only.kernel().isCooperative()
              && !(KernelLoader.attachment(only.kernel(), stream) instanceof OneNodeGraph known
                  && !known.isWanted());
      case COPY -> copies.isWanted();
      case READBACK -> only.host().size() <= LARGEST_COPY && readbacks.isWanted();
      default -> false;
    };
  }

  /**
   * Launches a dispatch or a copy. Returns false if it is to be issued plainly, as is every other
   * command.
   *
   * @throws HalException if the launch failed, or the device is lost
   */
  public boolean launch(GraphStream stream, Command command, Submission submission) {
    return switch (command.kind()) {
      case DISPATCH ->
          !command.kernel().isCooperative()
              && graphOf(command.kernel(), stream)
                  .launch(
                      stream,
                      command,
                      submission,
                      0,
                      command.groupsX(),
                      command.groupsY(),
                      command.groupsZ());
      case COPY -> copy(stream, command, submission);
      default -> false;
    };
  }

  private OneNodeGraph graphOf(LoadedKernel kernel, GraphStream stream) {
    if (KernelLoader.attachment(kernel, stream.index()) instanceof OneNodeGraph known) {
      return known;
    }
    OneNodeGraph made = new OneNodeGraph(cache);
    KernelLoader.attach(kernel, stream.index(), made);
    return made;
  }

  private boolean copy(GraphStream stream, Command copy, Submission submission) {
    long bytes = submission.length(copy.target());
    return bytes <= LARGEST_COPY
        && GpuMemory.of(copy.source(), submission).place() == place
        && GpuMemory.of(copy.target(), submission).place() == place
        && copies.launch(stream, copy, submission, 0, (int) bytes, 0, 0);
  }

  /**
   * Launches the device's copy of a READBACK to staging memory. Returns false if it is to be issued
   * plainly.
   *
   * @param staging where it goes: page-locked memory, which stays so until {@link #endReadbacks}
   * @throws HalException if the launch failed, or the device is lost
   */
  public boolean readback(
      GraphStream stream, Command readback, Submission submission, long staging) {
    long bytes = readback.host().size();
    return bytes <= LARGEST_COPY
        && GpuMemory.of(readback.source(), submission).place() == place
        && readbacks.launch(stream, readback, submission, staging, (int) bytes, 0, 0);
  }

  /**
   * Launches the device's copy of the grid of an INDIRECT_DISPATCH to memory of the host; otherwise
   * as {@link #readback}.
   */
  public boolean readGrid(
      GraphStream stream, Command dispatch, Submission submission, long target) {
    return GpuMemory.of(dispatch.source(), submission).place() == place
        && grids.launch(stream, dispatch, submission, target, IndirectWorkgroups.BYTES, 0, 0);
  }

  /**
   * Ends the graphs that write to memory of the host, before any memory that is released after this
   * call. Called when the stream is idle or lost.
   */
  public void endReadbacks() {
    readbacks.end();
    grids.end();
  }
}
