package org.jhal.cuda;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Page-locked, cached host memory that the device reaches: memory of the C library, registered with
 * the context. When it is released, only the registration ends; the memory itself lives as long as
 * somebody has a view of it. So a view never points to freed memory and never keeps the context
 * alive.
 *
 * <p>Thread-safe; the context is current on threads that make or release one.
 */
final class HostBlock {
  // From cuda.h: CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP.
  static final int REGISTER_FLAGS = 1 | 2;
  private static final int PAGE = 4096;

  private final CudaContext context;
  private final Pointer memory; // keeps the C memory while it is reachable
  private final long size;
  private final long deviceAddress;
  private final AtomicBoolean isReleased = new AtomicBoolean();

  /**
   * A block.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the host has not enough
   */
  HostBlock(CudaContext context, long size) {
    this.context = context;
    this.size = size;
    try {
      // Whole pages of its own: two registrations must not share one.
      long pages = (Math.max(1, size) + PAGE - 1) / PAGE * PAGE;
      this.memory = new Memory(pages + PAGE).align(PAGE).share(0, pages);
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the host has no " + size + " bytes left: " + e.getMessage());
    }
    this.deviceAddress = register(context, hostAddress(), Math.max(1, size));
  }

  /** Makes host memory known to the device; returns where that finds it. */
  static long register(CudaContext context, long address, long size) {
    int code = CudaExtras.cuMemHostRegister_v2(address, size, REGISTER_FLAGS);
    if (code != CudaResult.SUCCESS) {
      throw context.failure(
          "cuMemHostRegister", code, "cannot page-lock " + size + " bytes of host memory");
    }
    long[] out = new long[1];
    code = CudaExtras.cuMemHostGetDevicePointer_v2(out, address, 0);
    if (code != CudaResult.SUCCESS) {
      int ignored = CudaExtras.cuMemHostUnregister(address);
      throw context.failure("cuMemHostGetDevicePointer", code, "");
    }
    return out[0];
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

  /** Ends the registration; twice is harmless. */
  void release() {
    if (isReleased.compareAndSet(false, true)) {
      context.checkFreed("cuMemHostUnregister", CudaExtras.cuMemHostUnregister(hostAddress()));
    }
  }
}
