// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Library;
import com.sun.jna.Pointer;

/**
 * The functions that create and destroy, common to the runtimes of all vendors. JNA binds them by
 * the names in a driver's table. {@link GpuApi} has the rules for all of them.
 */
public interface GpuSetup extends Library {
  // Common to the vendors' headers.

  // The properties of a pool: size and offsets in bytes.
  int POOL_BYTES = 88;
  int POOL_ALLOCATION_TYPE = 0;
  int POOL_LOCATION_TYPE = 8;
  int POOL_LOCATION_ID = 12;

  // Likewise, a description of an access.
  int ACCESS_BYTES = 12;
  int ACCESS_LOCATION_TYPE = 0;
  int ACCESS_LOCATION_ID = 4;
  int ACCESS_FLAGS = 8;

  // Enumerators.
  int POOL_TYPE_PINNED = 1; // the type of all pools
  int POOL_LOCATION_DEVICE = 1;
  int ACCESS_READ_WRITE = 3;
  int POOL_RELEASE_THRESHOLD = 4;

  int init(int flags);

  int getDeviceCount(int[] count);

  int deviceGetAttribute(int[] value, int attribute, int device);

  int deviceGetName(byte[] name, int length, int device);

  int deviceGetUuid(byte[] uuid, int device);

  int deviceTotalMem(long[] bytes, int device);

  int deviceCanAccessPeer(int[] canAccess, int device, int owner);

  int streamCreateWithFlags(long[] stream, int flags);

  int streamCreateWithPriority(long[] stream, int flags, int priority);

  int streamPriorityRange(int[] least, int[] greatest);

  int streamDestroy(long stream);

  int eventCreateWithFlags(long[] event, int flags);

  int eventDestroy(long event);

  int malloc(long[] address, long bytes);

  int free(long address);

  int memGetAddressRange(long[] start, long[] bytes, long address);

  int memPoolCreate(long[] pool, Pointer properties);

  int memPoolDestroy(long pool);

  int memPoolSetAttribute(long pool, int attribute, long[] value);

  int memPoolSetAccess(long pool, Pointer accesses, long count);

  int hostMalloc(long[] address, long bytes, int flags);

  int hostFree(long address);

  int hostRegister(long address, long bytes, int flags);

  int hostUnregister(long address);

  int hostGetDevicePointer(long[] device, long host, int flags);

  int moduleUnload(long module);

  int moduleGetFunction(long[] kernel, long module, String name);

  int moduleGetGlobal(long[] address, long[] bytes, long module, String name);

  int funcGetAttribute(int[] value, int attribute, long kernel);
}
