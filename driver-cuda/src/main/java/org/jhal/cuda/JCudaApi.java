// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static jcuda.driver.JCudaDriver.cuCtxPopCurrent;
import static jcuda.driver.JCudaDriver.cuCtxPushCurrent;
import static jcuda.driver.JCudaDriver.cuCtxSetCurrent;
import static jcuda.driver.JCudaDriver.cuEventQuery;
import static jcuda.driver.JCudaDriver.cuEventRecord;
import static jcuda.driver.JCudaDriver.cuEventSynchronize;
import static jcuda.driver.JCudaDriver.cuLaunchKernel;
import static jcuda.driver.JCudaDriver.cuMemAllocFromPoolAsync;
import static jcuda.driver.JCudaDriver.cuMemFreeAsync;
import static jcuda.driver.JCudaDriver.cuMemcpyAsync;
import static jcuda.driver.JCudaDriver.cuMemcpyDtoDAsync;
import static jcuda.driver.JCudaDriver.cuMemsetD16Async;
import static jcuda.driver.JCudaDriver.cuMemsetD32Async;
import static jcuda.driver.JCudaDriver.cuMemsetD8Async;
import static jcuda.driver.JCudaDriver.cuStreamQuery;
import static jcuda.driver.JCudaDriver.cuStreamSynchronize;
import static jcuda.driver.JCudaDriver.cuStreamWaitEvent;

import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jcuda.NativePointerObject;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmemoryPool;
import jcuda.driver.CUstream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.GpuFunctions;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the driver API. Most of those that operations call go through JCuda, whose calls
 * are cheaper than JNA's. No other class uses JCuda's objects.
 *
 * <p>JCuda takes handles and addresses as objects. Each thread reuses one of each kind, so calls
 * make no garbage.
 */
