package org.jhal.gpu.graph;

import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.runtime.GpuMemory;

/**
 * Launches the single commands of a stream as graphs of one node, where that is faster: one for
 * each kernel, which ends with the kernel's module, and one for small copies.
 *
 * <p>Used by the thread that issues to the stream, except for {@link #makesNext}.
 */
public final class OneNodeGraphs {
  /** A larger copy takes so long that its launch does not matter. */
  private static final long LARGEST_COPY = 64 << 10;

  private final GraphCache cache;
  private final int place; // of the device's own memory
  private final OneNodeGraph copies;

  OneNodeGraphs(GraphCache cache, int place) {
    this.cache = cache;
    this.place = place;
    this.copies = new OneNodeGraph(cache);
  }

  /** Whether issuing the commands may make a graph, and so block. For any thread. */
  public boolean makesNext(CommandList commands, int stream) {
    if (!cache.makesAtOnce() || commands.size() != 1) {
      return false;
    }
    Command only = commands.get(0);
    return switch (only.kind()) {
      case DISPATCH ->
          !(KernelLoader.attachment(only.kernel(), stream) instanceof OneNodeGraph known)
              || known.isWanted();
      case COPY -> copies.isWanted();
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
          graphOf(command.kernel(), stream)
              .launch(
                  stream,
                  command,
                  submission,
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
        && copies.launch(stream, copy, submission, (int) bytes, 0, 0);
  }
}
