package org.jhal.cuda;

import org.jhal.gpu.natives.GpuApi;

/** The functions of the driver API that operations call. */
interface CudaTable extends GpuApi {
  int ctxPushCurrent(long context);

  /** Pops the context, which may also be written to {@code context}. */
  int ctxPopCurrent(long context);

  int ctxSetCurrent(long context);

  int memcpyAsync(long target, long source, long bytes, long stream);

  /** Called in each transfer for users' memory. */
  int pointerGetAttribute(long[] value, int attribute, long address);
}
