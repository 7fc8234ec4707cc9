package org.jhal.gpu.memory;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * Page-locked, cached host memory that the device can access: memory of the C library, registered
 * with the device. Releasing it ends only the registration; the memory itself lives as long as a
 * view of it is reachable. So a view never points to freed memory and never keeps the device open.
 *
 * <p>Thread-safe; threads that create or release a block have the device bound.
 */
public final class HostBlock {
  private static final int PAGE = 4096;

  private final GpuRuntime runtime;
  private final Pointer memory; // keeps the C memory while it is reachable
  private final long size;
  private final long deviceAddress;

  /**
   * Allocates and registers a block.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the host has not enough memory, or not enough that
   *     can be page-locked
   */
  public HostBlock(GpuRuntime runtime, long size) {
    this.runtime = runtime;
    this.size = size;
    try {
      // Allocate whole pages, as two registrations must not share a page.
      long pages = (Math.max(1, size) + PAGE - 1) / PAGE * PAGE;
      this.memory = new Memory(pages + PAGE).align(PAGE).share(0, pages);
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the host has no " + size + " bytes left: " + e.getMessage());
    }
    try {
      this.deviceAddress = runtime.pinning().register(hostAddress(), Math.max(1, size));
    } catch (HalException e) {
      // The arguments are valid, so whatever the code is, too little memory can be page-locked.
      throw e.status() == Status.UNAVAILABLE
          ? e
          : new HalException(Status.RESOURCE_EXHAUSTED, e.getMessage(), e);
    }
  }

  public long hostAddress() {
    return Pointer.nativeValue(memory);
  }

  public long deviceAddress() {
    return deviceAddress;
  }

  /** A view that keeps the memory alive. */
  public ByteBuffer view(long offset, int length) {
    return length == 0
        ? ByteBuffer.allocateDirect(0)
        : memory.getByteBuffer(offset, length).order(ByteOrder.nativeOrder());
  }

  long size() {
    return size;
  }

  /** Ends the registration; may wait until the device is idle. Called once. */
  public void release() {
    runtime.pinning().unregister(hostAddress());
  }

  /**
   * Ends the registration on the free thread. Called once. The memory is kept until then;
   * afterwards its address counts as free even if the device could not be bound.
   */
  public void release(FreeThread frees) {
    frees.free(
        () -> runtime.pinning().pageUnlock(hostAddress()),
        () -> runtime.pinning().forget(hostAddress()));
  }
}
