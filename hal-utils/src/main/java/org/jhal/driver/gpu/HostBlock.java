package org.jhal.driver.gpu;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Page-locked, cached host memory that the device reaches: memory of the C library, registered with
 * the device. When it is released, only the registration ends; the memory itself lives as long as
 * somebody has a view of it. So a view never points to freed memory and never keeps the device
 * alive.
 *
 * <p>Thread-safe; the device is bound to threads that make or release one.
 */
final class HostBlock {
  private static final int PAGE = 4096;

  private final GpuRuntime<?, ?, ?> runtime;
  private final Pointer memory; // keeps the C memory while it is reachable
  private final long size;
  private final long deviceAddress;

  /**
   * A block.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the host has not enough
   */
  HostBlock(GpuRuntime<?, ?, ?> runtime, long size) {
    this.runtime = runtime;
    this.size = size;
    try {
      // Whole pages of its own: two registrations must not share one.
      long pages = (Math.max(1, size) + PAGE - 1) / PAGE * PAGE;
      this.memory = new Memory(pages + PAGE).align(PAGE).share(0, pages);
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the host has no " + size + " bytes left: " + e.getMessage());
    }
    try {
      this.deviceAddress = runtime.register(hostAddress(), Math.max(1, size));
    } catch (HalException e) {
      // The arguments are right, so there is not enough that can be locked, whatever the code.
      throw e.status() == Status.UNAVAILABLE
          ? e
          : new HalException(Status.RESOURCE_EXHAUSTED, e.getMessage(), e);
    }
  }

  long hostAddress() {
    return Pointer.nativeValue(memory);
  }

  long deviceAddress() {
    return deviceAddress;
  }

  /** A view that keeps the memory alive. */
  ByteBuffer view(long offset, int length) {
    return length == 0
        ? ByteBuffer.allocateDirect(0)
        : memory.getByteBuffer(offset, length).order(ByteOrder.nativeOrder());
  }

  long size() {
    return size;
  }

  /** Ends the registration, once; may wait until the device is idle. */
  void release() {
    runtime.unregister(hostAddress());
  }

  /**
   * Ends the registration, once, by the thread for that. The memory is kept until then, and can be
   * used again afterwards though the device could not be bound.
   */
  void release(FreeThread frees) {
    frees.free(() -> runtime.pageUnlock(hostAddress()), () -> runtime.forgetPinned(hostAddress()));
  }
}
