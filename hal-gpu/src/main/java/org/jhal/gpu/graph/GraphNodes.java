// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.memory.HostBlock;
import org.jhal.gpu.memory.PackedArguments;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a {@link GraphInstance}: their addresses, and the native memory that they point to.
 * That memory lives as long as this object; the bytes of updates live until {@link #close}.
 *
 * <p>Used by the owner of the instance.
 */
final class GraphNodes implements GraphContent {
  private static final int MANY_SLOTS = 63;

  private final GpuCore core;
  private final GraphRuntime graphs;
  private final GraphPlan plan;

  /** Room for calls, the dependencies of one node, and the arguments of all kernels. */
  private final NativeBlock memory;

  private @Nullable HostBlock updates; // the bytes of updates, one behind the other
  private int updateBytes;

  // By node.
  private final long[] nodes;
  private final int[] places; // of a kernel's arguments in memory, of an update's in updates
  private final long[] slotsOf; // the slots that it names, see bit()
  private final long[] targets;
  private final long[] sources;
  private final long[] lengths;
  private final int[] targetPlaces; // see GpuMemory
  private final int[] sourcePlaces;

  // By used slot: an operand that detects another binding, and the address of the present one.
  private final List<Operand> operands = new ArrayList<>();
  private final long[] boundAddresses;

  /**
   * Makes the nodes of a plan.
   *
   * @param context in which they are made; 0 for the device's own
   * @throws ArithmeticException if they need more than 2 GiB of memory for arguments or updates
   */
  GraphNodes(GpuCore core, GraphRuntime graphs, GraphPlan plan, long context) {
    this.core = core;
    this.graphs = graphs;
    this.plan = plan;
    int count = plan.size();
    nodes = new long[count];
    places = new int[count];
    slotsOf = new long[count];
    targets = new long[count];
    sources = new long[count];
    lengths = new long[count];
    targetPlaces = new int[count];
    sourcePlaces = new int[count];
    int end = GraphRuntime.SCRATCH_BYTES + Long.BYTES * plan.mostDependencies();
    end = (end + 15) / 16 * 16;
    BitSet noted = new BitSet();
    for (int node = 0; node < count; node++) {
      Command command = plan.command(node);
      switch (command.kind()) {
        case DISPATCH -> {
          places[node] = end;
          end = Math.addExact(end, PackedArguments.space(command.kernel().layout().size()));
          LoadedKernel kernel = command.kernel();
          for (int i = 0; i < kernel.parameterCount(); i++) {
            if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
              note(node, command.argument(i), noted);
            }
          }
        }
        case UPDATE -> {
          places[node] = updateBytes;
          updateBytes = Math.addExact(updateBytes, command.bytes().remaining());
          note(node, command.target(), noted);
        }
        case FILL -> note(node, command.target(), noted);
        case COPY -> {
          note(node, command.source(), noted);
          note(node, command.target(), noted);
        }
        default -> throw new IllegalStateException("a graph has no " + command.kind());
      }
    }
    memory = new NativeBlock(end);
    GraphRuntime.setContext(memory, context);
    for (int node = 0; node < count; node++) {
      Command command = plan.command(node);
      if (command.kind() == Command.Kind.DISPATCH) {
        PackedArguments.prepare(
            memory, places[node], core.runtime().library().vendor().launchListEnd());
        PackedArguments.set(memory, places[node], command);
      }
    }
    boundAddresses = new long[operands.size()];
  }

  /** Keeps one operand for each slot. */
  private void note(int node, Operand operand, BitSet noted) {
    int slot = operand.slot();
    if (slot >= 0) {
      slotsOf[node] |= bit(slot);
      if (!noted.get(slot)) {
        noted.set(slot);
        operands.add(operand);
      }
    }
  }

  /** A bit for a slot; slots with high numbers share one. */
  private static long bit(int slot) {
    return 1L << Math.min(slot, MANY_SLOTS);
  }

  @Override
  public int size() {
    return nodes.length;
  }

  @Override
  public long pinnedBytes() {
    return updateBytes;
  }

  // Addresses.

  /** Takes the addresses of a submission. */
  void capture(Submission submission) {
    for (int node = 0; node < nodes.length; node++) {
      resolve(node, submission);
    }
    keepBindings(submission);
  }

  private void resolve(int node, Submission submission) {
    Command command = plan.command(node);
    switch (command.kind()) {
      case DISPATCH -> PackedArguments.setAddresses(memory, places[node], command, submission);
      case COPY -> {
        sources[node] = GpuMemory.address(command.source(), submission);
        sourcePlaces[node] = GpuMemory.of(command.source(), submission).place();
        resolveTarget(node, command, submission);
      }
      default -> resolveTarget(node, command, submission);
    }
  }

  private void resolveTarget(int node, Command command, Submission submission) {
    targets[node] = GpuMemory.address(command.target(), submission);
    targetPlaces[node] = GpuMemory.of(command.target(), submission).place();
    lengths[node] = submission.length(command.target());
  }

  private void keepBindings(Submission submission) {
    for (int i = 0; i < boundAddresses.length; i++) {
      boundAddresses[i] = GpuMemory.address(operands.get(i), submission);
    }
  }

  /** A number for the present bindings, which those of another table hardly ever have. */
  long table() {
    return Arrays.hashCode(boundAddresses);
  }

  /** The bits of the slots whose binding differs from the nodes' addresses. */
  long changedSlots(Submission submission) {
    long changed = 0;
    for (int i = 0; i < boundAddresses.length; i++) {
      Operand operand = operands.get(i);
      if (boundAddresses[i] != GpuMemory.address(operand, submission)) {
        changed |= bit(operand.slot());
      }
    }
    return changed;
  }

  /** Whether a changed node would refer to memory in another place, which no runtime allows. */
  boolean isOtherMemory(long changed, Submission submission) {
    for (int node = 0; node < nodes.length; node++) {
      if ((slotsOf[node] & changed) != 0) {
        Command command = plan.command(node);
        if (command.kind() != Command.Kind.DISPATCH
            && (GpuMemory.of(command.target(), submission).place() != targetPlaces[node]
                || (command.kind() == Command.Kind.COPY
                    && GpuMemory.of(command.source(), submission).place() != sourcePlaces[node]))) {
          return true;
        }
      }
    }
    return false;
  }

  // Native nodes.

  @Override
  public void addTo(long graph) {
    if (updateBytes > 0) {
      HostBlock block = HostBlock.pinned(core, updateBytes);
      updates = block;
      ByteBuffer to = block.view(0, updateBytes);
      for (int node = 0; node < nodes.length; node++) {
        if (plan.command(node).kind() == Command.Kind.UPDATE) {
          to.position(places[node]).put(plan.command(node).bytes());
          sources[node] = block.address() + places[node];
          sourcePlaces[node] = GpuMemory.HOST;
        }
      }
    }
    for (int node = 0; node < nodes.length; node++) {
      nodes[node] = add(node, graph);
    }
  }

  private long add(int node, long graph) {
    int[] behind = plan.dependencies(node);
    for (int i = 0; i < behind.length; i++) {
      memory.bytes().putLong(GraphRuntime.SCRATCH_BYTES + Long.BYTES * i, nodes[behind[i]]);
    }
    long dependencies = memory.address(GraphRuntime.SCRATCH_BYTES);
    return graphs.add(describe(node), memory, graph, dependencies, behind.length);
  }

  /** Writes what the node does to the beginning of the memory; returns the kind of its command. */
  private Command.Kind describe(int node) {
    Command command = plan.command(node);
    switch (command.kind()) {
      case DISPATCH ->
          graphs.describeKernel(
              memory,
              KernelLoader.nativeKernel(command.kernel()),
              command,
              memory.address(places[node]));
      case FILL ->
          graphs.describeFill(
              memory, targets[node], command, lengths[node] / command.patternBytes());
      default ->
          graphs.describeCopy(
              memory,
              targets[node],
              isElsewhere(targetPlaces[node]),
              sources[node],
              isElsewhere(sourcePlaces[node]),
              lengths[node]);
    }
    return command.kind();
  }

  private boolean isElsewhere(int place) {
    return place != core.place();
  }

  /**
   * Sets the addresses of the nodes with changed slots; returns how many these are. If this throws,
   * only some may be set.
   */
  int set(long instance, long changed, Submission submission) {
    int count = 0;
    for (int node = 0; node < nodes.length; node++) {
      if ((slotsOf[node] & changed) != 0) {
        resolve(node, submission);
        graphs.set(describe(node), memory, instance, nodes[node]);
        count++;
      }
    }
    keepBindings(submission);
    return count;
  }

  /** Frees the bytes of updates. */
  @Override
  public void close() {
    HostBlock block = updates;
    updates = null;
    if (block != null) {
      block.free();
    }
  }
}
