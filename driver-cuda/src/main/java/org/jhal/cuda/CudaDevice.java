package org.jhal.cuda;

import com.sun.jna.Memory;
import java.util.List;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmemoryPool;
import jcuda.driver.JCudaDriver;
import org.jhal.Workgroups;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.gpu.runtime.PinnedRanges;
import org.jspecify.annotations.Nullable;

/**
 * An open device: its primary context. All users of the device in this process share that context:
 * those of the CUDA runtime, and other {@link CudaDevice}s. It is current on a thread only between
 * {@link #bindToThread} and {@link #unbindFromThread}, so a program that uses CUDA itself is not
 * disturbed.
 *
 * <p>cuMemFreeHost, cuMemHostUnregister and cuModuleUnload wait until the device is idle;
 * cuStreamDestroy does not.
 *
 * <p>Thread-safe as {@link GpuRuntime} requires.
 */
final class CudaDevice extends GpuRuntime<CudaStream, CUevent, CUfunction> {
  // From cuda.h: CU_STREAM_NON_BLOCKING, CU_EVENT_BLOCKING_SYNC and _DISABLE_TIMING,
  // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED, CU_MEMHOSTREGISTER_PORTABLE and
  // _DEVICEMAP.
  private static final int NON_BLOCKING = 1;
  private static final int BLOCKING_SYNC = 1;
  private static final int NO_TIME = 2;
  private static final int ALLOCATE_FLAGS = 1 | 2 | 4;
  private static final int REGISTER_FLAGS = 1 | 2;

  // Enum CUpointer_attribute, and the memory types CU_MEMORYTYPE_HOST and _DEVICE.
  private static final int MEMORY_TYPE = 2;
  private static final int BUFFER_ID = 7;
  private static final int DEVICE_ORDINAL = 9;
  private static final int HOST = 1;
  private static final int DEVICE = 2;

  // Struct CUmemPoolProps and enum CUmemPool_attribute.
  private static final int PROPERTIES_BYTES = 88;
  private static final int ALLOCATION_TYPE = 0; // offsets
  private static final int LOCATION_TYPE = 8;
  private static final int LOCATION_ID = 12;
  private static final int TYPE_PINNED = 1; // the type of all pools
  private static final int LOCATION_DEVICE = 1;
  private static final int RELEASE_THRESHOLD = 4;

  // Struct CUmemAccessDesc, which begins with a location, and enum CUmemAccess_flags.
  private static final int ACCESS_BYTES = 12;
  private static final int ACCESS_LOCATION_TYPE = 0; // offsets
  private static final int ACCESS_LOCATION_ID = 4;
  private static final int ACCESS_FLAGS = 8;
  private static final int READ_WRITE = 3;

  /** CU_LAUNCH_PARAM_END. */
  private static final long LAUNCH_LIST_END = 0;

  /** Receives the context that a pop returns; it is never read. */
  private static final CUcontext POPPED = new CUcontext();

  /** Each thread's object for the address in a call; reusing it saves an object for each call. */
  private static final ThreadLocal<CUdeviceptr> ADDRESS = ThreadLocal.withInitial(CUdeviceptr::new);

  private static final PinnedRanges PINNED = new PinnedRanges();
  private static final LaunchGate GATE = new LaunchGate();

  private final int ordinal;
  private final CUdevice device = new CUdevice();
  private final CUcontext context = new CUcontext();
  private final CUmemoryPool pool = new CUmemoryPool();
  private final CudaLibrary library = CudaLibrary.load();
  private final CudaKernels kernels;
  private final @Nullable CudaGraphs graphs;

  /** Opens a device. */
  CudaDevice(GpuProperties properties) {
    super(CudaResult.CODES, PINNED, GATE);
    ordinal = properties.ordinal();
    kernels = new CudaKernels(this, properties);
    check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
    check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    graphs = library.hasGraphs() ? new CudaGraphs(this, context) : null;
  }

  @Override
  public long bindToThread() {
    check("cuCtxPushCurrent", JCudaDriver.cuCtxPushCurrent(context));
    return 0;
  }

  @Override
  public void unbindFromThread(long token) {
    int code = JCudaDriver.cuCtxPopCurrent(POPPED);
    if (code != CudaResult.SUCCESS) {
      popAgain();
    }
    if (!isLost()) {
      check("cuCtxPopCurrent", code);
    }
  }

