// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * A list of commands that is in the file, with the memory that it was submitted with: submitted
 * again with the same, it is the same bytes. Immutable.
 */
final class WrittenList {
  /**
   * What is done with each operand of a list, in an order that is always the same.
   *
   * @param <X> what it throws
   */
  interface Visitor<X extends Exception> {
    void visit(Operand operand, boolean isWritten) throws X;
  }

  final int payload; // its number
  final int actions; // how many are in it
  private final DeviceMemory[] memories; // of the operands
  private final long[] places; // the offset and the length of each

  private WrittenList(int payload, int actions, DeviceMemory[] memories, long[] places) {
    this.payload = payload;
    this.actions = actions;
    this.memories = memories;
    this.places = places;
  }

  /** Remembers a list; null if it may be other bytes each time. */
  static @Nullable WrittenList of(
      CommandList commands, Submission submission, int payload, int actions) {
    for (int i = 0; i < commands.size(); i++) {
      switch (commands.get(i).kind()) {
        case FILL, UPDATE, COPY, DISPATCH, INDIRECT_DISPATCH, BARRIER -> {}
        default -> {
          return null;
        }
      }
    }
    List<Operand> operands = new ArrayList<>();
    visit(commands, (operand, isWritten) -> operands.add(operand));
    DeviceMemory[] memories = new DeviceMemory[operands.size()];
    long[] places = new long[2 * operands.size()];
    for (int i = 0; i < memories.length; i++) {
      memories[i] = submission.memory(operands.get(i));
      places[2 * i] = submission.offset(operands.get(i));
      places[2 * i + 1] = submission.length(operands.get(i));
    }
    return new WrittenList(payload, actions, memories, places);
  }

  /** Whether the list is now submitted with the same memory. */
  boolean isSame(CommandList commands, Submission submission) {
    int[] next = {0};
    boolean[] isSame = {true};
    visit(
        commands,
        (operand, isWritten) -> {
          int i = next[0]++;
          isSame[0] &=
              submission.memory(operand) == memories[i]
                  && submission.offset(operand) == places[2 * i]
                  && submission.length(operand) == places[2 * i + 1];
        });
    return isSame[0];
  }

  /** Visits the operands of fills, updates, copies and dispatches. */
  static <X extends Exception> void visit(CommandList commands, Visitor<X> visitor) throws X {
    for (int i = 0; i < commands.size(); i++) {
      Command command = commands.get(i);
      switch (command.kind()) {
        case FILL, UPDATE -> visitor.visit(command.target(), true);
        case COPY -> {
          visitor.visit(command.source(), false);
          visitor.visit(command.target(), true);
        }
        case DISPATCH -> visitArguments(command, visitor);
        case INDIRECT_DISPATCH -> {
          visitor.visit(command.source(), false);
          visitArguments(command, visitor);
        }
        default -> {}
      }
    }
  }

  private static <X extends Exception> void visitArguments(Command dispatch, Visitor<X> visitor)
      throws X {
    LoadedKernel kernel = dispatch.kernel();
    for (int p = 0; p < kernel.parameterCount(); p++) {
      Parameter parameter = kernel.parameter(p);
      if (parameter.kind() == Parameter.Kind.BUFFER) {
        visitor.visit(dispatch.argument(p), parameter.isWritten());
      }
    }
  }
}
