// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import org.jhal.HostMemory;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.support.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * The host completion of a transfer of pageable memory, which the device cannot access: the {@link
 * TransferRing} moves it in chunks. It begins when the stream has reached the operation. By then
 * everything that the operation depends on is over, and nothing that depends on it starts before
 * this ends.
 */
final class PageableTransfer implements HostCompletion {
  /** It is cut into this many chunks, so that the copies of host and device overlap, ... */
  private static final int CHUNKS = 4;

  /** ... unless they were smaller than this, or larger than a slot. */
  private static final int MIN_CHUNK_BYTES = 256 << 10;

  private final TransferRing ring;
  private final HostMemory host;
  private final DeviceMemory memory;
  private final long offset; // in the memory
  private final boolean isUpload;

  private @Nullable Completion completion; // set once, before the ring has the transfer

  // The progress, guarded by the ring, which takes its own lock: @GuardedBy cannot say it.
  private long granted; // how many of the bytes have been given to slots, from the beginning
  private int chunks; // how many slots hold a chunk of it
  private @Nullable Throwable failure; // the first one; then nothing more is granted

  private PageableTransfer(
      TransferRing ring, HostMemory host, DeviceMemory memory, long offset, boolean isUpload) {
    this.ring = ring;
    this.host = host;
    this.memory = memory;
    this.offset = offset;
    this.isUpload = isUpload;
  }

  /** Moves all of {@code source} to {@code target}, from {@code offset} in bytes on. */
  static PageableTransfer upload(
      TransferRing ring, HostMemory source, DeviceMemory target, long offset) {
    return new PageableTransfer(ring, source, target, offset, true);
  }

  /** Fills {@code target} from {@code source}, from {@code offset} in bytes on. */
  static PageableTransfer readback(
      TransferRing ring, DeviceMemory source, long offset, HostMemory target) {
    return new PageableTransfer(ring, target, source, offset, false);
  }

  @Override
  public void run(Context context) {
    Runnable move = () -> ring.move(this, context.threads()); // made while a failure ends it
    Completion own = context.defer();
    completion = own;
    Throwable thrown = Attempt.of(move);
    if (thrown != null) { // an error before the ring has the transfer
      own.end(thrown);
    }
  }

  HostMemory host() {
    return host;
  }

  /** The device's side. */
  DeviceMemory memory() {
    return memory;
  }

  /** Where it starts in {@link #memory}, in bytes. */
  long offset() {
    return offset;
  }

  boolean isUpload() {
    return isUpload;
  }

  // For the ring, which guards the progress.

  /** Whether some bytes are in no slot yet, and are still to be moved. */
  boolean isWaiting() {
    return failure == null && granted < host.size();
  }

  /** Gives the next chunk, at most {@code limit} bytes, to a slot. */
  void grant(TransferSlot slot, int limit) {
    long part = (host.size() / CHUNKS + TransferRing.PAGE - 1) / TransferRing.PAGE;
    long wanted = Math.max(MIN_CHUNK_BYTES, part * TransferRing.PAGE);
    int size = (int) Math.min(Math.min(limit, wanted), host.size() - granted);
    slot.fill(this, granted, size);
    granted += size;
    chunks++;
  }

  /** A slot holds its chunk no more. */
  void chunkIsOver() {
    chunks--;
  }

  /** Keeps the first failure. */
  void fail(Throwable newFailure) {
    if (failure == null) {
      failure = newFailure;
    }
  }

  /** Whether nothing is left to do, and no slot holds a chunk. */
  boolean isOver() {
    return chunks == 0 && !isWaiting();
  }

  /** Ends the operation. The transfer is over, so its progress does not change any more. */
  void end() {
    Completion begun = completion;
    if (begun != null) {
      begun.end(failure);
    }
  }
}