final class JCudaApi extends NativeFunctions<CudaTable, JCudaApi.Setup>
    implements CudaTable, GpuFunctions {
  static final JCudaApi API = new JCudaApi();

  /** The driver API's own functions, beside those that operations call. */
  interface Setup extends GpuSetup {
    int driverGetVersion(int[] version);

    int getErrorName(int code, PointerByReference name);

    int getErrorString(int code, PointerByReference text);

    int devicePrimaryCtxRetain(long[] context, int device);

    int devicePrimaryCtxRelease(int device);

    int ctxGetCurrent(long[] context);

    int deviceEnablePeerAccess(long context, int flags);

    int moduleLoadDataEx(long[] module, Pointer image, int count, int[] options, Pointer values);

    int funcSetAttribute(long kernel, int attribute, int value);
  }

  /** The systems for which JCuda has native libraries. */
  private static final List<String> PLATFORMS = List.of("linux-x86-64", "win32-x86-64");

  /** The irregular names of functions. */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("ctxPopCurrent", "cuCtxPopCurrent_v2"),
          Map.entry("ctxPushCurrent", "cuCtxPushCurrent_v2"),
          Map.entry("deviceEnablePeerAccess", "cuCtxEnablePeerAccess"),
          Map.entry("deviceTotalMem", "cuDeviceTotalMem_v2"),
          Map.entry("devicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2"),
          Map.entry("eventCreateWithFlags", "cuEventCreate"),
          Map.entry("eventDestroy", "cuEventDestroy_v2"),
          Map.entry("free", "cuMemFree_v2"),
          Map.entry("freeAsync", "cuMemFreeAsync"),
          Map.entry("getDeviceCount", "cuDeviceGetCount"),
          Map.entry("hostFree", "cuMemFreeHost"),
          Map.entry("hostGetDevicePointer", "cuMemHostGetDevicePointer_v2"),
          Map.entry("hostMalloc", "cuMemHostAlloc"),
          Map.entry("hostRegister", "cuMemHostRegister_v2"),
          Map.entry("hostUnregister", "cuMemHostUnregister"),
          Map.entry("malloc", "cuMemAlloc_v2"),
          Map.entry("mallocFromPoolAsync", "cuMemAllocFromPoolAsync"),
          Map.entry("memGetAddressRange", "cuMemGetAddressRange_v2"),
          Map.entry("memcpyDtoDAsync", "cuMemcpyDtoDAsync_v2"),
          Map.entry("memcpyDtoHAsync", "cuMemcpyDtoHAsync_v2"),
          Map.entry("memcpyHtoDAsync", "cuMemcpyHtoDAsync_v2"),
          Map.entry("moduleLaunchCooperativeKernel", "cuLaunchCooperativeKernel"),
          Map.entry("moduleGetGlobal", "cuModuleGetGlobal_v2"),
          Map.entry("moduleLaunchKernel", "cuLaunchKernel"),
          Map.entry(
              "moduleOccupancyMaxActiveBlocksPerMultiprocessor",
              "cuOccupancyMaxActiveBlocksPerMultiprocessor"),
          Map.entry("streamCreateWithFlags", "cuStreamCreate"),
          Map.entry("streamDestroy", "cuStreamDestroy_v2"),
          Map.entry("streamPriorityRange", "cuCtxGetStreamPriorityRange"));

  /** The number inside JCuda's handles, so that one object serves any number of calls. */
  private static final VarHandle ADDRESS;

  static {
    try {
      ADDRESS =
          MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
              .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The number inside one of JCuda's handles. */
  static long get(NativePointerObject handle) {
    return (long) ADDRESS.get(handle);
  }

  static <T extends NativePointerObject> T set(T handle, long address) {
    ADDRESS.set(handle, address);
    return handle;
  }

  /** The arguments and results of a thread's calls of JCuda. */
  private static final class Arguments {
    final CUstream stream = new CUstream();
    final CUevent event = new CUevent();
    final CUfunction kernel = new CUfunction();
    final CUmemoryPool pool = new CUmemoryPool();
    final CUcontext context = new CUcontext();
    final CUdeviceptr first = new CUdeviceptr();
    final CUdeviceptr second = new CUdeviceptr();
    final jcuda.Pointer list = new jcuda.Pointer();
  }

  private static final ThreadLocal<Arguments> ARGUMENTS = ThreadLocal.withInitial(Arguments::new);

  private JCudaApi() {
    super(MethodHandles.lookup(), CudaTable.class, Setup.class);
  }

  @Override
  protected void bindOwn(SharedLibrary from) {
    if (!PLATFORMS.contains(Platform.RESOURCE_PREFIX)) {
      throw new HalException(
          Status.UNAVAILABLE,
          "JCuda has no native library for %s, only for %s"
              .formatted(Platform.RESOURCE_PREFIX, String.join(" and ", PLATFORMS)));
    }
    JCudaNatives.load();
    super.bindOwn(from);
  }

  @Override
  protected String symbol(String function) {
    return NAMES.getOrDefault(function, SharedLibrary.function("cu", function));
  }

  /** Without the library's suffix, which macros in cuda.h hide. */
  @Override
  public String functionName(String function) {
    String symbol = symbol(function);
    return NAMES.containsKey(function) ? symbol.replaceFirst("_v2$", "") : symbol;
  }

  /** From the driver, which may be newer than JCuda. */
  @Override
  public @Nullable String errorName(int code) {
    PointerByReference name = new PointerByReference();
    return setup().getErrorName(code, name) == ResultCodes.SUCCESS ? text(name) : null;
  }

  @Override
  public String errorText(int code) {
    PointerByReference text = new PointerByReference();
    boolean isKnown = setup().getErrorString(code, text) == ResultCodes.SUCCESS;
    return isKnown ? Objects.requireNonNullElse(text(text), "") : "";
  }

  private static @Nullable String text(PointerByReference place) {
    Pointer text = place.getValue();
    return text == null ? null : text.getString(0);
  }

  // Through JCuda.

  @Override
  public int ctxPushCurrent(long context) {
    return cuCtxPushCurrent(set(ARGUMENTS.get().context, context));
  }

  @Override
  public int ctxPopCurrent(long context) {
    return cuCtxPopCurrent(ARGUMENTS.get().context);
  }

  @Override
  public int ctxSetCurrent(long context) {
    return cuCtxSetCurrent(set(ARGUMENTS.get().context, context));
  }

  @Override
  public int streamSynchronize(long stream) {
    return cuStreamSynchronize(set(ARGUMENTS.get().stream, stream));
  }

  @Override
  public int streamQuery(long stream) {
    return cuStreamQuery(set(ARGUMENTS.get().stream, stream));
  }

  @Override
  public int streamWaitEvent(long stream, long event, int flags) {
    Arguments own = ARGUMENTS.get();
    return cuStreamWaitEvent(set(own.stream, stream), set(own.event, event), flags);
  }

  @Override
  public int eventRecord(long event, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuEventRecord(set(own.event, event), set(own.stream, stream));
  }

  @Override
  public int eventQuery(long event) {
    return cuEventQuery(set(ARGUMENTS.get().event, event));
  }

  @Override
  public int eventSynchronize(long event) {
    return cuEventSynchronize(set(ARGUMENTS.get().event, event));
  }

  @Override
  public int mallocFromPoolAsync(long[] address, long bytes, long pool, long stream) {
    Arguments own = ARGUMENTS.get();
    int code =
        cuMemAllocFromPoolAsync(own.first, bytes, set(own.pool, pool), set(own.stream, stream));
    address[0] = get(own.first);
    return code;
  }

  @Override
  public int freeAsync(long address, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuMemFreeAsync(set(own.first, address), set(own.stream, stream));
  }

  @Override
  public int memcpyAsync(long target, long source, long bytes, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuMemcpyAsync(
        set(own.first, target), set(own.second, source), bytes, set(own.stream, stream));
  }

  @Override
  public int memcpyDtoDAsync(long target, long source, long bytes, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuMemcpyDtoDAsync(
        set(own.first, target), set(own.second, source), bytes, set(own.stream, stream));
  }

  @Override
  public int memsetD8Async(long target, byte value, long count, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuMemsetD8Async(set(own.first, target), value, count, set(own.stream, stream));
  }

  @Override
  public int memsetD16Async(long target, short value, long count, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuMemsetD16Async(set(own.first, target), value, count, set(own.stream, stream));
  }

  @Override
  public int memsetD32Async(long target, int value, long count, long stream) {
    Arguments own = ARGUMENTS.get();
    return cuMemsetD32Async(set(own.first, target), value, count, set(own.stream, stream));
  }

  @Override
  public int moduleLaunchKernel(
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
      long extra) {
    Arguments own = ARGUMENTS.get();
    return cuLaunchKernel(
        set(own.kernel, kernel),
        groupsX,
        groupsY,
        groupsZ,
        itemsX,
        itemsY,
        itemsZ,
        sharedBytes,
        set(own.stream, stream),
        null,
        set(own.list, extra));
  }

  // Through JNA.

  @Override
  public native int pointerGetAttributes(int count, long attributes, long values, long address);

  @Override
  public native int eventElapsedTime(float[] millis, long from, long to);

  @Override
  public native int memcpyHtoDAsync(long target, long source, long bytes, long stream);

  @Override
  public native int memcpyDtoHAsync(long target, long source, long bytes, long stream);
}
