package org.jhal.cuda;

import com.sun.jna.Function;
import com.sun.jna.Platform;
import java.util.List;
import jcuda.driver.JCudaDriver;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Once;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * Loads and initialises the CUDA driver API, once per process, or says why that is not possible.
 * JCuda and {@link CudaExtras} must not be used before {@link #load} has returned.
 */
final class CudaLibrary {
  /** The system property that names the file of the library. */
  static final String PROPERTY = "jhal.cuda.library";

  /** The environment variable that names the file of the library. */
  static final String VARIABLE = "JHAL_CUDA_LIBRARY";

  /** CUDA 11.2, the first version with stream-ordered memory allocation. */
  private static final int MIN_VERSION = 11020;

  /** The systems for which JCuda has native libraries. */
  private static final List<String> PLATFORMS = List.of("linux-x86-64", "win32-x86-64");

  /** All functions that JCuda or this driver calls; calling a missing one would end the process. */
  private static final List<String> SYMBOLS =
      List.of(
          "cuCtxEnablePeerAccess",
          "cuCtxGetCurrent",
          "cuCtxPopCurrent_v2",
          "cuCtxPushCurrent_v2",
          "cuCtxSetCurrent",
          "cuDeviceCanAccessPeer",
          "cuDeviceGet",
          "cuDeviceGetAttribute",
          "cuDeviceGetCount",
          "cuDeviceGetName",
          "cuDeviceGetUuid",
          "cuDevicePrimaryCtxRelease_v2",
          "cuDevicePrimaryCtxRetain",
          "cuDeviceTotalMem_v2",
          "cuDriverGetVersion",
          "cuEventCreate",
          "cuEventDestroy_v2",
          "cuEventElapsedTime",
          "cuEventQuery",
          "cuEventRecord",
          "cuEventSynchronize",
          "cuFuncGetAttribute",
          "cuFuncSetAttribute",
          "cuGetErrorName",
          "cuGetErrorString",
          "cuInit",
          "cuLaunchKernel",
          "cuMemAllocFromPoolAsync",
          "cuMemAlloc_v2",
          "cuMemFreeAsync",
          "cuMemFreeHost",
          "cuMemFree_v2",
          "cuMemGetAddressRange_v2",
          "cuMemHostAlloc",
          "cuMemHostGetDevicePointer_v2",
          "cuMemHostRegister_v2",
          "cuMemHostUnregister",
          "cuMemPoolCreate",
          "cuMemPoolDestroy",
          "cuMemPoolSetAccess",
          "cuMemPoolSetAttribute",
          "cuMemcpyAsync",
          "cuMemcpyDtoDAsync_v2",
          "cuMemcpyDtoHAsync_v2",
          "cuMemcpyHtoDAsync_v2",
          "cuMemsetD16Async",
          "cuMemsetD32Async",
          "cuMemsetD8Async",
          "cuModuleGetFunction",
          "cuModuleLoadDataEx",
          "cuModuleUnload",
          "cuPointerGetAttribute",
          "cuStreamCreate",
          "cuStreamDestroy_v2",
          "cuStreamQuery",
          "cuStreamSynchronize",
          "cuStreamWaitEvent");

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "the library of the NVIDIA driver",
          "the NVIDIA driver",
          PROPERTY,
          VARIABLE,
          Status.UNAVAILABLE);

  private static final Once<CudaLibrary> LOADED = Once.keepingFailure();

  private final SharedLibrary library;
  private final int version;
  private final List<String> missingForGraphs;

  private CudaLibrary(SharedLibrary library, int version) {
    this.library = library;
    this.version = version;
    this.missingForGraphs = library.missing(SharedLibrary.functions(CudaGraphCalls.class));
    if (missingForGraphs.isEmpty()) {
      CudaGraphCalls.bind(library.library());
    }
  }

  /** Whether {@link CudaGraphCalls} may be used. */
  boolean hasGraphs() {
    return missingForGraphs.isEmpty();
  }

  /** For people: whether graphs can be used, and if not, why. */
  String graphs() {
    return hasGraphs()
        ? "available"
        : "not available: CUDA 12 is needed; "
            + path()
            + " lacks "
            + String.join(", ", missingForGraphs);
  }

  /** A function that only some versions have, or null. */
  @Nullable Function optional(String symbol) {
    return library.optional(symbol);
  }

  /** The version of the driver API, such as {@code 13.0}. */
  String version() {
    return text(version);
  }

  /** The same as the driver API writes it: 13.0 as 13000. */
  int number() {
    return version;
  }

  /** A version as the driver API writes it. */
  static int number(int major, int minor) {
    return 1000 * major + 10 * minor;
  }

  /** The major part of a version that the driver API has written. */
  static int major(int version) {
    return version / 1000;
  }

  /** A version that the driver API has written, for people. */
  static String text(int version) {
    return major(version) + "." + version % 1000 / 10;
  }

  /** The file that was loaded. */
  String path() {
    return library.path();
  }

  /**
   * Loads the library on the first call.
   *
   * @throws HalException UNAVAILABLE with the reason if there is no usable one; every call then
   *     throws the same failure
   */
  static CudaLibrary load() {
    return LOADED.get(CudaLibrary::open);
  }

  private static CudaLibrary open() {
    if (!PLATFORMS.contains(Platform.RESOURCE_PREFIX)) {
      throw unavailable(
          "JCuda has no native library for "
              + Platform.RESOURCE_PREFIX
              + ", only for "
              + String.join(" and ", PLATFORMS));
    }
    SharedLibrary library =
        WANTED.find(List.of(Platform.isWindows() ? "nvcuda" : "libcuda.so.1"), "cuInit");
    WANTED.require(library, SYMBOLS, "one for CUDA " + text(MIN_VERSION));
    JCudaNatives.load();
    CudaExtras.bind(library.library());
    int[] version = new int[1];
    CudaResult.CODES.check("cuDriverGetVersion", CudaExtras.cuDriverGetVersion(version));
    if (version[0] < MIN_VERSION) {
      throw unavailable(
          "the NVIDIA driver supports CUDA "
              + text(version[0])
              + "; JHAL needs "
              + text(MIN_VERSION)
              + " or newer");
    }
    int code = JCudaDriver.cuInit(0);
    if (code != CudaResult.SUCCESS) {
      throw new HalException(
          Status.UNAVAILABLE,
          "cuInit returned " + CudaResult.CODES.describe(code),
          null,
          CudaResult.CODES.nativeCode(code));
    }
    return new CudaLibrary(library, version[0]);
  }

  private static HalException unavailable(String reason) {
    return new HalException(Status.UNAVAILABLE, reason);
  }
}
