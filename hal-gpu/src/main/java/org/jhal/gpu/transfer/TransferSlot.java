// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.driver.support.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * A piece of host memory through which chunks of pageable transfers go, one at a time, with a
 * native stream of its own that the device copies them in. Usually the memory is page-locked; if
 * not, the runtime copies it as it copies any pageable memory.
 *
 * <p>Used by the one worker that has taken it from the {@link TransferRing}, with the device bound.
 */
final class TransferSlot {
  /**
   * How long the device's copy is polled before the thread sleeps: longer than a small copy takes.
   */
  private static final long POLL_NANOS = 20_000;

  /** What a slot has once it is made. */
  private record Native(CopyStream stream, StagingMemory memory) {}

  private final Supplier<CopyStream> streams;
  private final boolean isPinned;
  private final int capacity;

  private @Nullable Native made; // null until the first use

  // The chunk. Written by the ring when it grants the slot.
  private @Nullable PageableTransfer transfer; // null while the slot has none
  private long offset;
  private int size;
  private long mark; // behind its copy

  /** A slot without anything native. */
  TransferSlot(Supplier<CopyStream> streams, boolean isPinned, int capacity) {
    this.streams = streams;
    this.isPinned = isPinned;
    this.capacity = capacity;
  }

  boolean isPinned() {
    return isPinned;
  }

  int capacity() {
    return capacity;
  }

  /**
   * Allocates what is native, unless that was done before. If this throws, nothing is left, and it
   * may be called again.
   *
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough memory that can be page-locked
   */
  void prepare() {
    if (made == null) {
      made = make();
    }
  }

  private Native make() {
    CopyStream stream = streams.get();
    boolean isMade = false;
    try {
      Native all = new Native(stream, StagingMemory.make(stream, capacity, isPinned));
      isMade = true;
      return all;
    } finally {
      if (!isMade) {
        stream.close();
      }
    }
  }

  /** Gives the slot a chunk: {@code size} bytes, from {@code offset} in the host memory. */
  void fill(PageableTransfer newTransfer, long newOffset, int newSize) {
    transfer = newTransfer;
    offset = newOffset;
    size = newSize;
  }

  /** Takes the chunk away; returns its transfer. */
  PageableTransfer empty() {
    PageableTransfer before = Objects.requireNonNull(transfer);
    transfer = null;
    return before;
  }

  /** Starts the device's copy; the chunk of an upload is copied to the slot first. */
  void start() {
    Native own = Objects.requireNonNull(made);
    PageableTransfer now = Objects.requireNonNull(transfer);
    if (now.isUpload()) {
      now.host().read(offset, own.memory.bytes().limit(size).position(0));
      own.memory.range().flush();
      own.stream.upload(own.memory.whole(), 0, now.memory(), now.offset() + offset, size);
    } else {
      own.stream.readback(now.memory(), now.offset() + offset, own.memory.whole(), 0, size);
    }
    mark = own.stream.mark();
  }

  /** Whether the device's copy is over. */
  boolean isOver() {
    return Objects.requireNonNull(made).stream.isPast(mark);
  }

  /** Waits until the device's copy is over. */
  void await() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < POLL_NANOS) {
      if (isOver()) {
        return;
      }
      Thread.onSpinWait();
    }
    Objects.requireNonNull(made).stream.await(mark);
  }

  /** After the device's copy: copies the chunk of a readback out of the slot. */
  void finish() {
    PageableTransfer now = Objects.requireNonNull(transfer);
    if (!now.isUpload()) {
      Native own = Objects.requireNonNull(made);
      own.memory.range().invalidate();
      now.host().write(offset, own.memory.bytes().limit(size).position(0));
    }
  }

  /** Waits until the device does not use the slot any more. */
  void settle() {
    Objects.requireNonNull(made).stream.synchronize();
  }

  /** Frees what is native; may wait until the device is idle. */
  void close() {
    Native own = made;
    if (own != null) {
      made = null;
      Attempt.all(List.of(own.memory.whole()::free, own.stream::close));
    }
  }
}
