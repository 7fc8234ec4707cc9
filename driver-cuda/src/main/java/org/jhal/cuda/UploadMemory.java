package org.jhal.cuda;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.utils.MappedRange;

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

  private final CudaContext context; // with a reference of its own
  private final FreeThread frees;
  private final long size;
  private final long hostAddress;
  private final long deviceAddress;
  private final AtomicInteger users = new AtomicInteger(1); // the buffer, and reachable views

  /** New memory; the context is current. */
  UploadMemory(CudaContext context, FreeThread frees, long size) {
    this.context = context;
    this.frees = frees;
    this.size = size;
    context.retainAgain();
    try {
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
    } catch (Throwable t) {
      context.release();
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
      frees.free(
          () -> context.checkFreed("cuMemFreeHost", CudaExtras.cuMemFreeHost(hostAddress)),
          () -> {
            context.release();
            WAITING.decrementAndGet();
          });
    }
  }

  /** How many closed buffers there are whose views are still in use, or not collected yet. */
  static int waiting() {
    return WAITING.get();
  }
}
