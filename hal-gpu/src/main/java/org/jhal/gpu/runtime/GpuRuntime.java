package org.jhal.gpu.runtime;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.ThreadBinding;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.WantedCollectives;
import org.jspecify.annotations.Nullable;

/**
 * The native calls on one open device. A driver implements them; each method maps to one or two
 * native calls. Addresses of host and device memory are numbers.
 *
 * <p>Failures are {@link HalException}s made by {@link #failure}, which remembers whether a result
 * code means the loss of the device. Methods that release something never throw: they use {@link
 * #checkFreed}.
 *
 * <p>Threads: the methods are called from any thread, with no lock held and, except for {@link
 * #retain} and {@link #release}, with the device bound to the thread ({@link #bindToThread}). Only
 * one thread at a time puts work into a stream. No handle is passed after it was destroyed.
 *
 * @param <S> the native stream, with anything that calls on it need
 * @param <E> the native event
 * @param <K> the native kernel
 */
public abstract class GpuRuntime<S, E, K> implements ThreadBinding {
  private static final System.Logger LOG = System.getLogger(GpuRuntime.class.getName());

  private final ResultCodes codes;
  private final PinnedRanges pinned;
  private final LaunchGate gate;

  /** The addresses of the ranges that this device has page-locked and not released. */
  private final Set<Long> ownPinned = ConcurrentHashMap.newKeySet();

  private volatile boolean isLost;

  /**
   * For subclasses.
   *
   * @param codes the meaning of the native result codes
   * @param pinned the ranges that all devices of the driver have page-locked
   * @param gate keeps apart what all devices of the driver launch and free
   */
  protected GpuRuntime(ResultCodes codes, PinnedRanges pinned, LaunchGate gate) {
    this.codes = codes;
    this.pinned = pinned;
    this.gate = gate;
  }

  /**
   * What calls have to go through that may wait until a device is idle. Those of this class that
   * are not final leave it to their callers.
   */
  public final LaunchGate gate() {
    return gate;
  }

  // Failures.

  /** Whether a call has returned an error after which all calls fail. */
  public final boolean isLost() {
    return isLost;
  }

  /** Throws the failure of a call unless {@code code} is success. */
  public final void check(String call, int code) {
    if (code != ResultCodes.SUCCESS) {
      throw failure(call, code, "");
    }
  }

  /** The failure of a call; see {@link ResultCodes#failure}. */
  public final HalException failure(String call, int code, String what) {
    HalException failure = codes.failure(call, code, what);
    if (failure.status() == Status.UNAVAILABLE) {
      isLost = true;
    }
    return failure;
  }

  /**
   * As {@link #check}, for a call that releases something. The failure is only logged, as nothing
   * else fails because of it. It is not logged for a lost device, which refuses such calls and
   * frees everything when it is released.
   */
  public final void checkFreed(String call, int code) {
    if (code != ResultCodes.SUCCESS) {
      HalException failure = failure(call, code, "");
      if (!isLost) {
        LOG.log(Level.WARNING, "something is not given back before its device ends", failure);
      }
    }
  }

  /**
   * Calls {@code body} with the device bound.
   *
   * @throws HalException what {@code body} throws; UNAVAILABLE if the device cannot be bound or
   *     unbound, which counts as its loss (rule Q7a)
   */
  public final void callBound(Runnable body) {
    long token = bindOrLose();
    try {
      body.run();
    } finally {
      unbindOrLose(token);
    }
  }

  private long bindOrLose() {
    try {
      return bindToThread();
    } catch (HalException e) {
      throw asLoss(e);
    }
  }

  private void unbindOrLose(long token) {
    try {
      unbindFromThread(token);
    } catch (HalException e) {
      throw asLoss(e);
    }
  }

  /** The failure of a call that means the loss of the device whatever its status. */
  public static HalException asLoss(HalException failure) {
    return failure.status() == Status.UNAVAILABLE
        ? failure
        : new HalException(Status.UNAVAILABLE, failure.getMessage(), failure);
  }

  /**
   * Calls {@code body}, which releases something, with the device bound. If that fails, the
   * device's end releases it. Never throws.
   */
  public final void giveBack(Runnable body) {
    try {
      long token = bindToThread();
      try {
        body.run();
      } finally {
        unbindFromThread(token);
      }
    } catch (Throwable t) { // no caller could handle it
      if (!isLost) {
        LOG.log(Level.WARNING, "something is not given back before its device ends", t);
      }
    }
  }

  // The device.

  /**
   * Takes a reference to the native device, which keeps its host memory valid; {@link #release}
   * drops it.
   */
  public abstract void retain();

  /** Drops a reference; opening the device took the first one. Never throws. */
  public abstract void release();

  /**
   * The native library that the process has loaded, always the same object. All devices with the
   * same one can wait for each other's events.
   */
  public abstract Object library();

