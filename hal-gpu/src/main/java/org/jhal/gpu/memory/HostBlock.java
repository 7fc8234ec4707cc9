// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.memory;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.MappedRange;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;

/**
 * Cached memory of the C library. Page-locked, it is registered with the device, which can then
 * access it. Freeing it ends only the registration; the memory itself lives as long as a view of it
 * is reachable. So a view never points to freed memory and never keeps the device open.
 *
 * <p>Thread-safe; threads that create or release a block have the device bound.
 */
public final class HostBlock implements GpuMemory {
  private static final int PAGE = 4096;

  private final GpuCore core;
  private final Pointer memory; // keeps the C memory while it is reachable
  private final long size;
  private final long deviceAddress; // 0 if it is not page-locked

  private HostBlock(GpuCore core, Pointer memory, long size, long deviceAddress) {
    this.core = core;
    this.memory = memory;
    this.size = size;
    this.deviceAddress = deviceAddress;
  }

  /**
   * Allocates and registers a block.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the host lacks memory, or memory that can be
   *     page-locked
   */
  public static HostBlock pinned(GpuCore core, long size) {
    // Allocate whole pages, as two registrations must not share a page.
    long pages = (Math.max(1, size) + PAGE - 1) / PAGE * PAGE;
    Pointer memory = allocate(pages + PAGE).align(PAGE).share(0, pages);
    try {
      long address = Pointer.nativeValue(memory);
      long deviceAddress =
          core.frees()
              .allocate(() -> core.runtime().pinning().register(address, Math.max(1, size)));
      return new HostBlock(core, memory, size, deviceAddress);
    } catch (HalException e) {
      // The arguments are valid, so any code means that too little memory can be page-locked.
      throw e.status() == Status.UNAVAILABLE
          ? e
          : new HalException(Status.RESOURCE_EXHAUSTED, e.getMessage(), e);
    }
  }

  /**
   * Allocates memory that the runtime copies as it copies any pageable memory.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the host has not enough memory
   */
  public static HostBlock pageable(GpuCore core, long size) {
    return new HostBlock(core, allocate(size), size, 0);
  }

  private static Memory allocate(long bytes) {
    try {
      return new Memory(bytes);
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the host has no " + bytes + " bytes left: " + e.getMessage());
    }
  }

  /** The address for the host. */
  public long hostAddress() {
    return Pointer.nativeValue(memory);
  }

  @Override
  public long address() {
    return deviceAddress;
  }

  @Override
  public int place() {
    return HOST;
  }

  @Override
  public long size() {
    return size;
  }

  /** A view that keeps the memory alive. */
  public ByteBuffer view(long offset, int length) {
    return length == 0
        ? ByteBuffer.allocateDirect(0)
        : memory.getByteBuffer(offset, length).order(ByteOrder.nativeOrder());
  }

  /** The device and the host see each other's writes without a flush. */
  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = view(offset, length);
    return () -> view;
  }

  /**
   * Ends the registration on the free thread. The memory is kept until then; afterwards its address
   * counts as free even if the device could not be bound.
   */
  @Override
  public void free() {
    if (deviceAddress != 0) {
      core.frees()
          .free(
              () -> core.runtime().pinning().pageUnlock(hostAddress()),
              () -> core.runtime().pinning().forget(hostAddress()));
    }
  }
}
