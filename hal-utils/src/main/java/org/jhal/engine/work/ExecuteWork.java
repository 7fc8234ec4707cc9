// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import org.jhal.BindingTable;
import org.jhal.CommandBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.recording.EngineCommandBuffer;
import org.jhal.engine.recording.RecordedCommand;
import org.jhal.engine.recording.RecordedOperand;
import org.jhal.engine.recording.Recording;
import org.jspecify.annotations.Nullable;

/** The work of an operation that executes a command buffer with its bindings. */
public final class ExecuteWork<E> extends QueueWork<E> {
  private static final EngineBuffer[] NO_BINDINGS = {};

  private @Nullable Recording recording; // null once the operation retires
  private @Nullable EngineBuffer[] bindings = NO_BINDINGS; // by slot

  public ExecuteWork(DeviceCore<E> device) {
    super(device);
  }

  public void execute(CommandBuffer commands, BindingTable table) {
    Objects.requireNonNull(table, "bindings");
    if (!(Objects.requireNonNull(commands, "commands") instanceof EngineCommandBuffer own)
        || own.core() != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "command buffer was made for "
              + Checks.namesOf(
                  device, commands instanceof EngineCommandBuffer other ? other.core() : null));
    }
    if (!own.isOpen()) {
      throw new HalException(Status.FAILED_PRECONDITION, "command buffer is closed");
    }
    Recording recorded = own.recording();
    if (recorded.slotCount() > 0) {
      bindings = new @Nullable EngineBuffer[recorded.slotCount()];
    }
    recorded.bind(table, bindings);
    retain(recorded, "command buffer is closed");
    for (BufferStorage storage : recorded.peers()) {
      peerUses().add(storage);
    }
    recording = recorded;
    for (EngineBuffer bound : bindings) {
      if (bound != null) {
        retainStorage(bound.storage);
      }
    }
    recorded.prepareIfReused();
    Reference.reachabilityFence(
        own); // otherwise it might be reclaimed before the recording is retained
  }

  /** Counts the submission, as the last check: refused ones do not count. */
  public void countExecution() {
    Objects.requireNonNull(recording).countSubmission();
  }

  @Override
  public int weight(NativeStream<E> stream) {
    Recording recorded = recording; // null if the operation has failed and retires at the same time
    return recorded == null ? 1 : recorded.weight(stream);
  }

  @Override
  public boolean weightMayChange() {
    Recording recorded = recording;
    return recorded != null && recorded.prepared() != null;
  }

  @Override
  public int weightOfEach(NativeStream<E> stream) {
    Recording recorded = recording;
    return recorded == null ? 1 : recorded.weightOfEach(stream);
  }

  @Override
  protected boolean issueMayBlock(NativeStream<E> stream) {
    return stream.issueMayBlock(Objects.requireNonNull(recording));
  }

  @Override
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    checkMemory();
    Recording recorded = Objects.requireNonNull(recording);
    recorded.checkTransients();
    return batch.issue(recorded, this).submitTo(stream);
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    Recording commands = Objects.requireNonNull(recording);
    for (int i = 0; i < commands.size(); i++) {
      if (commands.get(i).kind() == Command.Kind.BARRIER) {
        recorded.barrier();
      } else {
        RecordedCommand command = commands.get(i);
        recorded.nextCommand(commands.describe(i), command.line());
        recordUses(recorded, command);
      }
    }
  }

  @Override
  protected @Nullable CommandList commands() {
    return recording;
  }

  @Override
  EngineBuffer bound(RecordedOperand operand) {
    return Objects.requireNonNull(bindings[operand.slot()]);
  }

  @Override
  protected void retired() {
    recording = null;
    Arrays.fill(bindings, null);
  }

  @Override
  public boolean hasCommandTimes() {
    return true;
  }

  /** Throws nothing: the measuring thread must end the work. */
  @Override
  public void commandRan(int index, long begin, long end, long error) {
    Recording recorded = recording;
    try {
      if (recorded != null && FlightRecorder.recordsCommands()) {
        RecordedCommand command = recorded.get(index);
        FlightRecorder.command(
            operation().queue.number(),
            operation().key,
            command.number(),
            command.kind().word(),
            command.kind().runsKernel() ? command.kernel().number() : 0,
            command.label(),
            begin,
            end,
            error);
      }
    } catch (RuntimeException | LinkageError | VirtualMachineError exhausted) {
      return; // without memory or stack, the record is lost, not the operation
    }
  }

  @Override
  public String kind() {
    return "execute";
  }

  @Override
  public int commandCount() {
    Recording recorded = recording;
    return recorded == null ? 0 : recorded.size();
  }
}
