// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.MemoryPool;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.file.EngineFile;
import org.jhal.engine.file.FileTransfer;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.memory.EnginePool;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.Enqueuer;
import org.jhal.engine.queue.NoWork;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.transfer.DeviceCopy;
import org.jhal.engine.transfer.StagingPool;
import org.jhal.engine.work.AllocaWork;
import org.jhal.engine.work.CommandWork;
import org.jhal.engine.work.CrossDeviceCopyWork;
import org.jhal.engine.work.DeallocaWork;
import org.jhal.engine.work.ExecuteWork;
import org.jhal.engine.work.HostCallRun;
import org.jhal.engine.work.HostWork;
import org.jhal.engine.work.QueueWork;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DeferredWorkQueue} as users see it. Each method checks the fences, begins an operation
 * with its kind of work, fills the work in, and submits it. An exception before that refuses the
 * call: the operation is abandoned without effect, so steps that others could notice come last.
 *
 * <p>Thread-safe.
 */
class EngineQueue<E> implements DeviceQueue {
  private final DeviceCore<E> device;
  private final int index;
  private final DeferredWorkQueue<E> queue;
  private final StagingPool fileStaging;
  private final StagingPool copyStaging;
  private final boolean
      servesCopies; // for chunks of copies between devices; see DeviceCore.copyQueue()

  EngineQueue(
      DeviceCore<E> device,
      int index,
      DeferredWorkQueue<E> queue,
      StagingPool fileStaging,
      StagingPool copyStaging,
      boolean servesCopies) {
    this.device = device;
    this.index = index;
    this.queue = queue;
    this.fileStaging = fileStaging;
    this.copyStaging = copyStaging;
    this.servesCopies = servesCopies;
  }

  @Override
  public Device device() {
    return device.view();
  }

  @Override
  public int index() {
    return index;
  }

  /** This queue for the chunks of files and of copies between devices. */
  DeviceQueue chunks() {
    return device.copyQueue(index);
  }

  @Override
  public long openOperations() {
    long open = queue.openOperations();
    if (open == 0) {
      queue.noteNoneOpen();
    }
    return open;
  }

  private void check(Fence waits, Fence signals) {
    Checks.fences(waits, signals);
    if (!servesCopies) {
      device.checkOpen();
    }
  }

  private <W extends QueueWork<E>> W begin(Fence waits, Fence signals, W work) {
    check(waits, signals);
    work.begin(queue.enqueuer(), servesCopies);
    return work;
  }

  @Override
  public void barrier(Fence waits, Fence signals) {
    check(waits, signals);
    Enqueuer<E> enqueuer = queue.enqueuer();
    Operation<E> operation = enqueuer.begin(NoWork.get(), servesCopies);
    try {
      enqueuer.submit(operation, waits, signals);
    } finally {
      enqueuer.endEnqueue();
    }
  }

  @Override
  public void execute(Fence waits, Fence signals, CommandBuffer commands, BindingTable bindings) {
    try (ExecuteWork<E> work = begin(waits, signals, new ExecuteWork<>(device))) {
      work.execute(commands, bindings);
      work.capture(waits, signals);
      work.countExecution();
      work.submitCaptured();
    }
  }

