// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import java.util.List;
import org.jhal.HostMemory;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.driver.support.Attempt;

/**
 * The commands of a stream that move bytes of the host which the device cannot access: through
 * staging memory of the stream, or by the ring of the device. A subclass moves what the device can
 * access.
 *
 * <p>Used by the thread that issues, with the device bound; {@link #weight}, {@link #mayBlock} and
 * {@link #isDirect} by any thread.
 */
public class HostTransfers {
  /**
   * Uploads up to this size are copied while they are issued: that is faster than handing them to
   * other threads.
   */
  private static final int MAX_STAGED_BYTES = 1 << 20;

  private final CopyStream stream;
  private final StagingRing staging;
  private final ReadbackRing readbacks;
  private final TransferRing ring;

  /**
   * Transfers of a stream, without staging memory yet.
   *
   * @param stream the stream itself
   * @param ring that of the device
   */
  public HostTransfers(CopyStream stream, TransferRing ring) {
    this.stream = stream;
    this.staging = new StagingRing(stream);
    this.readbacks = new ReadbackRing(stream);
    this.ring = ring;
  }

  /**
   * Whether the device can access memory of the host at the moment, so that a subclass moves it
   * without staging; by default false. Makes no native call that may block.
   */
  protected boolean isDirect(HostMemory memory) {
    return false;
  }

  /** How many bytes the issue of a command copies to staging memory at most. */
  private static long stagedBytes(Command command) {
    if (command.kind() == Command.Kind.UPDATE) {
      return command.array().length;
    }
    boolean isUpload = command.kind() == Command.Kind.UPLOAD;
    return isUpload && command.host().size() <= MAX_STAGED_BYTES ? command.host().size() : 0;
  }

  /**
   * What a command of any kind weighs on a stream of this {@linkplain
   * org.jhal.driver.NativeStream#capacity capacity}: more than 1 if it may be staged. Memory that
   * {@link #isDirect} when a command is enqueued may not be so when it is issued, so its upload
   * weighs as much as any.
   *
   * <p>The share of the capacity is the share of the stream's staging memory that the bytes take,
   * so that a stream which is not over its capacity has room for all that it stages. This holds for
   * any capacity, also for one that the native queue does not have; the smaller it is, the more is
   * lost by rounding up.
   *
   * @param capacity what {@link org.jhal.driver.NativeStream#capacity} of the stream returns
   */
  public static int weight(Command command, int capacity) {
    return StagingRing.weight(stagedBytes(command), capacity);
  }

  /** Whether issuing any of the commands may block, for staging memory to be made. */
  public final boolean mayBlock(CommandList commands) {
    for (int i = 0; i < commands.size() && !(staging.isMade() && readbacks.isSettled()); i++) {
      if (makesMemory(commands.get(i))) {
        return true;
      }
    }
    return false;
  }

  private boolean makesMemory(Command command) {
    return switch (command.kind()) {
      case UPDATE -> !staging.isMade() && stagedBytes(command) > 0;
      case UPLOAD -> !staging.isMade() && stagedBytes(command) > 0 && !isDirect(command.host());
      case READBACK ->
          !readbacks.isSettled()
              && command.host().size() <= ReadbackRing.MAX_BYTES
              && !isDirect(command.host());
      default -> false;
    };
  }

  /** Copies the bytes of an UPDATE now, and on in stream order. */
  public final void update(Command command, Submission submission) {
    Operand target = command.target();
    staging.upload(command.bytes(), submission.memory(target), submission.offset(target));
  }

  /**
   * Begins an UPLOAD. Reads a small source now unless the device may still write it: then a
   * producer has not completed, and the memory is not on the heap, which no device can access.
   *
   * @return whether the bytes move in other streams, behind the event of the operation
   */
  public boolean upload(Command command, Submission submission) {
    HostMemory source = command.host();
    DeviceMemory target = submission.memory(command.target());
    long offset = submission.offset(command.target());
    if (source.size() <= MAX_STAGED_BYTES && (source.isOnHeap() || submission.waitsReached())) {
      submission.moves(command, TransferPath.STAGED);
      staging.upload(source, target, offset);
      return false;
    }
    submission.moves(command, TransferPath.RING);
    submission.afterwards(PageableTransfer.upload(ring, source, target, offset));
    return true;
  }

  /** Begins a READBACK; the result is that of {@link #upload}. */
  public boolean readback(Command command, Submission submission) {
    ReadbackRing.Part part = readbacks.begin(command.host(), submission.mayBlock());
    if (part != null) {
      submission.afterwards(part); // first: however the operation ends, the part is given back
      submission.moves(command, TransferPath.STAGED);
      if (!part.isLarge()) {
        copyToStaging(command, submission, part.staging(), part.offset());
      } else {
        part.copyInPieces(submission.memory(command.source()), submission.offset(command.source()));
      }
      return false;
    }
    DeviceMemory source = submission.memory(command.source());
    long offset = submission.offset(command.source());
    submission.moves(command, TransferPath.RING);
    submission.afterwards(PageableTransfer.readback(ring, source, offset, command.host()));
    return true;
  }

  /**
   * Puts the copy of a READBACK of up to 256 KiB to page-locked staging memory into the stream. If
   * this throws, a part of it may be in the stream. A subclass may have a faster way.
   *
   * @param to where in the staging memory, in bytes
   */
  protected void copyToStaging(
      Command command, Submission submission, DeviceMemory staging, long to) {
    DeviceMemory source = submission.memory(command.source());
    long from = submission.offset(command.source());
    stream.readback(source, from, staging, to, command.host().size());
  }

  /** Releases the staging memory. Called when the stream is idle or lost. */
  public final void close() {
    Attempt.all(List.of(staging::close, readbacks::close));
  }
}