  /**
   * Gives this device access to all memory that another one allocates for itself, now and later;
   * does nothing if it has access. Failures are not made by {@link #failure}, as they may tell of
   * the loss of the other device.
   *
   * @param owner another GPU of the same {@link #library}, and open
   */
  public abstract void enableAccess(GpuRuntime<S, E, K> owner);

  /** The library for collectives between devices of the driver; loaded for the first group. */
  public abstract WantedCollectives collectives();

  /**
   * The variables of the environment with which, unless they are 0, the runtime waits for each
   * kernel where it is launched.
   */
  public List<String> launchBlocking() {
    return List.of();
  }

  /** The loader of kernels for this device; always the same. */
  public abstract KernelLoader<?, K> kernels();

  /**
   * The calls on graphs, always the same, or null if the runtime has none that can be used; the
   * device's properties then say why.
   */
  public @Nullable GraphRuntime<S, K> graphs() {
    return null;
  }

  // Streams.

  /** Creates a stream that does not wait for any other stream. */
  public final S openStream() {
    return gate.call(this::createStream);
  }

  /** Destroys an idle stream from {@link #openStream}. Never throws. */
  public final void closeStream(S stream) {
    gate.run(() -> destroyStream(stream));
  }

  /** Creates a stream that does not wait for any other stream; may wait for the device. */
  protected abstract S createStream();

  /** Destroys an idle stream; may wait for the device. Never throws. */
  protected abstract void destroyStream(S stream);

  /** Waits until everything in the stream is over. */
  public abstract void synchronizeStream(S stream);

  /** Whether everything in the stream is over; does not wait. */
  public abstract boolean isIdle(S stream);

  // Events.

  /**
   * Creates an event without timing.
   *
   * @param canSleep whether {@link #synchronizeEvent} sleeps in the operating system rather than
   *     spins
   */
  public abstract E createEvent(boolean canSleep);

  /** Creates an event that keeps the time at which it fired. */
  public abstract E createTimingEvent();

  /**
   * The time from one timing event to another by the device's clock, in milliseconds; negative if
   * the second one fired first. Both have fired.
   */
  public abstract float elapsedMillis(E from, E to);

  /** Destroys an event. Never throws. */
  public abstract void destroyEvent(E event);

  /** Records an event, which fires when everything that is now in the stream is over. */
  public abstract void recordEvent(E event, S stream);

  /**
   * Makes work that is put into the stream later wait for the latest recording of the event, which
   * may be another device's of the same {@link #library}.
   */
  public abstract void waitEvent(S stream, E event);

  /** Whether the latest recording has fired; does not wait. */
  public abstract boolean queryEvent(E event);

  /** Waits until the latest recording has fired. */
  public abstract void synchronizeEvent(E event);

  // Device memory.

  /**
   * Creates the pool that {@link #allocate} uses. It belongs to this device alone, so that the
   * default pool keeps the settings that other users of the runtime expect. It keeps freed memory.
   */
  public abstract void createPool();

  /** Destroys the pool. Never throws. */
  public abstract void destroyPool();

  /**
   * Makes the pool return unused memory to the system, for runtimes that do not do so by themselves
   * before an allocation fails. Never throws.
   */
  public void trimPool() {}

  /** Allocates in the order of the stream; never waits for the device. */
  public abstract long allocate(long bytes, S stream);

  /** Frees in the order of the stream; never waits for the device. */
  public abstract void free(long address, S stream);

  // Host memory.

  /**
   * Page-locks host memory, for all devices; returns the device's address of it.
   *
   * @throws HalException FAILED_PRECONDITION if some of it is page-locked already
   */
  public final long register(long hostAddress, long bytes) {
    addPinned(hostAddress, bytes);
    try {
      gate.run(() -> pageLock(hostAddress, bytes));
    } catch (Throwable t) {
      forgetPinned(hostAddress);
      throw t;
    }
    try {
      return deviceAddress(hostAddress);
    } catch (Throwable t) {
      unregister(hostAddress);
      throw t;
    }
  }

  /** Ends a registration; may wait until the device is idle. Never throws. */
  public final void unregister(long hostAddress) {
    gate.run(() -> pageUnlock(hostAddress));
    forgetPinned(hostAddress);
  }

  private void addPinned(long hostAddress, long bytes) {
    pinned.add(hostAddress, bytes);
    ownPinned.add(hostAddress);
  }

  /**
   * Stops counting memory as page-locked, even if the runtime could not release it. Must be called
   * before the address can be used for other memory.
   */
  public final void forgetPinned(long hostAddress) {
    if (ownPinned.remove(hostAddress)) {
      pinned.remove(hostAddress);
    }
  }

  /**
   * Forgets everything that the device has page-locked and not released. Called when it is closed.
   */
  public final void forgetPinned() {
    ownPinned.forEach(this::forgetPinned);
  }

