// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import java.nio.Buffer;
import org.jhal.HostMemory;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.gpu.graph.GraphStream;
import org.jhal.gpu.graph.OneNodeGraphs;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.transfer.CopyStream;
import org.jhal.gpu.transfer.HostTransfers;
import org.jhal.gpu.transfer.TransferRing;
import org.jspecify.annotations.Nullable;

/** The commands of a stream that move bytes: at once if the device can access both sides. */
final class StreamTransfers extends HostTransfers {
  private final GpuRuntime runtime;
  private final int place; // of the device's own memory
  private final GraphStream owner;
  private final long stream;
  private final @Nullable OneNodeGraphs oneNodes;

  /** Transfers of a stream, which launches small ones with {@code oneNodes} unless it is null. */
  StreamTransfers(
      GpuCore core,
      TransferRing ring,
      CopyStream copies,
      GraphStream owner,
      @Nullable OneNodeGraphs oneNodes) {
    super(copies, ring);
    this.runtime = core.runtime();
    this.place = core.place();
    this.owner = owner;
    this.stream = owner.handle();
    this.oneNodes = oneNodes;
  }

  /** Whether this driver has page-locked all of the memory. Calls no native function. */
  @Override
  protected boolean isDirect(HostMemory memory) {
    long address = address(memory);
    return address != 0 && runtime.pinning().has(address, address + memory.size() - 1);
  }

  /**
   * The address of host memory that is all page-locked, so that the device can access it; else 0.
   */
  private long pinnedAddress(HostMemory memory) {
    long address = address(memory);
    return address != 0 && runtime.isPinned(address, address + memory.size() - 1) ? address : 0;
  }

  /** The native address of host memory, or 0 if it is on the heap. */
  private static long address(HostMemory memory) {
    Buffer direct = memory.direct();
    return direct == null ? memory.address() : NativeBlock.addressOf(direct);
  }

  /** Copies from one place that the device can access to another. */
  void copy(Command command, Submission submission) {
    GpuMemory from = GpuMemory.of(command.source(), submission);
    GpuMemory to = GpuMemory.of(command.target(), submission);
    long source = from.address() + submission.offset(command.source());
    long target = to.address() + submission.offset(command.target());
    long bytes = submission.length(command.target());
    if (from.place() == place && to.place() == place) {
      runtime.copy(stream, target, source, bytes);
    } else {
      runtime.copyAcross(stream, target, source, bytes);
    }
  }

  @Override
  public boolean upload(Command command, Submission submission) {
    HostMemory source = command.host();
    long pinned = pinnedAddress(source);
    if (pinned == 0) {
      return super.upload(command, submission);
    }
    submission.moves(command, TransferPath.DIRECT);
    GpuMemory target = GpuMemory.of(command.target(), submission);
    long offset = submission.offset(command.target());
    runtime.copyToDevice(stream, target.address() + offset, pinned, source.size());
    return false;
  }

  @Override
  public boolean readback(Command command, Submission submission) {
    HostMemory target = command.host();
    long pinned = pinnedAddress(target);
    if (pinned == 0) {
      return super.readback(command, submission);
    }
    submission.moves(command, TransferPath.DIRECT);
    GpuMemory source = GpuMemory.of(command.source(), submission);
    long offset = submission.offset(command.source());
    runtime.copyToHost(stream, pinned, source.address() + offset, target.size());
    return false;
  }

  @Override
  protected void copyToStaging(
      Command command, Submission submission, DeviceMemory staging, long to) {
    OneNodeGraphs singles = oneNodes;
    long target = ((GpuMemory) staging).address() + to;
    if (singles == null || !singles.readback(owner, command, submission, target)) {
      super.copyToStaging(command, submission, staging, to);
    }
  }
}
