package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;
import static org.jhal.hip.jna.HipRuntime.*;

import java.lang.System.Logger.Level;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.gpu.runtime.PinnedRanges;
import org.jhal.hip.jna.HipMemAccessDesc;
import org.jhal.hip.jna.HipMemPoolProps;
import org.jhal.hip.jna.hipEvent_t;
import org.jhal.hip.jna.hipFunction_t;
import org.jhal.hip.jna.hipMemPool_t;
import org.jhal.hip.jna.hipStream_t;
import org.jspecify.annotations.Nullable;

/**
 * An open device. It is the calling thread's current device only between {@link #bindToThread} and
 * {@link #unbindFromThread}, so a program that uses HIP itself is not disturbed. HIP keeps its
 * state of a device for the life of the process, so there is nothing to release at the end.
 *
 * <p>Thread-safe as {@link GpuRuntime} requires.
 */
final class HipDevice extends GpuRuntime<hipStream_t, hipEvent_t, hipFunction_t> {
  private static final int ALLOCATE_FLAGS =
      hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined;
  private static final int REGISTER_FLAGS = hipHostRegisterPortable | hipHostRegisterMapped;

  /** Each thread's array for results of calls; reusing it saves an array for each submission. */
  private static final ThreadLocal<int[]> OUT = ThreadLocal.withInitial(() -> new int[1]);

  private static final System.Logger LOG = System.getLogger(HipDevice.class.getName());
  private static final PinnedRanges PINNED = new PinnedRanges();
  private static final LaunchGate GATE = new LaunchGate();

  private final int ordinal;
  private final hipMemPool_t pool = new hipMemPool_t();
  private final HipLibrary library = HipLibrary.load();
  private final HipKernels kernels;
  private final @Nullable HipGraphs graphs;