  /**
   * Page-locks host memory, for all devices.
   *
   * @throws HalException FAILED_PRECONDITION if the runtime can tell that somebody else has
   *     page-locked a part of it
   */
  protected abstract void pageLock(long hostAddress, long bytes);

  /** Undoes {@link #pageLock}; may wait until the device is idle. Never throws. */
  public abstract void pageUnlock(long hostAddress);

  /**
   * Allocates write-combined, page-locked host memory for the device; returns its host address. It
   * is released by {@link #forgetPinned(long)} and then {@link #freeHost}.
   */
  public final long allocatePinned(long bytes) {
    long address = gate.call(() -> allocateHost(bytes));
    addPinned(address, bytes);
    return address;
  }

  /**
   * Allocates write-combined, page-locked host memory, for all devices; returns its host address.
   */
  protected abstract long allocateHost(long bytes);

  /** The device's address of page-locked host memory. */
  public abstract long deviceAddress(long hostAddress);

  /** Frees memory from {@link #allocateHost}; may wait until the device is idle. Never throws. */
  public abstract void freeHost(long hostAddress);

  /** Whether the driver itself has page-locked all from {@code first} to {@code last}. */
  public final boolean hasPinned(long first, long last) {
    return pinned.contains(first, last);
  }

  /**
   * Whether host memory from {@code first} to {@code last}, inclusive, is page-locked as one range.
   */
  public final boolean isPinned(long first, long last) {
    return hasPinned(first, last) || isPinnedByOthers(first, last);
  }

  /**
   * As {@link #isPinned}, for memory that the driver has not page-locked itself. Only for runtimes
   * that can be asked about any address.
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
  public abstract void fill(S stream, long target, int pattern, int patternBytes, long count);

  /** Copies within the device's own memory. */
  public abstract void copy(S stream, long target, long source, long bytes);

  /**
   * Copies if one or both sides are page-locked host memory, or memory of another device to which
   * this one has access; both addresses are the device's.
   */
  public abstract void copyAcross(S stream, long target, long source, long bytes);

  /** Copies from page-locked memory, given by its host address, to device memory. */
  public abstract void copyToDevice(S stream, long target, long hostAddress, long bytes);

  /** Copies from device memory to page-locked memory, given by its host address. */
  public abstract void copyToHost(S stream, long hostAddress, long source, long bytes);

  /**
   * Runs a kernel.
   *
   * @param size work items of a workgroup along each axis
   * @param sharedBytes dynamic shared memory per workgroup
   * @param arguments the address of the list of packed arguments, which {@link #endOfLaunchList}
   *     ends; read before this returns
   */
  public abstract void launch(
      S stream,
      K kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      long arguments);

  // The runtime beside JHAL.

  /** What {@link org.jhal.Device#unwrap} offers of this driver. */
  public abstract Object view();

  /** The number that the runtime's own functions take for a stream. */
  public abstract long streamHandle(S stream);

  /** The number that the runtime's own functions take for an event. */
  public abstract long eventHandle(E event);

  /** Makes work that is put into the stream later wait for an event of the program. */
  public abstract void waitNative(S stream, long event);

  /**
   * Makes the device current again on a thread that it is bound to, whatever was made current
   * meanwhile.
   */
  public abstract void bindAgain();

  /** Whether the device is current on this thread. */
  public abstract boolean isCurrent();

  /**
   * Makes no device, or another one, current on this thread. Returns false if there is no way to.
   */
  public abstract boolean makeNoneCurrent();

  /**
   * Checks that memory can be imported.
   *
   * @throws HalException INVALID_ARGUMENT if the runtime can tell that the range is not in one
   *     allocation of this device
   */
  public abstract void checkDeviceMemory(long address, long bytes);

  /** Allocates outside of the pool; may wait for the device. */
  public abstract long allocateAlone(long bytes);

  /** Frees memory from {@link #allocateAlone}; may wait until the device is idle. */
  public abstract void freeAlone(long address);

  /** Checks that a range is in the allocation of {@code size} bytes at {@code start}. */
  protected final void checkRange(long address, long bytes, long start, long size) {
    long offset = address - start;
    if (offset < 0 || offset > size || bytes > size - offset) {
      throw noDeviceMemory(
          address,
          bytes,
          "the allocation there ends after " + Math.max(0, size - offset) + " bytes");
    }
  }

  /** The failure of {@link #checkDeviceMemory}. */
  protected final HalException noDeviceMemory(long address, long bytes, String reason) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        "cannot import "
            + bytes
            + " bytes at 0x"
            + Long.toHexString(address)
            + " as device memory: "
            + reason);
  }

  /** The word that ends the list of packed arguments of a launch. */
  public abstract long endOfLaunchList();
}
