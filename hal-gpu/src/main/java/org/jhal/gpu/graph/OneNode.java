// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import java.nio.ByteBuffer;
import org.jhal.IndirectWorkgroups;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.memory.PackedArguments;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GraphRuntime;

/**
 * The only node of a graph: a dispatch, a copy within the device's own memory, or the device's copy
 * of a readback, or of the grid of an indirect dispatch, to memory of the host. Each launch
 * describes it anew, and sets it if anything differs. It refers to no object of the program, since
 * it outlives the commands.
 *
 * <p>Used by the owner of the instance.
 */
final class OneNode implements GraphContent {
  private static final int ARGUMENTS = GraphRuntime.SCRATCH_BYTES; // where a kernel's begin

  private final GraphRuntime graphs;
  private final Command.Kind kind;
  private final NativeBlock memory; // room for calls, and a kernel's arguments
  private final ByteBuffer known; // what the memory had when the native node was last set
  private long node;

  /**
   * Makes a node with the parameters of a command, whose kind and kernel it keeps.
   *
   * @param staging where a readback is copied, as an address of the device; else unused
   * @param context in which it is made; 0 for the device's own
   */
  OneNode(
      GpuCore core,
      GraphRuntime graphs,
      Command command,
      Submission submission,
      long staging,
      long context) {
    this.graphs = graphs;
    this.kind = command.kind();
    if (kind == Command.Kind.DISPATCH) {
      int size = command.kernel().layout().size();
      this.memory = new NativeBlock(ARGUMENTS + PackedArguments.space(size));
      PackedArguments.prepare(memory, ARGUMENTS, core.runtime().library().vendor().launchListEnd());
    } else {
      this.memory = new NativeBlock(ARGUMENTS);
    }
    GraphRuntime.setContext(memory, context);
    known = ByteBuffer.allocate(memory.bytes().capacity());
    describe(command, submission, staging);
  }

  private void describe(Command command, Submission submission, long staging) {
    switch (kind) {
      case DISPATCH -> {
        LoadedKernel kernel = command.kernel();
        PackedArguments.set(memory, ARGUMENTS, command);
        PackedArguments.setAddresses(memory, ARGUMENTS, command, submission);
        graphs.describeKernel(
            memory, KernelLoader.nativeKernel(kernel), command, memory.address(ARGUMENTS));
      }
      case READBACK -> {
        long source = GpuMemory.address(command.source(), submission);
        graphs.describeCopy(memory, staging, true, source, false, command.host().size());
      }
      case INDIRECT_DISPATCH -> {
        long source = GpuMemory.address(command.source(), submission);
        graphs.describeCopy(memory, staging, true, source, false, IndirectWorkgroups.BYTES);
      }
      default -> {
        long target = GpuMemory.address(command.target(), submission);
        long source = GpuMemory.address(command.source(), submission);
        long bytes = submission.length(command.target());
        graphs.describeCopy(memory, target, false, source, false, bytes);
      }
    }
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public long pinnedBytes() {
    return 0;
  }

  @Override
  public void addTo(long graph) {
    node = graphs.add(kind, memory, graph, memory.address(0), 0);
    keep();
  }

  private void keep() {
    known.put(0, memory.bytes(), 0, known.capacity());
  }

  /** Gives it the parameters of another command of the same kind and kernel. */
  void set(long instance, Command command, Submission submission, long staging) {
    describe(command, submission, staging);
    if (memory.bytes().mismatch(known) >= 0) {
      graphs.set(kind, memory, instance, node);
      keep();
    }
  }

  @Override
  public void close() {}
}