  /**
   * Opens a device.
   *
   * @throws HalException UNIMPLEMENTED if it has no memory pools
   */
  HipDevice(GpuProperties properties) {
    super(HipResult.CODES, PINNED, GATE);
    ordinal = properties.ordinal();
    kernels = new HipKernels(this, properties);
    graphs = library.hasGraphs() ? new HipGraphs(this) : null;
    int[] hasPools = new int[1];
    check(
        "hipDeviceGetAttribute",
        hipDeviceGetAttribute(hasPools, hipDeviceAttributeMemoryPoolsSupported, ordinal));
    if (hasPools[0] == 0) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          properties.info().name() + " has no stream-ordered memory, which JHAL needs");
    }
  }

  /** Returns the thread's previous device, which {@link #unbindFromThread} restores. */
  @Override
  public long bindToThread() {
    int[] out = OUT.get();
    check("hipGetDevice", hipGetDevice(out));
    int before = out[0];
    if (before != ordinal) {
      check("hipSetDevice", hipSetDevice(ordinal));
    }
    return before;
  }

  /** A failure to restore the thread's previous device does not mean the loss of this one. */
  @Override
  public void unbindFromThread(long token) {
    if (token != ordinal) {
      int code = hipSetDevice((int) token);
      if (code != hipSuccess) {
        LOG.log(
            Level.WARNING,
            "device "
                + token
                + " cannot be made current again: hipSetDevice returned "
                + HipResult.CODES.describe(code));
      }
    }
  }

  @Override
  public void retain() {}

  @Override
  public void release() {}

  @Override
  public Object library() {
    return library;
  }

  /** Pools need it of their own: to them the access between devices does not extend. */
  @Override
  public void enableAccess(GpuRuntime<hipStream_t, hipEvent_t, hipFunction_t> owner) {
    HipDevice other = (HipDevice) owner;
    String what = "device " + ordinal + " gets no access to the memory of device " + other.ordinal;
    int code = hipDeviceEnablePeerAccess(other.ordinal, 0);
    if (code != hipSuccess && code != hipErrorPeerAccessAlreadyEnabled) {
      throw HipResult.CODES.failure("hipDeviceEnablePeerAccess", code, what);
    }
    code = hipMemPoolSetAccess(other.pool, HipMemAccessDesc.ofDevice(ordinal), 1);
    if (code != hipSuccess) {
      throw HipResult.CODES.failure("hipMemPoolSetAccess", code, what);
    }
  }

  @Override
  public WantedCollectives collectives() {
    return Rccl.wanted();
  }

  @Override
  public List<String> launchBlocking() {
    return List.of("HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING");
  }

  @Override
  public KernelLoader<?, hipFunction_t> kernels() {
    return kernels;
  }

  @Override
  public @Nullable GraphRuntime<hipStream_t, hipFunction_t> graphs() {
    return graphs;
  }

  // Streams.

  @Override
  protected hipStream_t createStream() {
    long[] out = new long[1];
    check("hipStreamCreateWithFlags", hipStreamCreateWithFlags(out, hipStreamNonBlocking));
    hipStream_t stream = new hipStream_t();
    stream.set(out[0]);
    return stream;
  }

  @Override
  protected void destroyStream(hipStream_t stream) {
    checkFreed("hipStreamDestroy", hipStreamDestroy(stream.take()));
  }

  @Override
  public void synchronizeStream(hipStream_t stream) {
    check("hipStreamSynchronize", hipStreamSynchronize(stream));
  }

  @Override
  public boolean isIdle(hipStream_t stream) {
    return isOver("hipStreamQuery", hipStreamQuery(stream));
  }

  private boolean isOver(String call, int code) {
    if (code == hipErrorNotReady) {
      return false;
    }
    check(call, code);
    return true;
  }

  // Events.

  @Override
  public hipEvent_t createEvent(boolean canSleep) {
    long[] out = new long[1];
    int flags = canSleep ? hipEventBlockingSync | hipEventDisableTiming : hipEventDisableTiming;
    check("hipEventCreateWithFlags", hipEventCreateWithFlags(out, flags));
    hipEvent_t event = new hipEvent_t();
    event.set(out[0]);
    return event;
  }

  @Override
  public hipEvent_t createTimingEvent() {
    long[] out = new long[1];
    check("hipEventCreateWithFlags", hipEventCreateWithFlags(out, hipEventDefault));
    hipEvent_t event = new hipEvent_t();
    event.set(out[0]);
    return event;
  }

  @Override
  public float elapsedMillis(hipEvent_t from, hipEvent_t to) {
    float[] millis = new float[1];
    check("hipEventElapsedTime", hipEventElapsedTime(millis, from, to));
    return millis[0];
  }

  @Override
  public void destroyEvent(hipEvent_t event) {
    checkFreed("hipEventDestroy", hipEventDestroy(event.take()));
  }

  @Override
  public void recordEvent(hipEvent_t event, hipStream_t stream) {
    check("hipEventRecord", hipEventRecord(event, stream));
  }

  @Override
  public void waitEvent(hipStream_t stream, hipEvent_t event) {
    check("hipStreamWaitEvent", hipStreamWaitEvent(stream, event, 0));
  }

  @Override
  public boolean queryEvent(hipEvent_t event) {
    return isOver("hipEventQuery", hipEventQuery(event));
  }

  @Override
  public void synchronizeEvent(hipEvent_t event) {
    check("hipEventSynchronize", hipEventSynchronize(event));
  }

  // Device memory.

  @Override
  public void createPool() {
    long[] value = new long[1];
    check("hipMemPoolCreate", hipMemPoolCreate(value, HipMemPoolProps.ofDevice(ordinal)));
    pool.set(value[0]);
    value[0] = -1L; // the largest threshold: the pool keeps everything
    int code = hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, value);
    if (code != hipSuccess) {
      destroyPool();
      throw failure("hipMemPoolSetAttribute", code, "");
    }
  }

  @Override
  public void destroyPool() {
    checkFreed("hipMemPoolDestroy", hipMemPoolDestroy(pool.take()));
  }

  /** A pool reuses freed memory only for allocations of nearly the same size, so it is trimmed. */
  @Override
  public void trimPool() {
    checkFreed("hipMemPoolTrimTo", hipMemPoolTrimTo(pool, 0));
  }

  @Override
  public long allocate(long bytes, hipStream_t stream) {
    long[] out = new long[1];
    int code = hipMallocFromPoolAsync(out, bytes, pool, stream);
    if (code != hipSuccess) {
      throw failure("hipMallocFromPoolAsync", code, "cannot allocate " + bytes + " bytes");
    }
    return out[0];
  }

  @Override
  public void free(long address, hipStream_t stream) {
    check("hipFreeAsync", hipFreeAsync(address, stream));
  }

  // Host memory.

  @Override
  protected void pageLock(long hostAddress, long bytes) {
    int code = hipHostRegister(hostAddress, bytes, REGISTER_FLAGS);
    if (code != hipSuccess) {
      throw failure("hipHostRegister", code, "cannot page-lock " + bytes + " bytes");
    }
  }

  @Override
  public void pageUnlock(long hostAddress) {
    checkFreed("hipHostUnregister", hipHostUnregister(hostAddress));
  }

  @Override
  protected long allocateHost(long bytes) {
    long[] out = new long[1];
    int code = hipHostMalloc(out, bytes, ALLOCATE_FLAGS);
    if (code != hipSuccess) {
      throw failure("hipHostMalloc", code, "cannot page-lock " + bytes + " bytes");
    }
    return out[0];
  }

  @Override
  public long deviceAddress(long hostAddress) {
    long[] out = new long[1];
    check("hipHostGetDevicePointer", hipHostGetDevicePointer(out, hostAddress, 0));
    return out[0];
  }

  @Override
  public void freeHost(long hostAddress) {
    checkFreed("hipHostFree", hipHostFree(hostAddress));
  }

  // Commands.

  @Override
  public void fill(hipStream_t stream, long target, int pattern, int patternBytes, long count) {
    switch (patternBytes) {
      case 1 -> check("hipMemsetD8Async", hipMemsetD8Async(target, (byte) pattern, count, stream));
      case 2 ->
          check("hipMemsetD16Async", hipMemsetD16Async(target, (short) pattern, count, stream));
      default -> check("hipMemsetD32Async", hipMemsetD32Async(target, pattern, count, stream));
    }
  }

  @Override
  public void copy(hipStream_t stream, long target, long source, long bytes) {
    check("hipMemcpyDtoDAsync", hipMemcpyDtoDAsync(target, source, bytes, stream));
  }

  @Override
  public void copyAcross(hipStream_t stream, long target, long source, long bytes) {
    check("hipMemcpyAsync", hipMemcpyAsync(target, source, bytes, hipMemcpyDefault, stream));
  }

  @Override
  public void copyToDevice(hipStream_t stream, long target, long hostAddress, long bytes) {
    check("hipMemcpyHtoDAsync", hipMemcpyHtoDAsync(target, hostAddress, bytes, stream));
  }

  @Override
  public void copyToHost(hipStream_t stream, long hostAddress, long source, long bytes) {
    check("hipMemcpyDtoHAsync", hipMemcpyDtoHAsync(hostAddress, source, bytes, stream));
  }

  @Override
  public void launch(
      hipStream_t stream,
      hipFunction_t kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments) {
    check(
        "hipModuleLaunchKernel",
        hipModuleLaunchKernel(
            kernel,
            groupsX,
            groupsY,
            groupsZ,
            size.x(),
            size.y(),
            size.z(),
            sharedBytes,
            stream,
            0,
            arguments));
  }

  @Override
  public long endOfLaunchList() {
    return HIP_LAUNCH_PARAM_END;
  }

  // The runtime beside JHAL.

  @Override
  public Object view() {
    return new HipNative(ordinal);
  }

  @Override
  public long streamHandle(hipStream_t stream) {
    return stream.get();
  }

  @Override
  public long eventHandle(hipEvent_t event) {
    return event.get();
  }

  @Override
  public void waitNative(hipStream_t stream, long event) {
    hipEvent_t imported = new hipEvent_t();
    imported.set(event);
    waitEvent(stream, imported);
  }

  @Override
  public void bindAgain() {
    check("hipSetDevice", hipSetDevice(ordinal));
  }

  @Override
  public boolean isCurrent() {
    int[] out = OUT.get();
    check("hipGetDevice", hipGetDevice(out));
    return out[0] == ordinal;
  }

  /** HIP always has a current device, so another one is made current. */
  @Override
  public boolean makeNoneCurrent() {
    int[] count = new int[1];
    check("hipGetDeviceCount", hipGetDeviceCount(count));
    if (count[0] < 2) {
      return false;
    }
    check("hipSetDevice", hipSetDevice((ordinal + 1) % count[0]));
    return true;
  }

  /** HIP cannot be asked about any address (see the package); this looks it up in its table. */
  @Override
  public void checkDeviceMemory(long address, long bytes) {
    long[] start = new long[1];
    long[] size = new long[1];
    if (hipMemGetAddressRange(start, size, address) != hipSuccess) {
      throw noDeviceMemory(address, bytes, "the runtime knows no allocation there");
    }
    checkRange(address, bytes, start[0], size[0]);
  }

  @Override
  public long allocateAlone(long bytes) {
    long[] out = new long[1];
    check("hipMalloc", hipMalloc(out, bytes));
    return out[0];
  }

  @Override
  public void freeAlone(long address) {
    checkFreed("hipFree", hipFree(address));
  }
}
