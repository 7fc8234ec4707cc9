package org.jhal.cuda;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmemoryPool;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the driver API that operations call, most of them through JCuda, whose calls are
 * the cheapest. No other class uses JCuda's objects.
 *
 * <p>JCuda takes handles and addresses as objects. Each thread reuses one of each kind, so calls
 * make no garbage.
 */
final class JCudaApi extends NativeFunctions<CudaSetup> implements GpuApi {
  static final JCudaApi API = new JCudaApi();

  /** The functions that JCuda calls; a missing one would end the process. */
  private static final List<String> OF_JCUDA =
      List.of(
          ("ctxPopCurrent ctxPushCurrent ctxSetCurrent eventQuery eventRecord eventSynchronize"
                  + " freeAsync getErrorName getErrorString mallocFromPoolAsync memcpyAsync"
                  + " memcpyDtoDAsync memsetD16Async memsetD32Async memsetD8Async"
                  + " moduleLaunchKernel streamQuery streamSynchronize streamWaitEvent")
              .split(" "));

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
          Map.entry("moduleLaunchKernel", "cuLaunchKernel"),
          Map.entry("streamCreateWithFlags", "cuStreamCreate"),
          Map.entry("streamDestroy", "cuStreamDestroy_v2"));

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
    super(CudaSetup.class);
  }

  /** With those that JCuda calls. */
  @Override
  public List<String> symbols() {
    return Stream.concat(OF_JCUDA.stream().map(this::symbol), super.symbols().stream())
        .sorted()
        .toList();
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
    String[] name = new String[1];
    return JCudaDriver.cuGetErrorName(code, name) == ResultCodes.SUCCESS ? name[0] : null;
  }

  @Override
  public String errorText(int code) {
    String[] text = new String[1];
    return JCudaDriver.cuGetErrorString(code, text) == ResultCodes.SUCCESS && text[0] != null
        ? text[0]
        : "";
  }

  // Through JCuda.

  int ctxPushCurrent(long context) {
    return JCudaDriver.cuCtxPushCurrent(Handles.set(ARGUMENTS.get().context, context));
  }

  int ctxPopCurrent() {
    return JCudaDriver.cuCtxPopCurrent(ARGUMENTS.get().context);
  }

  int ctxSetCurrent(long context) {
    return JCudaDriver.cuCtxSetCurrent(Handles.set(ARGUMENTS.get().context, context));
  }

  @Override
  public int streamSynchronize(long stream) {
    return JCudaDriver.cuStreamSynchronize(Handles.set(ARGUMENTS.get().stream, stream));
  }

  @Override
  public int streamQuery(long stream) {
    return JCudaDriver.cuStreamQuery(Handles.set(ARGUMENTS.get().stream, stream));
  }

  @Override
  public int streamWaitEvent(long stream, long event, int flags) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuStreamWaitEvent(
        Handles.set(own.stream, stream), Handles.set(own.event, event), flags);
  }

  @Override
  public int eventRecord(long event, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuEventRecord(
        Handles.set(own.event, event), Handles.set(own.stream, stream));
  }

  @Override
  public int eventQuery(long event) {
    return JCudaDriver.cuEventQuery(Handles.set(ARGUMENTS.get().event, event));
  }

  @Override
  public int eventSynchronize(long event) {
    return JCudaDriver.cuEventSynchronize(Handles.set(ARGUMENTS.get().event, event));
  }

  @Override
  public int mallocFromPoolAsync(long[] address, long bytes, long pool, long stream) {
    Arguments own = ARGUMENTS.get();
    int code =
        JCudaDriver.cuMemAllocFromPoolAsync(
            own.first, bytes, Handles.set(own.pool, pool), Handles.set(own.stream, stream));
    address[0] = Handles.get(own.first);
    return code;
  }

  @Override
  public int freeAsync(long address, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuMemFreeAsync(
        Handles.set(own.first, address), Handles.set(own.stream, stream));
  }

  @Override
  public int memcpyAsync(long target, long source, long bytes, int kind, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuMemcpyAsync(
        Handles.set(own.first, target),
        Handles.set(own.second, source),
        bytes,
        Handles.set(own.stream, stream));
  }

  @Override
  public int memcpyDtoDAsync(long target, long source, long bytes, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuMemcpyDtoDAsync(
        Handles.set(own.first, target),
        Handles.set(own.second, source),
        bytes,
        Handles.set(own.stream, stream));
  }

  @Override
  public int memsetD8Async(long target, byte value, long count, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuMemsetD8Async(
        Handles.set(own.first, target), value, count, Handles.set(own.stream, stream));
  }

  @Override
  public int memsetD16Async(long target, short value, long count, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuMemsetD16Async(
        Handles.set(own.first, target), value, count, Handles.set(own.stream, stream));
  }

  @Override
  public int memsetD32Async(long target, int value, long count, long stream) {
    Arguments own = ARGUMENTS.get();
    return JCudaDriver.cuMemsetD32Async(
        Handles.set(own.first, target), value, count, Handles.set(own.stream, stream));
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
    return JCudaDriver.cuLaunchKernel(
        Handles.set(own.kernel, kernel),
        groupsX,
        groupsY,
        groupsZ,
        itemsX,
        itemsY,
        itemsZ,
        sharedBytes,
        Handles.set(own.stream, stream),
        null,
        Handles.set(own.list, extra));
  }

  // Through JNA.

  /** Called in each transfer for users' memory. */
  native int pointerGetAttribute(long[] value, int attribute, long address);

  @Override
  public native int eventElapsedTime(float[] millis, long from, long to);

  @Override
  public native int memcpyHtoDAsync(long target, long source, long bytes, long stream);

  @Override
  public native int memcpyDtoHAsync(long target, long source, long bytes, long stream);
}
