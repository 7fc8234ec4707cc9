package org.jhal.gpu.stream;

import java.nio.Buffer;
import org.jhal.HostMemory;
import org.jhal.driver.Command;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.driver.transfer.CopyStream;
import org.jhal.driver.transfer.PageableTransfer;
import org.jhal.driver.transfer.StagingRing;
import org.jhal.driver.transfer.TransferRing;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * The commands of a stream that move bytes: at once, through staging memory, or by the ring.
 *
 * <p>Used by the thread that issues, with the device bound; {@link #mayBlock} by any thread.
 */
final class StreamTransfers {
  /**
   * Uploads of pageable memory up to this size are copied while they are issued: that is faster
   * than handing them to other threads.
   */
  private static final int MAX_CAPTURED = 1 << 20;

  private final GpuRuntime runtime;
  private final int place; // of the device's own memory
  private final TransferRing ring; // moves pageable memory
  private final long stream;
  private final StagingRing staging;

  StreamTransfers(GpuCore core, TransferRing ring, CopyStream copies, long stream) {
    this.runtime = core.runtime();
    this.place = core.place();
    this.ring = ring;
    this.stream = stream;
    this.staging = new StagingRing(copies);
  }

  /** The maximum number of bytes that the issue copies to staging memory. */
  static long stagedBytes(Command command) {
    return switch (command.kind()) {
      case UPDATE -> command.bytes().remaining();
      case UPLOAD -> command.host().size() <= MAX_CAPTURED ? command.host().size() : 0;
      default -> 0;
    };
  }

  /** Whether the staging ring is page-locked already. */
  boolean isStagingMade() {
    return staging.isMade();
  }

  /** Whether issuing a command page-locks the staging ring unless that exists. */
  boolean mayBlock(Command command) {
    boolean isPinned = command.kind() == Command.Kind.UPLOAD && hasPinned(command.host());
    return !isPinned && stagedBytes(command) > 0;
  }

  /** Whether this driver has page-locked all of the memory. Calls no native function. */
  private boolean hasPinned(HostMemory memory) {
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

  /** Copies bytes of the command itself. */
  void update(Command command, Submission submission) {
    Operand target = command.target();
    staging.upload(command.bytes(), submission.memory(target), submission.offset(target));
  }

  /**
   * Reads a small source now unless the device may still write it: a producer has not completed,
   * and a part of the source may be page-locked. Heap memory never is. For other memory no runtime
   * can rule it out.
   *
   * @return whether it runs in other streams
   */
  boolean upload(Command command, Submission submission) {
    HostMemory source = command.host();
    GpuMemory target = GpuMemory.of(command.target(), submission);
    long offset = submission.offset(command.target());
    long pinned = pinnedAddress(source);
    if (pinned != 0) {
      submission.moves(command, TransferPath.DIRECT);
      runtime.copyToDevice(stream, target.address() + offset, pinned, source.size());
    } else if (source.size() <= MAX_CAPTURED && (source.isOnHeap() || submission.waitsReached())) {
      submission.moves(command, TransferPath.STAGED);
      staging.upload(source, target, offset);
    } else {
      submission.moves(command, TransferPath.RING);
      submission.afterwards(PageableTransfer.upload(ring, source, target, offset));
      return true;
    }
    return false;
  }

  /** Returns whether it runs in other streams. */
  boolean readback(Command command, Submission submission) {
    HostMemory target = command.host();
    GpuMemory source = GpuMemory.of(command.source(), submission);
    long offset = submission.offset(command.source());
    long pinned = pinnedAddress(target);
    if (pinned != 0) {
      submission.moves(command, TransferPath.DIRECT);
      runtime.copyToHost(stream, pinned, source.address() + offset, target.size());
    } else {
      submission.moves(command, TransferPath.RING);
      submission.afterwards(PageableTransfer.readback(ring, source, offset, target));
      return true;
    }
    return false;
  }

  /** Releases staging memory. Called when the stream is idle or lost. */
  void close() {
    staging.close();
  }
}
