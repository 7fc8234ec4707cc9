// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import org.jhal.gpu.natives.GpuApi;

/** The functions of the HIP runtime that operations call. */
public interface HipTable extends GpuApi {
  int getDevice(int[] device);

  int setDevice(int device);

  int memcpyAsync(long target, long source, long bytes, int kind, long stream);
}