  @Override
  public void dispatch(Fence waits, Fence signals, Kernel kernel, Workgroups count, Args args) {
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.dispatch(kernel, count, args);
      work.submit(waits, signals);
    }
  }

  @Override
  public void dispatch(
      Fence waits, Fence signals, Kernel kernel, IndirectWorkgroups count, Args args) {
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.dispatch(kernel, count, args);
      work.submit(waits, signals);
    }
  }

  @Override
  public void fill(
      Fence waits,
      Fence signals,
      DeviceBuffer target,
      long offset,
      long length,
      FillPattern pattern) {
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.fill(target, offset, length, pattern);
      work.submit(waits, signals);
    }
  }

  @Override
  public void update(
      Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset) {
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.update(source, target, offset);
      work.submit(waits, signals);
    }
  }

  @Override
  public void upload(
      Fence waits, Fence signals, HostMemory source, DeviceBuffer target, long offset) {
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.upload(source, target, offset);
      work.submit(waits, signals);
    }
  }

  @Override
  public void readback(
      Fence waits, Fence signals, DeviceBuffer source, long offset, HostMemory target) {
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.readback(source, offset, target);
      work.submit(waits, signals);
    }
  }

  @Override
  public void copy(
      Fence waits,
      Fence signals,
      DeviceBuffer source,
      long sourceOffset,
      DeviceBuffer target,
      long targetOffset,
      long length) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(target, "target");
    if (source.device() == target.device()) {
      try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
        work.copy(source, sourceOffset, target, targetOffset, length);
        work.submit(waits, signals);
      }
    } else {
      try (CrossDeviceCopyWork<E> work = begin(waits, signals, new CrossDeviceCopyWork<>(device))) {
        copyAcross(work, signals, source, sourceOffset, target, targetOffset, length);
        work.submit(waits, signals);
      }
    }
  }

  private void copyAcross(
      CrossDeviceCopyWork<E> work,
      Fence signals,
      DeviceBuffer source,
      long sourceOffset,
      DeviceBuffer target,
      long targetOffset,
      long length) {
    if (source.device() != device() && target.device() != device()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "copy from %s to %s: one of them must belong to %s"
              .formatted(source, target, device.name()));
    }
    EngineBuffer from =
        across(work, "source", source, sourceOffset, length, BufferUsage.TRANSFER_SOURCE);
    EngineBuffer to =
        across(work, "target", target, targetOffset, length, BufferUsage.TRANSFER_TARGET);
    if (length > 0 && copiesNatively(from, to)) {
      work.copy(own(work, from), sourceOffset, own(work, to), targetOffset, length);
    } else if (length > 0) {
      work.uses(from, sourceOffset, to, targetOffset, length);
      work.byHost(
          new DeviceCopy<>(
              device,
              chunks(),
              copyStaging,
              work.operation(),
              from,
              sourceOffset,
              to,
              targetOffset,
              length));
    }
  }

  /** Whether this device's stream can copy between the two, one of which is another device's. */
  private boolean copiesNatively(EngineBuffer from, EngineBuffer to) {
    return (from.core() == device || from.storage.refusalFor(device) == null)
        && (to.core() == device || to.storage.refusalFor(device) == null);
  }

  /** A buffer of this device over the memory of {@code buffer}, which the work keeps. */
  private EngineBuffer own(QueueWork<?> work, EngineBuffer buffer) {
    return buffer.core() == device ? buffer : buffer.aliasOver(work.standIn(buffer));
  }

  /** Checks one side of a copy between devices. Returns a handle that outlives the user's. */
  private static EngineBuffer across(
      QueueWork<?> work,
      String what,
      DeviceBuffer buffer,
      long offset,
      long length,
      BufferUsage usage) {
    if (!(buffer instanceof EngineBuffer own)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          what + " of " + buffer.getClass() + " was not allocated by a device");
    }
    own.checkOpen(what);
    Checks.range(what, offset, length, own.size());
    own.checkUsage(what, usage);
    work.retainForeign(own);
    return own.alias();
  }

  @Override
  public void read(
      Fence waits,
      Fence signals,
      DeviceFile file,
      long fileOffset,
      DeviceBuffer buffer,
      long offset,
      long length) {
    transfer(true, waits, signals, file, fileOffset, buffer, offset, length);
  }

  @Override
  public void write(
      Fence waits,
      Fence signals,
      DeviceFile file,
      long fileOffset,
      DeviceBuffer buffer,
      long offset,
      long length) {
    transfer(false, waits, signals, file, fileOffset, buffer, offset, length);
  }

  private void transfer(
      boolean isRead,
      Fence waits,
      Fence signals,
      DeviceFile file,
      long fileOffset,
      DeviceBuffer buffer,
      long offset,
      long length) {
    try (HostWork<E> work =
        begin(
            waits,
            signals,
            new HostWork<>(
                device, isRead ? "file read" : "file write", device.pools().fileThreads()))) {
      EngineFile ownFile = EngineFile.of(device, file);
      ownFile.checkAccess(isRead);
      EngineBuffer own = EngineBuffer.usable(device, "buffer", buffer);
      Checks.range("buffer", offset, length, own.size());
      Checks.range("file", fileOffset, length, Long.MAX_VALUE);
      own.checkUsage("buffer", isRead ? BufferUsage.TRANSFER_TARGET : BufferUsage.TRANSFER_SOURCE);
      var unused = Checks.supported(device, isRead ? Command.Kind.UPLOAD : Command.Kind.READBACK);
      if (length > 0) {
        work.retainForeign(own);
        Reference.reachabilityFence(buffer);
        work.uses(own.storage, own.offset + offset, length, isRead ? Use.WRITE : Use.READ);
        work.completeOnHost(
            new FileTransfer<>(
                device,
                chunks(),
                fileStaging,
                work.operation(),
                isRead,
                ownFile,
                fileOffset,
                own.alias(),
                offset,
                length),
            true);
      }
      work.submit(waits, signals);
    }
  }

  @Override
  public DeviceBuffer alloca(Fence waits, Fence signals, long bytes, BufferParams params) {
    return allocate(waits, signals, bytes, params, null);
  }

  @Override
  public DeviceBuffer alloca(
      Fence waits, Fence signals, long bytes, BufferParams params, MemoryPool pool) {
    return allocate(waits, signals, bytes, params, EnginePool.of(device, pool));
  }

  private DeviceBuffer allocate(
      Fence waits, Fence signals, long bytes, BufferParams params, @Nullable EnginePool pool) {
    try (AllocaWork<E> work = begin(waits, signals, new AllocaWork<>(device))) {
      BufferStorage storage = work.alloca(bytes, params, pool);
      work.capture(waits, signals);
      // Last: a buffer that never reaches the user would be reported as leaked.
      EngineBuffer buffer = new EngineBuffer(storage);
      work.handedOver();
      work.submitCaptured();
      return buffer;
    }
  }

  @Override
  public void dealloca(Fence waits, Fence signals, DeviceBuffer buffer) {
    try (DeallocaWork<E> work = begin(waits, signals, new DeallocaWork<>(device))) {
      work.dealloca(buffer);
      work.submit(waits, signals);
    }
  }

  @Override
  public void hostCall(Fence waits, Fence signals, HostCall.Mode mode, HostCall call) {
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(call, "call");
    try (HostWork<E> work =
        begin(waits, signals, new HostWork<>(device, "host call", device.pools().hostCalls()))) {
      work.completeOnHost(
          new HostCallRun<>(this, work.operation(), mode, signals, call),
          mode == HostCall.Mode.BLOCKING);
      work.submit(waits, signals);
    }
  }

  @Override
  public void external(
      Fence waits, Fence signals, List<DeviceBuffer> buffers, ExternalWork externalWork) {
    Objects.requireNonNull(buffers, "buffers");
    Objects.requireNonNull(externalWork, "work");
    try (CommandWork<E> work = begin(waits, signals, new CommandWork<>(device))) {
      work.external(this, buffers, externalWork);
      work.submit(waits, signals);
    }
  }

  @Override
  public void importEvent(Fence signals, long event, @Nullable Runnable onRelease) {
    try (CommandWork<E> work = begin(Fence.NONE, signals, new CommandWork<>(device))) {
      device.checkNativeAccess("import native events");
      if (event == 0) {
        throw new HalException(Status.INVALID_ARGUMENT, "event 0 is not a native event");
      }
      work.event(event);
      work.capture(Fence.NONE, signals);
      work.releaseEventBy(onRelease);
      work.submitCaptured();
    }
  }

  @Override
  public String toString() {
    return queue.name();
  }
}
