package org.jhal.driver.transfer;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
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
  private record Native(
      CopyStream stream, DeviceMemory memory, MappedRange range, ByteBuffer bytes) {}

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
    DeviceMemory memory = null;
    boolean isMade = false;
    try {
      memory = stream.allocate(capacity, isPinned);
      MappedRange range = memory.map(0, capacity);
      Native all = new Native(stream, memory, range, range.bytes());
      isMade = true;
      return all;
    } finally {
      if (!isMade) {
        end(stream, memory);
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
      now.host().read(offset, own.bytes.limit(size).position(0));
      own.range.flush();
      own.stream.upload(own.memory, 0, now.memory(), now.offset() + offset, size);
    } else {
      own.stream.readback(now.memory(), now.offset() + offset, own.memory, 0, size);
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
      own.range.invalidate();
      now.host().write(offset, own.bytes.limit(size).position(0));
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
      end(own.stream, own.memory);
    }
  }

  private static void end(CopyStream stream, @Nullable DeviceMemory memory) {
    if (memory != null) {
      memory.free();
    }
    stream.close();
  }
}
