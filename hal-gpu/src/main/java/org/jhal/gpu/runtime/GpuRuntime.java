// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import com.sun.jna.Memory;
import org.jhal.HalException;
import org.jhal.QueueRequest.Priority;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.ResultCodes;
import org.jspecify.annotations.Nullable;

/**
 * The native calls on one open device; each method maps to one or two of them. Streams, events,
 * kernels and addresses are numbers. A driver adds the vendor's part.
 *
 * <p>Threads: the methods are called from any thread, with no lock held and, except for {@link
 * #retain} and {@link #release}, with the device bound to the thread ({@link #bindToThread}). Only
 * one thread at a time puts work into a stream. No handle is used after it was destroyed, since
 * some runtimes would end the process. So the owner of a handle sets it to 0 when it destroys it,
 * after all others that know the number. Destroying 0 is an error: as a stream it is the default
 * one.
 *
 * <p>Methods that are not final and may wait until a device is idle leave the {@link #gate} to
 * their callers.
 */
public abstract class GpuRuntime extends DeviceCalls {
  /** Each thread's array for results of calls, to save an array per allocation. */
  private static final ThreadLocal<long[]> OUT = ThreadLocal.withInitial(() -> new long[1]);

  /** The same for {@link #elapsedMillis}, which is called behind each measured operation. */
  private static final ThreadLocal<float[]> MILLIS = ThreadLocal.withInitial(() -> new float[1]);

  private final GpuApi api;
  private final GpuSetup setup;
  private final int ordinal;
  private final HostPinning pinning;

  private long pool; // 0 if there is none

  /**
   * For subclasses.
   *
   * @param ordinal the number of the device in the runtime
   * @param api the functions that operations call
   */
  protected GpuRuntime(int ordinal, GpuLibrary library, GpuApi api) {
    super(library, api);
    this.api = api;
    this.setup = setup();
    this.ordinal = ordinal;
    this.pinning = new HostPinning(this);
  }

  /** The number of the device in the runtime. */
  protected final int ordinal() {
    return ordinal;
  }

  // The device.

  /**
   * Takes a reference to the native device, which keeps its host memory valid. Does nothing in
   * runtimes that keep devices for the life of the process.
   */
  public void retain() {}

  /** Drops a reference; opening the device took the first one. Never throws. */
  public void release() {}

  /**
   * Gives this device access to all memory that another one allocates for itself, now and later;
   * does nothing if it has access. Never marks this device as lost, as the other one may be.
   *
   * @param owner another GPU of the same {@link #library}, and open
   */
  public final void enableAccess(GpuRuntime owner) {
    String what = "device " + ordinal + " gets no access to the memory of device " + owner.ordinal;
    int code = enablePeerAccess(owner);
    if (code != ResultCodes.SUCCESS && code != GpuApi.PEER_ACCESS_ALREADY_ENABLED) {
      throw library().vendor().codes().failure("deviceEnablePeerAccess", code, what);
    }
    // Pools need peer access enabled separately.
    code = setup.memPoolSetAccess(owner.pool, readWriteAccess(), 1);
    if (code != ResultCodes.SUCCESS) {
      throw library().vendor().codes().failure("memPoolSetAccess", code, what);
    }
  }

  /** Gives this device access to another one's memory outside of pools. Returns the result code. */
  protected abstract int enablePeerAccess(GpuRuntime owner);

  /** Makes the loader of kernels for this device. */
  public abstract KernelLoader makeKernels(GpuProperties device);

  /** Makes the calls on graphs. Called only if {@link GpuLibrary#hasGraphs}. */
  public abstract GraphRuntime makeGraphs();

  /**
   * Prepares to divide the device's compute units.
   *
   * @return null if the runtime cannot; {@link #noSplit} says why
   */
  public @Nullable ComputeSplit makeSplit() {
    return null;
  }

  /** Why the compute units cannot be divided, for users. */
  public String noSplit() {
    return "the driver divides no compute units of " + library().vendor().runtime();
  }