  /**
   * A pop that has failed may have left the context where it is. Then each further call of the
   * thread, which may be one of another device, would be a call for this device.
   */
  private void popAgain() {
    CUcontext current = new CUcontext();
    int code = JCudaDriver.cuCtxGetCurrent(current);
    if (code == CudaResult.SUCCESS && Handles.get(current) == Handles.get(context)) {
      int ignored = JCudaDriver.cuCtxPopCurrent(POPPED); // the first failure is told
    }
  }

  @Override
  public void retain() {
    check(
        "cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(new CUcontext(), device));
  }

  @Override
  public void release() {
    checkFreed("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device));
  }

  @Override
  public Object library() {
    return library;
  }

  /** Pools need it of their own: to them the access between contexts does not extend. */
  @Override
  public void enableAccess(GpuRuntime<CudaStream, CUevent, CUfunction> owner) {
    CudaDevice other = (CudaDevice) owner;
    String what = "device " + ordinal + " gets no access to the memory of device " + other.ordinal;
    int code = JCudaDriver.cuCtxEnablePeerAccess(other.context, 0);
    if (code != CudaResult.SUCCESS && code != CudaResult.PEER_ACCESS_ALREADY_ENABLED) {
      throw CudaResult.CODES.failure("cuCtxEnablePeerAccess", code, what);
    }
    Memory access = new Memory(ACCESS_BYTES);
    access.setInt(ACCESS_LOCATION_TYPE, LOCATION_DEVICE);
    access.setInt(ACCESS_LOCATION_ID, ordinal);
    access.setInt(ACCESS_FLAGS, READ_WRITE);
    code = CudaExtras.cuMemPoolSetAccess(Handles.get(other.pool), access, 1);
    if (code != CudaResult.SUCCESS) {
      throw CudaResult.CODES.failure("cuMemPoolSetAccess", code, what);
    }
  }

  @Override
  public WantedCollectives collectives() {
    return Nccl.wanted();
  }

  @Override
  public List<String> launchBlocking() {
    return List.of("CUDA_LAUNCH_BLOCKING");
  }

  @Override
  public KernelLoader<?, CUfunction> kernels() {
    return kernels;
  }

  @Override
  public @Nullable GraphRuntime<CudaStream, CUfunction> graphs() {
    return graphs;
  }

  // Streams.

  @Override
  protected CudaStream createStream() {
    CudaStream stream = new CudaStream();
    check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream.handle, NON_BLOCKING));
    return stream;
  }

