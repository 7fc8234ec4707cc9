// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.gpu.natives.GpuApi;

/** The functions of the driver API that operations call. */
interface CudaTable extends GpuApi {
  int ctxPushCurrent(long context);

  /** Pops the context, which may also be written to {@code context}. */
  int ctxPopCurrent(long context);

  int ctxSetCurrent(long context);

  int memcpyAsync(long target, long source, long bytes, long stream);

  /**
   * Called in each transfer for users' memory.
   *
   * @param attributes the address of {@code count} numbers of 32 bits
   * @param values the address of as many pointers
   */
  int pointerGetAttributes(int count, long attributes, long values, long address);
}