  // Streams.

  /** Creates a stream that does not wait for any other stream. */
  public final long openStream() {
    return gate()
        .call(
            () -> {
              long[] out = new long[1];
              check(
                  "streamCreateWithFlags",
                  setup.streamCreateWithFlags(out, GpuApi.STREAM_NON_BLOCKING));
              return out[0];
            });
  }

  /**
   * As {@link #openStream()}, with a priority.
   *
   * @param priority the runtime's number: lower ones are preferred, and 0 is that of other streams
   */
  public final long openStream(int priority) {
    return gate()
        .call(
            () -> {
              long[] out = new long[1];
              check(
                  "streamCreateWithPriority",
                  setup.streamCreateWithPriority(out, GpuApi.STREAM_NON_BLOCKING, priority));
              return out[0];
            });
  }

  /** The runtime's number for the nearest priority that the device has. */
  public final int priority(Priority wanted) {
    if (wanted == Priority.NORMAL) {
      return 0;
    }
    int[] least = new int[1];
    int[] greatest = new int[1];
    check("streamPriorityRange", setup.streamPriorityRange(least, greatest));
    return wanted == Priority.LOW ? Math.max(0, least[0]) : Math.min(0, greatest[0]);
  }

  /**
   * Destroys an idle stream from {@link #openStream}.
   *
   * @throws IllegalStateException if it is 0; otherwise it never throws
   */
  public final void closeStream(long stream) {
    long ended = existing("stream", stream);
    gate().run(() -> checkFreed("streamDestroy", setup.streamDestroy(ended)));
  }

  private static long existing(String what, long handle) {
    if (handle == 0) {
      throw new IllegalStateException("the " + what + " to be destroyed is null");
    }
    return handle;
  }

  /** Waits until the stream is idle. */
  public final void synchronizeStream(long stream) {
    check("streamSynchronize", api.streamSynchronize(stream));
  }

  /** Whether the stream is idle; does not wait. */
  public final boolean isIdle(long stream) {
    return isOver("streamQuery", api.streamQuery(stream));
  }

  private boolean isOver(String function, int code) {
    if (code == GpuApi.NOT_READY) {
      return false;
    }
    check(function, code);
    return true;
  }

  // Events.

  /**
   * Creates an event without timing.
   *
   * @param canSleep whether {@link #synchronizeEvent} sleeps rather than spins
   */
  public final long createEvent(boolean canSleep) {
    return createEvent(
        canSleep
            ? GpuApi.EVENT_BLOCKING_SYNC | GpuApi.EVENT_DISABLE_TIMING
            : GpuApi.EVENT_DISABLE_TIMING);
  }

  /** Creates an event that keeps the time at which it fired. */
  public final long createTimingEvent() {
    return createEvent(GpuApi.EVENT_DEFAULT);
  }

  private long createEvent(int flags) {
    long[] out = new long[1];
    check("eventCreateWithFlags", setup.eventCreateWithFlags(out, flags));
    return out[0];
  }

  /**
   * The time from one timing event to another by the device's clock, in milliseconds; negative if
   * the second one fired first. Both have fired.
   */
  public final float elapsedMillis(long from, long to) {
    float[] millis = MILLIS.get();
    check("eventElapsedTime", api.eventElapsedTime(millis, from, to));
    return millis[0];
  }

  /**
   * Destroys an event.
   *
   * @throws IllegalStateException if it is 0; otherwise it never throws
   */
  public final void destroyEvent(long event) {
    checkFreed("eventDestroy", setup.eventDestroy(existing("event", event)));
  }

  /** Records an event, which fires behind the present work in the stream. */
  public final void recordEvent(long event, long stream) {
    check("eventRecord", api.eventRecord(event, stream));
  }

  /**
   * Makes work that is put into the stream later wait for the latest recording of the event, which
   * may be another device's of the same {@link #library}, or the program's own.
   */
  public final void waitEvent(long stream, long event) {
    check("streamWaitEvent", api.streamWaitEvent(stream, event, 0));
  }

