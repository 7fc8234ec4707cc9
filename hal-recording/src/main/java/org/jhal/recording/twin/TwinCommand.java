// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.recording.compare.Side;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jspecify.annotations.Nullable;

/** A command with its operands resolved. Used by one thread. */
final class TwinCommand {
  /** A range of a memory, and whether the command writes it. */
  private record Place(TwinMemory memory, Range range, boolean isWritten) {}

  /** What a command does on both devices. */
  private interface Body {
    void run(Side first, Side second) throws InterruptedException;
  }

  private final Submission submission;
  private final List<Place> places = new ArrayList<>();
  private final Body body;
  private Action.@Nullable Dispatch dispatch; // null if it is another command

  /** Resolves a command, while it is being issued. */
  TwinCommand(Command command, Submission submission) {
    this.submission = submission;
    this.body = body(command);
  }

  /** What is to be compared behind {@link #run}, or null if that does it all. */
  Action.@Nullable Dispatch dispatch() {
    return dispatch;
  }

  private Range place(Operand operand, boolean isWritten) {
    TwinMemory memory = (TwinMemory) submission.memory(operand);
    Range range = new Range(memory.number, submission.offset(operand), submission.length(operand));
    places.add(new Place(memory, range, isWritten));
    return range;
  }

  private Body body(Command command) {
    return switch (command.kind()) {
      case FILL -> {
        Action.Fill fill =
            new Action.Fill(
                place(command.target(), true), command.pattern(), command.patternBytes());
        yield (first, second) -> {
          first.fill(fill);
          second.fill(fill);
        };
      }
      case UPDATE -> {
        int length = (int) submission.length(command.target());
        yield upload(HostMemory.of(command.array(), 0, length), command);
      }
      case UPLOAD -> upload(command.host(), command);
      case READBACK -> {
        Range source = place(command.source(), false);
        HostMemory target = command.host();
        yield (first, second) -> HostCopies.read(first, source, target);
      }
      case COPY -> {
        Action.Copy copy =
            new Action.Copy(place(command.source(), false), place(command.target(), true));
        yield (first, second) -> {
          first.copy(copy);
          second.copy(copy);
        };
      }
      case DISPATCH -> {
        dispatch = dispatch(command, null);
        yield (first, second) -> {};
      }
      case INDIRECT_DISPATCH -> {
        Range counts = place(command.source(), false);
        Action.Dispatch recorded = dispatch(command, counts);
        dispatch = recorded;
        LoadedKernel kernel = command.kernel();
        yield (first, second) -> {
          Action.Dispatch read = recorded.withGrid(first.read(counts));
          Workgroups unused = kernel.grid(read.x(), read.y(), read.z());
        };
      }
      case BARRIER -> (first, second) -> {}; // commands run one after the other
      case EXTERNAL, EVENT ->
          throw new IllegalArgumentException("a twin runs no command of kind " + command.kind());
    };
  }

  private Body upload(HostMemory source, Command command) {
    Range target = place(command.target(), true);
    return (first, second) -> HostCopies.write(source, target, List.of(first, second));
  }

  private Action.Dispatch dispatch(Command command, @Nullable Range counts) {
    LoadedKernel kernel = command.kernel();
    List<@Nullable Range> buffers = new ArrayList<>();
    for (int i = 0; i < kernel.parameterCount(); i++) {
      Parameter parameter = kernel.parameter(i);
      buffers.add(
          parameter.kind() == Parameter.Kind.BUFFER
              ? place(command.argument(i), parameter.isWritten())
              : null);
    }
    return new Action.Dispatch(
        ((TwinModule) kernel.module()).number,
        kernel.index(),
        command.groupsX(),
        command.groupsY(),
        command.groupsZ(),
        counts,
        command.array(),
        buffers);
  }

  /** Brings the bytes of the host to both devices. */
  void enter(Side first, Side second) throws InterruptedException {
    for (Place place : places) {
      place.memory.enter(place.range, first, second);
    }
  }

  void run(Side first, Side second) throws InterruptedException {
    body.run(first, second);
  }

  /** Brings what was written to the host. */
  void leave(Side first) throws InterruptedException {
    for (Place place : places) {
      if (place.isWritten) {
        place.memory.leave(place.range, first);
      }
    }
  }
}
