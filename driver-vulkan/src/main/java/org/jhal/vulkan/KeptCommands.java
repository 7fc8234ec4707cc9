// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.Submission;

/**
 * A recording that is submitted again and again. A command buffer that was recorded for it fits
 * another submission if the slots of the binding table hold the same memory: addresses are in its
 * push constants. {@link KeptRecordings} has the command buffers of a stream.
 *
 * <p>Thread-safe.
 */
final class KeptCommands implements PreparedCommands {
  /** What an operand is in one submission; {@code buffer} is the same object for a VkBuffer. */
  record Place(Object buffer, long offset, long length) {}

  private final List<Operand> slots; // operands that depend on the binding table
  private volatile boolean isClosed;

  /** For commands. */
  KeptCommands(CommandList commands) {
    Set<Operand> found = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Operand> inOrder = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      for (Operand operand : operands(commands.get(i))) {
        if (operand.slot() >= 0 && found.add(operand)) {
          inOrder.add(operand);
        }
      }
    }
    this.slots = List.copyOf(inOrder);
  }

  private static List<Operand> operands(Command command) {
    return switch (command.kind()) {
      case FILL, UPDATE -> List.of(command.target());
      case COPY -> List.of(command.source(), command.target());
      case DISPATCH -> {
        LoadedKernel kernel = command.kernel();
        List<Operand> buffers = new ArrayList<>();
        for (int i = 0; i < kernel.parameterCount(); i++) {
          if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
            buffers.add(command.argument(i));
          }
        }
        yield buffers;
      }
      default -> List.of();
    };
  }

  /** Where the operands are in a submission; equal lists fit the same command buffer. */
  List<Place> places(Submission submission) {
    List<Place> places = new ArrayList<>(slots.size());
    for (Operand slot : slots) {
      VulkanMemory memory = (VulkanMemory) submission.memory(slot);
      places.add(
          new Place(
              memory.identity(),
              memory.bufferOffset() + submission.offset(slot),
              submission.length(slot)));
    }
    return places;
  }

  boolean isClosed() {
    return isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
