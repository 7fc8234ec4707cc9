// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

/**
 * The functions that operations call, common to the runtimes of all vendors. A driver adds its own
 * to them in a table, of which there are several implementations: see {@link
 * NativeFunctions#calls}. {@link GpuSetup} has all others. The names are the vendors', without the
 * prefix; {@link GpuFunctions#functionName} has the full names.
 *
 * <p>Handles, addresses, and pointers to memory that the caller owns are numbers; a handle of 0 is
 * none. A function returns a result code, {@link ResultCodes#SUCCESS} on success, and its results
 * in the first element of an array, which the caller may reuse. Nothing is checked: a wrong handle
 * may end the process.
 *
 * <p>Thread-safe. The functions use the device that is bound to the thread.
 */
public interface GpuApi {
  // Common to the vendors: flags of streams, events and host memory, kinds of copies, codes.
  int STREAM_NON_BLOCKING = 1;
  int EVENT_DEFAULT = 0;
  int EVENT_BLOCKING_SYNC = 1;
  int EVENT_DISABLE_TIMING = 2;
  int HOST_ALLOC_PORTABLE = 1;
  int HOST_ALLOC_MAPPED = 2;
  int HOST_ALLOC_WRITE_COMBINED = 4;
  int HOST_REGISTER_PORTABLE = 1;
  int HOST_REGISTER_MAPPED = 2;
  int MEMCPY_DEFAULT = 4;
  int NO_DEVICE = 100;
  int INVALID_DEVICE = 101;
  int NOT_READY = 600;
  int PEER_ACCESS_ALREADY_ENABLED = 704;

  // Streams and events.

  int streamSynchronize(long stream);

  int streamQuery(long stream);

  int streamWaitEvent(long stream, long event, int flags);

  int eventRecord(long event, long stream);

  int eventElapsedTime(float[] millis, long from, long to);

  int eventQuery(long event);

  int eventSynchronize(long event);

  // Memory.

  int mallocFromPoolAsync(long[] address, long bytes, long pool, long stream);

  int freeAsync(long address, long stream);

  // Commands.

  int memcpyHtoDAsync(long target, long source, long bytes, long stream);

  int memcpyDtoHAsync(long target, long source, long bytes, long stream);

  int memcpyDtoDAsync(long target, long source, long bytes, long stream);

  int memsetD8Async(long target, byte value, long count, long stream);

  int memsetD16Async(long target, short value, long count, long stream);

  int memsetD32Async(long target, int value, long count, long stream);

  // Kernels.

  /** Arguments come packed, in the list at {@code extra}; {@code parameters} is 0. */
  int moduleLaunchKernel(
      long kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      int itemsX,
      int itemsY,
      int itemsZ,
      int sharedBytes,
      long stream,
      long parameters,
      long extra);
}
