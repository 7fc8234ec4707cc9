// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.kernel.EngineKernel;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.recording.RecordedCommand;
import org.jhal.engine.recording.RecordedOperand;
import org.jhal.engine.timeline.Cascade;
import org.jspecify.annotations.Nullable;

/**
 * The work of an operation with a single command. A command without effect, such as a fill of no
 * bytes, retains nothing; its operation only waits and signals (rules M2, M6).
 */
public class CommandWork<E> extends QueueWork<E> {
  private final RecordedCommand command = new RecordedCommand();
  private boolean hasEffect;
  private HostMemory.@Nullable Borrow borrow; // for an upload or a readback
  private @Nullable RecordedOperation upload; // in the record of hazards, while it borrows
  private @Nullable Runnable onEventReleased; // the user's callback for an imported event

  public CommandWork(DeviceCore<E> device) {
    super(device);
  }

  // Filling in. Until keep() retains a buffer, it may be reachable through the call's arguments
  // only, so these are fenced.

  public final void fill(DeviceBuffer target, long offset, long length, FillPattern pattern) {
    keep(command.setFill(device, target, offset, length, pattern));
    Reference.reachabilityFence(target);
  }

  public final void update(ByteBuffer source, DeviceBuffer target, long offset) {
    keep(command.setUpdate(device, source, target, offset));
    Reference.reachabilityFence(target);
  }

  public final void upload(HostMemory source, DeviceBuffer target, long offset) {
    keep(command.setUpload(device, source, target, offset));
    if (hasEffect) {
      borrow = source.borrow();
    }
    Reference.reachabilityFence(target);
  }

  public final void readback(DeviceBuffer source, long offset, HostMemory target) {
    keep(command.setReadback(device, source, offset, target));
    if (hasEffect) {
      borrow = target.borrow();
    }
    Reference.reachabilityFence(source);
  }

  public final void copy(
      DeviceBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long length) {
    keep(command.setCopy(device, source, sourceOffset, target, targetOffset, length));
    Reference.reachabilityFence(source);
    Reference.reachabilityFence(target);
  }

  public final void dispatch(Kernel kernel, Workgroups count, Args args) {
    refuseSlots(args);
    keepKernel(command.setDispatch(device, kernel, count, args));
    Reference.reachabilityFence(args);
  }

  public final void dispatch(Kernel kernel, IndirectWorkgroups count, Args args) {
    if (Objects.requireNonNull(count, "count").counts() instanceof Slot slot) {
      throw slotRefused("place of the workgroup counts", slot);
    }
    refuseSlots(args);
    keepKernel(command.setDispatch(device, kernel, count, args));
    Reference.reachabilityFence(count);
    Reference.reachabilityFence(args);
  }

  private static void refuseSlots(Args args) {
    Objects.requireNonNull(args, "args");
    for (int i = 0; i < args.size(); i++) {
      if (args.get(i) instanceof Slot slot) {
        throw slotRefused("argument " + i, slot);
      }
    }
  }

  private static HalException slotRefused(String what, Slot slot) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        what + " is " + slot + "; a queue's dispatch has no binding table");
  }

  private void keepKernel(boolean isAny) {
    if (isAny) {
      retain(command.kernel().executable().loaded(), "the executable is closed");
    }
    keep(isAny);
  }

  /** External work, in an object of its own: a program may keep the context too long. */
  public final void external(DeviceQueue queue, List<DeviceBuffer> buffers, ExternalWork work) {
    for (DeviceBuffer buffer : buffers) {
      Objects.requireNonNull(buffer, "null in buffers");
    }
    List<DeviceBuffer> passed = List.copyOf(buffers);
    List<EngineBuffer> own = new ArrayList<>(passed.size());
    for (DeviceBuffer buffer : passed) {
      own.add(EngineBuffer.usable(device, "buffer " + own.size(), buffer));
    }
    command.setExternal(device, own, new ExternalRun(queue, passed, work));
    keep(true);
    Reference.reachabilityFence(passed);
  }

  public final void event(long event) {
    command.setEvent(device, event);
    keep(true);
  }

  /** Sets the callback for the end of the event's use. Last: a refused call releases nothing. */
  public final void releaseEventBy(@Nullable Runnable onRelease) {
    onEventReleased = onRelease;
  }

  @Override
  final void refused() {
    onEventReleased = null;
  }

  private void keep(boolean isAny) {
    hasEffect = isAny;
    for (int i = 0; isAny && i < command.operandCount(); i++) {
      RecordedOperand operand = command.operand(i);
      if (operand != null) {
        retainStorage(operand.storage());
      }
    }
  }

  // Work.

  @Override
  public final int weight(NativeStream<E> stream) {
    return hasEffect ? stream.weight(command) : 1;
  }

  @Override
  protected final boolean issueMayBlock(NativeStream<E> stream) {
    // External work is the program's and may take any time.
    return hasEffect && (command.kind() == Command.Kind.EXTERNAL || stream.issueMayBlock(command));
  }

  @Override
  protected final boolean mayGoAcross() {
    // An imported event may belong to any device.
    return super.mayGoAcross() || (hasEffect && command.kind() == Command.Kind.EVENT);
  }

  @Override
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    if (hasEffect) {
      checkMemory();
      RecordedOperation begun = upload;
      HazardRecord record = begun == null ? null : HazardRecord.current();
      if (begun != null && record != null) {
        record.sourceBegins(begun, command.host());
      }
      batch.issue(command, this);
    }
    return batch.submitTo(stream);
  }

  @Override
  public final void record(RecordedOperation recorded) {
    super.record(recorded);
    HazardRecord record = HazardRecord.current();
    if (record != null && borrow != null) { // of any device: the memory is the program's
      boolean isUpload = command.kind() == Command.Kind.UPLOAD;
      record.borrow(recorded, command.host(), isUpload ? Use.READ : Use.WRITE);
      upload = isUpload ? recorded : null;
    }
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    if (hasEffect) {
      recordUses(recorded, command);
    }
  }

  @Override
  protected final @Nullable CommandList commands() {
    return hasEffect ? command : null;
  }

  @Override
  public final boolean hasBorrow() {
    return borrow != null;
  }

  @Override
  public final void endBorrow() {
    HostMemory.Borrow ended = borrow;
    if (ended != null) {
      RecordedOperation read = upload;
      HazardRecord record = read == null ? null : HazardRecord.current();
      if (read != null && record != null) {
        record.sourceEnds(read, ended.memory(), ended);
        upload = null; // only now: another thread that ends the borrow must have compared it too
      }
      ended.end(Cascade.CALLBACKS);
    }
  }

  @Override
  protected final void retired() {
    borrow = null;
    upload = null;
    command.clear();
    Runnable released = onEventReleased;
    if (released != null) {
      onEventReleased = null;
      BufferStorage.runOnRelease(released, "events");
    }
  }

  @Override
  public String kind() {
    return hasEffect ? command.kind().word() : "barrier";
  }

  @Override
  public final long kernel() {
    EngineKernel kernel = command.kernelIfThere();
    return hasEffect && kernel != null ? kernel.number() : 0;
  }

  @Override
  public final int commandCount() {
    return hasEffect ? 1 : 0;
  }

  @Override
  public String describe() {
    return hasEffect ? command.describe() : kind();
  }
}