  /** Whether the latest recording has fired; does not wait. */
  public final boolean queryEvent(long event) {
    return isOver("eventQuery", api.eventQuery(event));
  }

  /** Waits until the latest recording has fired. */
  public final void synchronizeEvent(long event) {
    check("eventSynchronize", api.eventSynchronize(event));
  }

  // Device memory.

  /**
   * Creates the pool of {@link #allocate}, which keeps freed memory. It belongs to this device
   * alone, so that the default pool keeps its settings for other users of the runtime.
   */
  public final void createPool() {
    long[] value = new long[1];
    check("memPoolCreate", setup.memPoolCreate(value, poolProperties()));
    pool = value[0];
    value[0] = -1L; // the largest threshold: the pool keeps everything
    int code = setup.memPoolSetAttribute(pool, GpuSetup.POOL_RELEASE_THRESHOLD, value);
    if (code != ResultCodes.SUCCESS) {
      destroyPool();
      throw failure("memPoolSetAttribute", code, "");
    }
  }

  private Memory poolProperties() {
    Memory properties = new Memory(GpuSetup.POOL_BYTES);
    properties.clear();
    properties.setInt(GpuSetup.POOL_ALLOCATION_TYPE, GpuSetup.POOL_TYPE_PINNED);
    properties.setInt(GpuSetup.POOL_LOCATION_TYPE, GpuSetup.POOL_LOCATION_DEVICE);
    properties.setInt(GpuSetup.POOL_LOCATION_ID, ordinal);
    return properties;
  }

  private Memory readWriteAccess() {
    Memory access = new Memory(GpuSetup.ACCESS_BYTES);
    access.setInt(GpuSetup.ACCESS_LOCATION_TYPE, GpuSetup.POOL_LOCATION_DEVICE);
    access.setInt(GpuSetup.ACCESS_LOCATION_ID, ordinal);
    access.setInt(GpuSetup.ACCESS_FLAGS, GpuSetup.ACCESS_READ_WRITE);
    return access;
  }

  /**
   * Destroys the pool.
   *
   * @throws IllegalStateException if there is none; otherwise it never throws
   */
  public final void destroyPool() {
    long ended = existing("pool", pool);
    pool = 0;
    checkFreed("memPoolDestroy", setup.memPoolDestroy(ended));
  }

  /** The pool; 0 if there is none. */
  protected final long pool() {
    return pool;
  }

  /**
   * Makes the pool return unused memory to the system, for runtimes that do not do so before an
   * allocation fails. Never throws.
   */
  public void trimPool() {}

  /** Allocates in the order of the stream; never waits for the device. */
  public final long allocate(long bytes, long stream) {
    long[] out = OUT.get();
    int code = api.mallocFromPoolAsync(out, bytes, pool, stream);
    if (code != ResultCodes.SUCCESS) {
      throw failure("mallocFromPoolAsync", code, "cannot allocate " + bytes + " bytes");
    }
    return out[0];
  }

  /** Frees in the order of the stream; never waits for the device. */
  public final void free(long address, long stream) {
    check("freeAsync", api.freeAsync(address, stream));
  }

  // Host memory.

  /** Page-locks host memory. */
  public final HostPinning pinning() {
    return pinning;
  }

  /**
   * Whether host memory from {@code first} to {@code last}, inclusive, is page-locked as one range.
   */
  public final boolean isPinned(long first, long last) {
    return pinning.has(first, last) || isPinnedByOthers(first, last);
  }

  /**
   * As {@link #isPinned}, for memory that the driver has not page-locked. Only for runtimes that
   * can be asked about any address.
   */
  protected boolean isPinnedByOthers(long first, long last) {
    return false;
  }

  // Commands.

