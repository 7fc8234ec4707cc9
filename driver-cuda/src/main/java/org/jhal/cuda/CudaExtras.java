package org.jhal.cuda;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;

/**
 * The functions of the driver API that JCuda lacks, or whose form in JCuda is too slow or does not
 * fit. Names and arguments are those of cuda.h; handles, addresses, and pointers to memory that the
 * caller owns are {@code long}s.
 *
 * <p>{@link #bind} must be called first.
 */
final class CudaExtras {
  private CudaExtras() {}

  static void bind(NativeLibrary library) {
    Native.register(CudaExtras.class, library);
  }

  static native int cuDriverGetVersion(int[] version);

  static native int cuDeviceGetUuid(byte[] uuid, int device);

  static native int cuDeviceTotalMem_v2(long[] bytes, int device);

  static native int cuMemPoolCreate(long[] pool, Pointer properties);

  static native int cuMemPoolDestroy(long pool);

  static native int cuMemPoolSetAttribute(long pool, int attribute, long[] value);

  static native int cuMemPoolSetAccess(long pool, Pointer accesses, long count);

  static native int cuMemHostAlloc(long[] address, long bytes, int flags);

  static native int cuMemFreeHost(long address);

  static native int cuMemHostRegister_v2(long address, long bytes, int flags);

  static native int cuMemHostUnregister(long address);

  static native int cuMemHostGetDevicePointer_v2(long[] device, long host, int flags);

  static native int cuPointerGetAttribute(long[] value, int attribute, long address);

  static native int cuMemcpyDtoHAsync_v2(long host, long device, long bytes, long stream);

  static native int cuMemcpyHtoDAsync_v2(long device, long host, long bytes, long stream);

  static native int cuModuleLoadDataEx(
      long[] module, Pointer image, int count, int[] options, Pointer values);
}
