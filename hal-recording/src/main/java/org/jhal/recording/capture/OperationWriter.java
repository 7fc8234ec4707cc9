// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.engine.journal.IssuedOperation;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.ByteWriter;
import org.jhal.recording.format.Payload;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Step;
import org.jspecify.annotations.Nullable;

/** Writes an operation that is about to be issued. Used by one thread, for one operation. */
final class OperationWriter {
  private final RecordingFile file;
  private final int device;
  private final boolean isOnHost;
  private final IssuedOperation operation;
  private final Submission submission;
  private final OperationEntry entry;
  private final List<@Nullable Payload> payloads = new ArrayList<>(1); // by command
  private boolean isUnseen;

  /**
   * For an operation that is about to be issued.
   *
   * @param isOnHost whether the host can read all memory of the device
   * @param entry what becomes of it
   */
  OperationWriter(
      RecordingFile file,
      int device,
      boolean isOnHost,
      IssuedOperation operation,
      OperationEntry entry) {
    this.file = file;
    this.device = device;
    this.isOnHost = isOnHost;
    this.operation = operation;
    this.submission = operation.submission();
    this.entry = entry;
    this.isUnseen = operation.isUnseen();
  }

  /** Writes it, unless it has no memory to work on, so that it will not be issued. */
  void write() {
    CommandList commands = operation.commands();
    WrittenList known = commands == null ? null : file.written(commands);
    try {
      if (commands != null && known != null && known.isSame(commands, submission)) {
        file.write(() -> writeAgain(commands, known));
        return;
      }
    } catch (HalException e) {
      return; // issuing it throws the same
    }
    for (int i = 0; commands != null && i < commands.size(); i++) {
      payloads.add(payload(commands.get(i))); // without the file's lock
    }
    file.write(
        () -> {
          List<Action> actions;
          try {
            actions = actions(commands);
          } catch (HalException e) {
            return; // as above
          }
          writeNew(commands, actions);
        });
  }

  /** The bytes that a command takes from the host, as far as they are final. */
  private @Nullable Payload payload(Command command) {
    if (command.kind() == Command.Kind.UPDATE) {
      return Payload.of(command.array());
    }
    if (command.kind() != Command.Kind.UPLOAD) {
      return null;
    }
    HostMemory source = command.host();
    if (!operation.areWaitsOver()) {
      entry.readsLater(source); // what it waits for may still write it
      return null;
    }
    try {
      return Payload.of(source.size(), source::read);
    } catch (HalException e) { // the program has freed it
      return null;
    }
  }

  private List<Action> actions(@Nullable CommandList commands) throws IOException {
    List<Action> actions = new ArrayList<>();
    String label = "";
    for (int i = 0; commands != null && i < commands.size(); i++) {
      Command command = commands.get(i);
      if (command.kind() != Command.Kind.BARRIER && !command.label().equals(label)) {
        label = command.label();
        actions.add(new Action.Label(label));
      }
      actions.add(action(commands.get(i), payloads.get(i)));
    }
    return actions;
  }

  private void writeNew(@Nullable CommandList commands, List<Action> actions) throws IOException {
    ByteWriter body = head();
    if (commands != null && actions.size() > 1) { // submitted again, it is the same bytes
      ByteWriter list = new ByteWriter();
      actions.forEach(action -> Action.write(action, list));
      int payload = file.payload(Payload.of(list.toArray()));
      file.setWritten(commands, WrittenList.of(commands, submission, payload, actions.size()));
      Step.Operation.writeList(body, actions.size(), payload);
    } else {
      Step.Operation.writeActions(body, actions);
    }
    entry.setNumber(file.operation(body));
    if (entry.isBorrower()) {
      file.addBorrower(entry);
    }
  }

  private void writeAgain(CommandList commands, WrittenList known) throws IOException {
    WrittenList.<IOException>visit(
        commands,
        (operand, isWritten) -> {
          Range unused = isWritten ? written(operand) : read(operand);
        });
    ByteWriter body = head();
    Step.Operation.writeList(body, known.actions, known.payload);
    entry.setNumber(file.operation(body));
  }

  private ByteWriter head() throws IOException {
    ByteWriter body = new ByteWriter();
    Step.Operation.writeHead(
        body,
        file.queue(device, operation.queue()),
        operation.number(),
        operation.kind(),
        operation.waits(),
        operation.signals(),
        isUnseen);
    return body;
  }

  private Action action(Command command, @Nullable Payload payload) throws IOException {
    return switch (command.kind()) {
      case FILL ->
          new Action.Fill(written(command.target()), command.pattern(), command.patternBytes());
      case UPDATE, UPLOAD ->
          new Action.Write(
              written(command.target()), payload == null ? Action.LATE : file.payload(payload));
      case READBACK -> {
        file.overwrites(command.host());
        entry.writes(command.host());
        isUnseen |= file.mayBeMapped(command.host());
        yield new Action.Readback(read(command.source()));
      }
      case COPY -> {
        Range source = read(command.source());
        yield new Action.Copy(source, written(command.target()));
      }
      case DISPATCH -> dispatch(command, null);
      case INDIRECT_DISPATCH -> dispatch(command, read(command.source()));
      case BARRIER -> new Action.Barrier();
      case EXTERNAL -> external(command);
      case EVENT -> new Action.Foreign(List.of());
    };
  }

  private Action external(Command command) throws IOException {
    file.overwritesAny(); // it may write any memory of the program
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < command.external().bufferCount(); i++) {
      Operand operand = command.argument(i);
      Range range = written(operand);
      ranges.add(range);
      if (isOnHost) {
        DeviceMemory memory = submission.memory(operand);
        entry.mayWrite(memory, file.memory(memory, device), range);
      }
    }
    return new Action.Foreign(ranges);
  }

  private Action dispatch(Command command, @Nullable Range counts) throws IOException {
    LoadedKernel kernel = command.kernel();
    Integer bundle = file.bundle(kernel.module());
    if (bundle == null) {
      throw new IOException("the bundle of " + kernel + " was not recorded");
    }
    List<@Nullable Range> buffers = new ArrayList<>();
    for (int i = 0; i < kernel.parameterCount(); i++) {
      Parameter parameter = kernel.parameter(i);
      if (parameter.kind() != Parameter.Kind.BUFFER) {
        buffers.add(null);
      } else {
        Operand operand = command.argument(i);
        buffers.add(parameter.isWritten() ? written(operand) : read(operand));
      }
    }
    return new Action.Dispatch(
        bundle,
        kernel.index(),
        command.groupsX(),
        command.groupsY(),
        command.groupsZ(),
        counts,
        command.array(),
        buffers);
  }

  private Range read(Operand operand) throws IOException {
    return range(file.memory(submission.memory(operand), device), operand);
  }

  private Range written(Operand operand) throws IOException {
    RecordedMemory memory = file.memory(submission.memory(operand), device);
    Range range = range(memory, operand);
    long unused = memory.countWrite();
    if (memory.isForHost) {
      entry.writes(memory.beginWrite(range.offset(), range.offset() + range.length()));
    }
    return range;
  }

  private Range range(RecordedMemory memory, Operand operand) throws IOException {
    long offset = submission.offset(operand);
    long length = submission.length(operand);
    isUnseen |= memory.isShared(); // what the device writes by another memory is not seen here
    memory.look(offset, offset + length);
    return new Range(memory.number, offset, length);
  }
}
