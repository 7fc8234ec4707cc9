package org.jhal.driver.gpu;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.driver.MappedRange;

/**
 * Write-combined host memory as a buffer: fast for the device to read, slow for the host to read.
 * Only the runtime can make such memory, so it ends with that; while a view of it is in use, what
 * the runtime needs for it is kept.
 */
final class UploadMemory implements GpuMemory {
  private static final Cleaner CLEANER = Cleaner.create();

  /** How many wait for their views to be collected, in the whole process. */
  private static final AtomicInteger WAITING = new AtomicInteger();

  private final GpuRuntime<?, ?, ?> runtime; // with a reference of its own
  private final FreeThread frees;
  private final long size;
  private final long hostAddress;
  private final long deviceAddress;
  private final AtomicInteger users = new AtomicInteger(1); // the buffer, and reachable views

  /** New memory; the device is bound. */
  UploadMemory(GpuRuntime<?, ?, ?> runtime, FreeThread frees, long size) {
    this.runtime = runtime;
    this.frees = frees;
    this.size = size;
    runtime.retain();
    try {
      hostAddress = runtime.allocatePinned(Math.max(1, size));
    } catch (Throwable t) {
      runtime.release();
      throw t;
    }
    try {
      deviceAddress = runtime.deviceAddress(hostAddress);
    } catch (Throwable t) {
      runtime.forgetPinned(hostAddress);
      runtime.freeHost(hostAddress);
      runtime.release();
      throw t;
    }
  }

  @Override
  public long address() {
    return deviceAddress;
  }

  @Override
  public boolean isOnHost() {
    return true;
  }

  @Override
  public long size() {
    return size;
  }

  /** The device sees the host's writes at the next launch, so there is nothing to flush. */
  @Override
  public MappedRange map(long offset, int length) {
    if (length == 0) {
      ByteBuffer empty = ByteBuffer.allocateDirect(0);
      return () -> empty;
    }
    ByteBuffer view =
        new Pointer(hostAddress + offset).getByteBuffer(0, length).order(ByteOrder.nativeOrder());
    users.incrementAndGet();
    CLEANER.register(view, this::userIsGone);
    return () -> view;
  }

  @Override
  public void free() {
    WAITING.incrementAndGet();
    userIsGone();
  }

  /** One user less; with the last one, which may be the cleaner of the process, it ends. */
  private void userIsGone() {
    if (users.decrementAndGet() == 0) {
      runtime.forgetPinned(hostAddress); // while no other thread can be given the same memory
      frees.free(
          () -> runtime.freeHost(hostAddress),
          () -> {
            runtime.release();
            WAITING.decrementAndGet();
          });
    }
  }

  /** How many are freed whose views are still in use, or not collected yet. */
  static int waiting() {
    return WAITING.get();
  }
}