  @Override
  protected void destroyStream(CudaStream stream) {
    checkFreed("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream.handle));
  }

  @Override
  public void synchronizeStream(CudaStream stream) {
    check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream.handle));
  }

  @Override
  public boolean isIdle(CudaStream stream) {
    return isOver("cuStreamQuery", JCudaDriver.cuStreamQuery(stream.handle));
  }

  private boolean isOver(String call, int code) {
    if (code == CudaResult.NOT_READY) {
      return false;
    }
    check(call, code);
    return true;
  }

  // Events.

  @Override
  public CUevent createEvent(boolean canSleep) {
    CUevent event = new CUevent();
    int flags = canSleep ? BLOCKING_SYNC | NO_TIME : NO_TIME;
    check("cuEventCreate", JCudaDriver.cuEventCreate(event, flags));
    return event;
  }

  @Override
  public CUevent createTimingEvent() {
    CUevent event = new CUevent();
    check("cuEventCreate", JCudaDriver.cuEventCreate(event, 0));
    return event;
  }

  @Override
  public float elapsedMillis(CUevent from, CUevent to) {
    float[] millis = new float[1];
    check("cuEventElapsedTime", JCudaDriver.cuEventElapsedTime(millis, from, to));
    return millis[0];
  }

  @Override
  public void destroyEvent(CUevent event) {
    checkFreed("cuEventDestroy", JCudaDriver.cuEventDestroy(event));
  }

  @Override
  public void recordEvent(CUevent event, CudaStream stream) {
    check("cuEventRecord", JCudaDriver.cuEventRecord(event, stream.handle));
  }

  @Override
  public void waitEvent(CudaStream stream, CUevent event) {
    check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(stream.handle, event, 0));
  }

  @Override
  public boolean queryEvent(CUevent event) {
    return isOver("cuEventQuery", JCudaDriver.cuEventQuery(event));
  }

  @Override
  public void synchronizeEvent(CUevent event) {
    check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(event));
  }

  // Device memory.

  @Override
  public void createPool() {
    Memory properties = new Memory(PROPERTIES_BYTES);
    properties.clear();
    properties.setInt(ALLOCATION_TYPE, TYPE_PINNED);
    properties.setInt(LOCATION_TYPE, LOCATION_DEVICE);
    properties.setInt(LOCATION_ID, ordinal);
    long[] value = new long[1];
    check("cuMemPoolCreate", CudaExtras.cuMemPoolCreate(value, properties));
    Handles.set(pool, value[0]);
    value[0] = -1L; // the largest threshold: the pool keeps everything
    int code = CudaExtras.cuMemPoolSetAttribute(Handles.get(pool), RELEASE_THRESHOLD, value);
    if (code != CudaResult.SUCCESS) {
      destroyPool();
      throw failure("cuMemPoolSetAttribute", code, "");
    }
  }

  @Override
  public void destroyPool() {
    checkFreed("cuMemPoolDestroy", CudaExtras.cuMemPoolDestroy(Handles.get(pool)));
  }

  @Override
  public long allocate(long bytes, CudaStream stream) {
    CUdeviceptr out = ADDRESS.get();
    int code = JCudaDriver.cuMemAllocFromPoolAsync(out, bytes, pool, stream.handle);
    if (code != CudaResult.SUCCESS) {
      throw failure("cuMemAllocFromPoolAsync", code, "cannot allocate " + bytes + " bytes");
    }
    return Handles.get(out);
  }

  @Override
  public void free(long address, CudaStream stream) {
    check(
        "cuMemFreeAsync",
        JCudaDriver.cuMemFreeAsync(Handles.set(ADDRESS.get(), address), stream.handle));
  }

  // Host memory.

  @Override
  protected void pageLock(long hostAddress, long bytes) {
    int code = CudaExtras.cuMemHostRegister_v2(hostAddress, bytes, REGISTER_FLAGS);
    if (code != CudaResult.SUCCESS) {
      throw failure("cuMemHostRegister", code, "cannot page-lock " + bytes + " bytes");
    }
  }

  @Override
  public void pageUnlock(long hostAddress) {
    checkFreed("cuMemHostUnregister", CudaExtras.cuMemHostUnregister(hostAddress));
  }

  @Override
  protected long allocateHost(long bytes) {
    long[] out = new long[1];
    int code = CudaExtras.cuMemHostAlloc(out, bytes, ALLOCATE_FLAGS);
    if (code != CudaResult.SUCCESS) {
      throw failure("cuMemHostAlloc", code, "cannot page-lock " + bytes + " bytes");
    }
    return out[0];
  }

  @Override
  public long deviceAddress(long hostAddress) {
    long[] out = new long[1];
    check(
        "cuMemHostGetDevicePointer", CudaExtras.cuMemHostGetDevicePointer_v2(out, hostAddress, 0));
    return out[0];
  }

  @Override
  public void freeHost(long hostAddress) {
    checkFreed("cuMemFreeHost", CudaExtras.cuMemFreeHost(hostAddress));
  }

  /**
   * Both ends must be in one allocation or registration, as a copy that crosses from one to another
   * is refused.
   */
  @Override
  protected boolean isPinnedByOthers(long first, long last) {
    long[] value = new long[1];
    if (!isKnown(value, MEMORY_TYPE, first) || value[0] != HOST) {
      return false;
    }
    if (!isKnown(value, BUFFER_ID, first)) {
      return false;
    }
    long id = value[0];
    return isKnown(value, BUFFER_ID, last) && value[0] == id;
  }

  private static boolean isKnown(long[] value, int attribute, long address) {
    value[0] = 0; // some attributes have fewer bytes
    return CudaExtras.cuPointerGetAttribute(value, attribute, address) == CudaResult.SUCCESS;
  }

  // Commands.

  @Override
  public void fill(CudaStream stream, long target, int pattern, int patternBytes, long count) {
    CUdeviceptr to = stream.first(target);
    switch (patternBytes) {
      case 1 ->
          check(
              "cuMemsetD8Async",
              JCudaDriver.cuMemsetD8Async(to, (byte) pattern, count, stream.handle));
      case 2 ->
          check(
              "cuMemsetD16Async",
              JCudaDriver.cuMemsetD16Async(to, (short) pattern, count, stream.handle));
      default ->
          check(
              "cuMemsetD32Async", JCudaDriver.cuMemsetD32Async(to, pattern, count, stream.handle));
    }
  }

  @Override
  public void copy(CudaStream stream, long target, long source, long bytes) {
    check(
        "cuMemcpyDtoDAsync",
        JCudaDriver.cuMemcpyDtoDAsync(
            stream.first(target), stream.second(source), bytes, stream.handle));
  }

  @Override
  public void copyAcross(CudaStream stream, long target, long source, long bytes) {
    check(
        "cuMemcpyAsync",
        JCudaDriver.cuMemcpyAsync(
            stream.first(target), stream.second(source), bytes, stream.handle));
  }

  @Override
  public void copyToDevice(CudaStream stream, long target, long hostAddress, long bytes) {
    check(
        "cuMemcpyHtoDAsync",
        CudaExtras.cuMemcpyHtoDAsync_v2(target, hostAddress, bytes, stream.address()));
  }

  @Override
  public void copyToHost(CudaStream stream, long hostAddress, long source, long bytes) {
    check(
        "cuMemcpyDtoHAsync",
        CudaExtras.cuMemcpyDtoHAsync_v2(hostAddress, source, bytes, stream.address()));
  }

  @Override
  public void launch(
      CudaStream stream,
      CUfunction kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments) {
    check(
        "cuLaunchKernel",
        JCudaDriver.cuLaunchKernel(
            kernel,
            groupsX,
            groupsY,
            groupsZ,
            size.x(),
            size.y(),
            size.z(),
            sharedBytes,
            stream.handle,
            null,
            stream.list(arguments)));
  }

  @Override
  public long endOfLaunchList() {
    return LAUNCH_LIST_END;
  }

  // The runtime beside JHAL.

  @Override
  public Object view() {
    return new CudaNative(Handles.get(context), ordinal);
  }

  @Override
  public long streamHandle(CudaStream stream) {
    return stream.address();
  }

  @Override
  public long eventHandle(CUevent event) {
    return Handles.get(event);
  }

  @Override
  public void waitNative(CudaStream stream, long event) {
    waitEvent(stream, Handles.set(new CUevent(), event));
  }

  /** Replaces the top of the thread's stack of contexts, which {@link #unbindFromThread} pops. */
  @Override
  public void bindAgain() {
    check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
  }

  @Override
  public boolean isCurrent() {
    CUcontext current = new CUcontext();
    check("cuCtxGetCurrent", JCudaDriver.cuCtxGetCurrent(current));
    return Handles.get(current) == Handles.get(context);
  }

  @Override
  public boolean makeNoneCurrent() {
    check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(new CUcontext()));
    return true;
  }

  @Override
  public void checkDeviceMemory(long address, long bytes) {
    long[] value = new long[1];
    if (!isKnown(value, MEMORY_TYPE, address) || value[0] != DEVICE) {
      throw noDeviceMemory(address, bytes, "the runtime knows no device memory there");
    }
    if (isKnown(value, DEVICE_ORDINAL, address) && value[0] != ordinal) {
      throw noDeviceMemory(address, bytes, "it belongs to device " + value[0]);
    }
    CUdeviceptr start = new CUdeviceptr();
    long[] size = new long[1];
    check(
        "cuMemGetAddressRange",
        JCudaDriver.cuMemGetAddressRange(start, size, Handles.set(new CUdeviceptr(), address)));
    checkRange(address, bytes, Handles.get(start), size[0]);
  }

  @Override
  public long allocateAlone(long bytes) {
    CUdeviceptr out = new CUdeviceptr();
    check("cuMemAlloc", JCudaDriver.cuMemAlloc(out, bytes));
    return Handles.get(out);
  }

  @Override
  public void freeAlone(long address) {
    checkFreed("cuMemFree", JCudaDriver.cuMemFree(Handles.set(new CUdeviceptr(), address)));
  }
}
