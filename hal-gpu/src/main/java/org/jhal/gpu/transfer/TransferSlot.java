package org.jhal.gpu.transfer;

import com.sun.jna.Memory;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.memory.HostBlock;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.GpuRuntime;
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
      long stream, long event, @Nullable HostBlock pinned, ByteBuffer bytes, long address) {}

  private final GpuRuntime runtime;
  private final boolean isPinned;
  private final int capacity;

  private @Nullable Native made; // null until the first use

  // The chunk. Written by the ring when it grants the slot.
  private @Nullable PageableTransfer transfer; // null while the slot has none
  private long offset;
  private int size;

  /** A slot without anything native. */
  TransferSlot(GpuRuntime runtime, boolean isPinned, int capacity) {
    this.runtime = runtime;
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
    long stream = runtime.openStream();
    try {
      long event = runtime.createEvent(true);
      try {
        if (isPinned) {
          HostBlock block = new HostBlock(runtime, capacity);
          return new Native(stream, event, block, block.view(0, capacity), block.hostAddress());
        }
        ByteBuffer bytes = ordinary(capacity);
        return new Native(stream, event, null, bytes, NativeBlock.addressOf(bytes));
      } catch (Throwable t) {
        runtime.destroyEvent(event);
        throw t;
      }
    } catch (Throwable t) {
      runtime.closeStream(stream);
      throw t;
    }
  }

  private static ByteBuffer ordinary(int capacity) {
    try {
      return new Memory(capacity).getByteBuffer(0, capacity); // the view keeps the memory
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the host has no " + capacity + " bytes left", e);
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
      runtime.copyToDevice(own.stream, now.address() + offset, own.address, size);
    } else {
      runtime.copyToHost(own.stream, own.address, now.address() + offset, size);
    }
    runtime.recordEvent(own.event, own.stream);
  }

  /** Whether the device's copy is over. */
  boolean isOver() {
    return runtime.queryEvent(Objects.requireNonNull(made).event);
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
    runtime.synchronizeEvent(Objects.requireNonNull(made).event);
  }

  /** After the device's copy: copies the chunk of a readback out of the slot. */
  void finish() {
    PageableTransfer now = Objects.requireNonNull(transfer);
    if (!now.isUpload()) {
      now.host().write(offset, Objects.requireNonNull(made).bytes.limit(size).position(0));
    }
  }

  /** Waits until the device does not use the slot any more. */
  void settle() {
    runtime.synchronizeStream(Objects.requireNonNull(made).stream);
  }

  /** Frees what is native; may wait until the device is idle. */
  void close() {
    Native own = made;
    if (own != null) {
      made = null;
      if (own.pinned != null) {
        own.pinned.release();
      }
      runtime.destroyEvent(own.event);
      runtime.closeStream(own.stream);
    }
  }
}
