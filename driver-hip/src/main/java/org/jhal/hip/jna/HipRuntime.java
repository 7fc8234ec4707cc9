package org.jhal.hip.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.util.List;
import org.jhal.gpu.natives.SharedLibrary;

/**
 * The required functions of the HIP runtime. All are in ROCm 5.2; each returns a {@code hipError_t}
 * unless stated otherwise.
 *
 * <p>{@link #bind} must be called first, once per process. A call that needs a device uses the one
 * that is current on the calling thread, which is device 0 until hipSetDevice.
 */
public final class HipRuntime {
  private HipRuntime() {}

  /** The names of all functions. */
  public static List<String> symbols() {
    return SharedLibrary.functions(HipRuntime.class);
  }

  /**
   * Binds the functions to a library.
   *
   * @throws UnsatisfiedLinkError if the library lacks one; then none can be called
   */
  public static void bind(NativeLibrary library) {
    Native.register(HipRuntime.class, library);
  }

  // Errors.

  /** Returns the name of a code; hipErrorUnknown for one that the library does not know. */
  public static native String hipGetErrorName(int hip_error);

  /** Returns the description of a code, in English. */
  public static native String hipGetErrorString(int hipError);

  // Devices.

  public static native int hipInit(int flags);

  public static native int hipRuntimeGetVersion(int[] runtimeVersion);

  public static native int hipGetDeviceCount(int[] count);

  public static native int hipGetDevice(int[] deviceId);

  public static native int hipSetDevice(int deviceId);

  public static native int hipDeviceGetAttribute(int[] pi, int attr, int deviceId);

  public static native int hipDeviceGetName(byte[] name, int len, int device);

  public static native int hipDeviceGetUuid(byte[] uuid, int device);

  public static native int hipDeviceTotalMem(long[] bytes, int device);

  public static native int hipDeviceCanAccessPeer(
      int[] canAccessPeer, int deviceId, int peerDeviceId);

  public static native int hipDeviceEnablePeerAccess(int peerDeviceId, int flags);

  // Streams and events.

  public static native int hipStreamCreateWithFlags(long[] stream, int flags);

  public static native int hipStreamDestroy(long stream);

  public static native int hipStreamSynchronize(hipStream_t stream);

  public static native int hipStreamQuery(hipStream_t stream);

  public static native int hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, int flags);

  public static native int hipEventCreateWithFlags(long[] event, int flags);

  public static native int hipEventDestroy(long event);

  public static native int hipEventRecord(hipEvent_t event, hipStream_t stream);

  public static native int hipEventElapsedTime(float[] ms, hipEvent_t start, hipEvent_t stop);

  public static native int hipEventQuery(hipEvent_t event);

  public static native int hipEventSynchronize(hipEvent_t event);

  // Memory.

  public static native int hipMalloc(long[] ptr, long size);

  public static native int hipFree(long ptr);

  public static native int hipMemGetAddressRange(long[] pbase, long[] psize, long dptr);

  public static native int hipMemPoolCreate(long[] mem_pool, Pointer pool_props);

  public static native int hipMemPoolDestroy(long mem_pool);

  public static native int hipMemPoolTrimTo(hipMemPool_t mem_pool, long min_bytes_to_hold);

  public static native int hipMemPoolSetAttribute(hipMemPool_t mem_pool, int attr, long[] value);

  public static native int hipMemPoolSetAccess(
      hipMemPool_t mem_pool, Pointer desc_list, long count);

  public static native int hipMallocFromPoolAsync(
      long[] dev_ptr, long size, hipMemPool_t mem_pool, hipStream_t stream);

  public static native int hipFreeAsync(long dev_ptr, hipStream_t stream);

  public static native int hipHostMalloc(long[] ptr, long size, int flags);

  public static native int hipHostFree(long ptr);

  public static native int hipHostRegister(long hostPtr, long sizeBytes, int flags);

  public static native int hipHostUnregister(long hostPtr);

  public static native int hipHostGetDevicePointer(long[] devPtr, long hstPtr, int flags);

  // Commands.

  public static native int hipMemcpyAsync(
      long dst, long src, long sizeBytes, int kind, hipStream_t stream);

  public static native int hipMemcpyHtoDAsync(
      long dst, long src, long sizeBytes, hipStream_t stream);

  public static native int hipMemcpyDtoHAsync(
      long dst, long src, long sizeBytes, hipStream_t stream);

  public static native int hipMemcpyDtoDAsync(
      long dst, long src, long sizeBytes, hipStream_t stream);

  public static native int hipMemsetD8Async(long dest, byte value, long count, hipStream_t stream);

  public static native int hipMemsetD16Async(
      long dest, short value, long count, hipStream_t stream);

  public static native int hipMemsetD32Async(long dst, int value, long count, hipStream_t stream);

  // Kernels.

  public static native int hipModuleLoadData(long[] module, Pointer image);

  public static native int hipModuleUnload(long module);

  public static native int hipModuleGetFunction(long[] function, hipModule_t module, String kname);

  public static native int hipFuncGetAttribute(int[] value, int attrib, hipFunction_t hfunc);

  /**
   * Arguments come either as one pointer each, or packed: {@code extra} is then
   * HIP_LAUNCH_PARAM_BUFFER_POINTER, the address, HIP_LAUNCH_PARAM_BUFFER_SIZE, the address of the
   * size, HIP_LAUNCH_PARAM_END, in this order.
   */
  public static native int hipModuleLaunchKernel(
      hipFunction_t f,
      int gridDimX,
      int gridDimY,
      int gridDimZ,
      int blockDimX,
      int blockDimY,
      int blockDimZ,
      int sharedMemBytes,
      hipStream_t stream,
      long kernelParams,
      long extra);
}