  /**
   * Writes a pattern repeatedly.
   *
   * @param patternBytes its length: 1, 2 or 4
   * @param count how many times
   */
  public final void fill(long stream, long target, int pattern, int patternBytes, long count) {
    switch (patternBytes) {
      case 1 -> check("memsetD8Async", api.memsetD8Async(target, (byte) pattern, count, stream));
      case 2 -> check("memsetD16Async", api.memsetD16Async(target, (short) pattern, count, stream));
      default -> check("memsetD32Async", api.memsetD32Async(target, pattern, count, stream));
    }
  }

  /** Copies within the device's own memory. */
  public final void copy(long stream, long target, long source, long bytes) {
    check("memcpyDtoDAsync", api.memcpyDtoDAsync(target, source, bytes, stream));
  }

  /**
   * Copies if one or both sides are page-locked host memory, or memory of another device to which
   * this one has access; both addresses are the device's.
   */
  public final void copyAcross(long stream, long target, long source, long bytes) {
    check("memcpyAsync", copyAnywhere(target, source, bytes, stream));
  }

  /** A copy whose direction follows from the addresses. Returns the result code. */
  protected abstract int copyAnywhere(long target, long source, long bytes, long stream);

  /** Copies from page-locked memory, given by its host address, to device memory. */
  public final void copyToDevice(long stream, long target, long hostAddress, long bytes) {
    check("memcpyHtoDAsync", api.memcpyHtoDAsync(target, hostAddress, bytes, stream));
  }

  /** Copies from device memory to page-locked memory, given by its host address. */
  public final void copyToHost(long stream, long hostAddress, long source, long bytes) {
    check("memcpyDtoHAsync", api.memcpyDtoHAsync(hostAddress, source, bytes, stream));
  }

  /**
   * Runs a kernel.
   *
   * @param size work items of a workgroup along each axis
   * @param sharedBytes dynamic shared memory per workgroup
   * @param arguments the address of the list of packed arguments, which is read before this returns
   */
  public final void launch(
      long stream,
      long kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments) {
    check(
        "moduleLaunchKernel",
        api.moduleLaunchKernel(
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

  // The runtime beside JHAL.

  /** The object that {@link org.jhal.Device#unwrap} offers. */
  public abstract Object view();

  /** Makes the device current again on a thread that it is bound to. */
  public abstract void bindAgain();

  /** Whether the device is current on this thread. */
  public abstract boolean isCurrent();

  /**
   * Makes no device, or another one, current on this thread. Returns false if that is impossible.
   */
  public abstract boolean makeNoneCurrent();

  /**
   * Checks that memory can be imported.
   *
   * @throws HalException INVALID_ARGUMENT if the runtime finds that the range is not in one
   *     allocation of this device
   */
  public final void checkDeviceMemory(long address, long bytes) {
    String obstacle = noOwnMemory(address);
    long[] start = new long[1];
    long[] size = new long[1];
    if (obstacle == null && setup.memGetAddressRange(start, size, address) != ResultCodes.SUCCESS) {
      obstacle = "the runtime knows no allocation there";
    }
    long end = start[0] + size[0] - address; // where the allocation ends, from the address on
    if (obstacle == null && (address < start[0] || bytes > end)) {
      obstacle = "the allocation there ends after " + Math.max(0, end) + " bytes";
    }
    if (obstacle != null) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "cannot import %s bytes at 0x%s as device memory: %s"
              .formatted(bytes, Long.toHexString(address), obstacle));
    }
  }

  /**
   * Why an address is not one of this device's memory; null if it is. Only for runtimes that can be
   * asked about any address.
   */
  protected @Nullable String noOwnMemory(long address) {
    return null;
  }

  /** Allocates outside of the pool; may wait for the device. */
  public final long allocateAlone(long bytes) {
    long[] out = new long[1];
    check("malloc", setup.malloc(out, bytes));
    return out[0];
  }

  /** Frees memory from {@link #allocateAlone}; may wait until the device is idle. */
  public final void freeAlone(long address) {
    checkFreed("free", setup.free(address));
  }
}
