// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.util.List;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.HostCall.Completion;
import org.jhal.HostCall.Context;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.MemoryPool;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/** A queue that forwards every operation. */
class ForwardingQueue implements DeviceQueue {
  final Device device;
  final DeviceQueue right;

  /** A queue of {@code device}, which forwards to the one that {@code right} belongs to. */
  ForwardingQueue(Device device, DeviceQueue right) {
    this.device = device;
    this.right = right;
  }

  /** The fence that the right queue waits for. */
  Fence waits(Fence waits) {
    return ForwardingSemaphore.unwrap(waits);
  }

  private static Fence signals(Fence signals) {
    return ForwardingSemaphore.unwrap(signals);
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public int index() {
    return right.index();
  }

  @Override
  public long openOperations() {
    return right.openOperations();
  }

  @Override
  public void barrier(Fence waits, Fence signals) {
    right.barrier(waits(waits), signals(signals));
  }

  @Override
  public void execute(Fence waits, Fence signals, CommandBuffer commands, BindingTable bindings) {
    right.execute(waits(waits), signals(signals), commands, bindings);
  }

  @Override
  public void dispatch(Fence waits, Fence signals, Kernel kernel, Workgroups count, Args args) {
    right.dispatch(waits(waits), signals(signals), kernel, count, args);
  }

  @Override
  public void dispatch(
      Fence waits, Fence signals, Kernel kernel, IndirectWorkgroups count, Args args) {
    right.dispatch(waits(waits), signals(signals), kernel, count, args);
  }

  @Override
  public void fill(
      Fence waits,
      Fence signals,
      DeviceBuffer target,
      long offset,
      long length,
      FillPattern pattern) {
    right.fill(waits(waits), signals(signals), target, offset, length, pattern);
  }

  @Override
  public void update(
      Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset) {
    right.update(waits(waits), signals(signals), source, target, offset);
  }

  @Override
  public void upload(
      Fence waits, Fence signals, HostMemory source, DeviceBuffer target, long offset) {
    right.upload(waits(waits), signals(signals), source, target, offset);
  }

  @Override
  public void readback(
      Fence waits, Fence signals, DeviceBuffer source, long offset, HostMemory target) {
    right.readback(waits(waits), signals(signals), source, offset, target);
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
    right.copy(waits(waits), signals(signals), source, sourceOffset, target, targetOffset, length);
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
    right.read(waits(waits), signals(signals), file, fileOffset, buffer, offset, length);
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
    right.write(waits(waits), signals(signals), file, fileOffset, buffer, offset, length);
  }

  @Override
  public DeviceBuffer alloca(Fence waits, Fence signals, long bytes, BufferParams params) {
    return right.alloca(waits(waits), signals(signals), bytes, params);
  }

  @Override
  public DeviceBuffer alloca(
      Fence waits, Fence signals, long bytes, BufferParams params, MemoryPool pool) {
    return right.alloca(waits(waits), signals(signals), bytes, params, pool);
  }

  @Override
  public void dealloca(Fence waits, Fence signals, DeviceBuffer buffer) {
    right.dealloca(waits(waits), signals(signals), buffer);
  }

  @Override
  public void hostCall(Fence waits, Fence signals, HostCall.Mode mode, HostCall call) {
    right.hostCall(
        waits(waits),
        signals(signals),
        mode,
        context -> call.run(new ForwardingContext(context, this, signals)));
  }

  @Override
  public void external(Fence waits, Fence signals, List<DeviceBuffer> buffers, ExternalWork work) {
    right.external(
        waits(waits),
        signals(signals),
        buffers,
        context -> work.issue(new ForwardingExternal(context, this)));
  }

  @Override
  public void importEvent(Fence signals, long event, @Nullable Runnable onRelease) {
    right.importEvent(signals(signals), event, onRelease);
  }

  /** The context of external work, with the queue that the work was enqueued on. */
  private record ForwardingExternal(ExternalWork.Context right, DeviceQueue queue)
      implements ExternalWork.Context {
    @Override
    public long stream() {
      return right.stream();
    }

    @Override
    public long address(DeviceBuffer buffer) {
      return right.address(buffer);
    }

    @Override
    public ByteBuffer bytes(DeviceBuffer buffer) {
      return right.bytes(buffer);
    }
  }

  /** The context of a host call, with the queue and the signals that its caller passed. */
  private record ForwardingContext(Context right, DeviceQueue queue, Fence handedOver)
      implements Context {
    @Override
    public Fence signals() {
      return right.signals().size() == 0 ? Fence.NONE : handedOver;
    }

    @Override
    public Completion defer() {
      return right.defer();
    }
  }

  @Override
  public String toString() {
    return right.toString();
  }
}
