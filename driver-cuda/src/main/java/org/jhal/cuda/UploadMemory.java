package org.jhal.cuda;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.utils.MappedRange;
import org.jspecify.annotations.Nullable;

/**
 * Write-combined host memory as a buffer: fast for the device to read, slow for the host to read.
 * Only the context can make such memory, so it ends with the context; while a view of it is in use,
 * the context is kept.
 */
final class UploadMemory implements CudaMemory {
  // From cuda.h: CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED.
  private static final int FLAGS = 1 | 2 | 4;
  private static final Cleaner CLEANER = Cleaner.create();

  /** How many wait for their views to be collected, in the whole process. */
  private static final AtomicInteger WAITING = new AtomicInteger();

  private final CudaContext context;
  private final FreeThread frees;
  private final int ordinal;
  private final long size;
  private final long hostAddress;
  private final long deviceAddress;
  private final AtomicInteger users = new AtomicInteger(1); // the buffer, and reachable views
  private volatile @Nullable CudaContext keeper; // set when the buffer goes before the views

  UploadMemory(CudaContext context, FreeThread frees, int ordinal, long size) {
    this.context = context;
    this.frees = frees;
    this.ordinal = ordinal;
    this.size = size;
    long[] out = new long[1];
    int code = CudaExtras.cuMemHostAlloc(out, Math.max(1, size), FLAGS);
    if (code != CudaResult.SUCCESS) {
      throw context.failure(
          "cuMemHostAlloc", code, "cannot page-lock " + size + " bytes of host memory");
    }
    hostAddress = out[0];
    code = CudaExtras.cuMemHostGetDevicePointer_v2(out, hostAddress, 0);
    if (code != CudaResult.SUCCESS) {
      int ignored = CudaExtras.cuMemFreeHost(hostAddress);
      throw context.failure("cuMemHostGetDevicePointer", code, "");
    }
    deviceAddress = out[0];
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
    CLEANER.register(view, this::drop);
    return () -> view;
  }

  @Override
  public void free() {
    if (users.get() > 1) {
      keeper = CudaContext.retain(ordinal); // the device may close before the last view is gone
      WAITING.incrementAndGet();
    }
    drop();
  }

  /** One user less. With the context current, or with a keeper. */
  private void drop() {
    if (users.decrementAndGet() > 0) {
      return;
    }
    CudaContext kept = keeper;
    if (kept == null) {
      frees.free(() -> context.checkFreed("cuMemFreeHost", CudaExtras.cuMemFreeHost(hostAddress)));
      return;
    }
    try {
      kept.push();
      kept.checkFreed("cuMemFreeHost", CudaExtras.cuMemFreeHost(hostAddress));
      kept.pop();
    } catch (HalException e) {
      // the context is dead, and the memory goes with it
    }
    try {
      kept.release();
    } finally {
      WAITING.decrementAndGet();
    }
  }

  /** How many closed buffers there are whose views are still in use, or not collected yet. */
  static int waiting() {
    return WAITING.get();
  }
}
