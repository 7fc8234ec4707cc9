// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.HostMemory;
import org.jhal.driver.Command;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.gpu.transfer.HostTransfers;
import org.jhal.gpu.transfer.TransferRing;

/** The transfers of a stream: at once where the host's memory is the device's as well. */
final class StreamTransfers extends HostTransfers {
  private final MappedMemory mapped;
  private final CommandStream stream;

  /** Transfers of a stream, through {@code ring} where they are large and need staging. */
  StreamTransfers(LogicalDevice device, CommandStream stream, TransferRing ring) {
    super(new StreamCopies(device, stream), ring);
    this.mapped = device.mapped();
    this.stream = stream;
  }

  @Override
  protected boolean isDirect(HostMemory memory) {
    return mapped.find(memory) != null;
  }

  @Override
  public boolean upload(Command command, Submission submission) {
    VulkanMemory source = mapped.find(command.host());
    VulkanMemory target = (VulkanMemory) submission.memory(command.target());
    long offset = submission.offset(command.target());
    if (source == null || overlap(source, target, offset)) {
      return super.upload(command, submission);
    }
    submission.moves(command, TransferPath.DIRECT);
    stream.recording().copy(source, 0, target, offset, source.size());
    return false;
  }

  @Override
  public boolean readback(Command command, Submission submission) {
    VulkanMemory target = mapped.find(command.host());
    VulkanMemory source = (VulkanMemory) submission.memory(command.source());
    long offset = submission.offset(command.source());
    if (target == null || overlap(target, source, offset)) {
      return super.readback(command, submission);
    }
    submission.moves(command, TransferPath.DIRECT);
    stream.recording().copy(source, offset, target, 0, target.size());
    return false;
  }

  /** Whether the host's memory is a view of a part of the very range; copies know no overlap. */
  private static boolean overlap(VulkanMemory host, VulkanMemory other, long offset) {
    long distance = other.bufferOffset() + offset - host.bufferOffset();
    return host.buffer() == other.buffer() && Math.abs(distance) < host.size();
  }
}
