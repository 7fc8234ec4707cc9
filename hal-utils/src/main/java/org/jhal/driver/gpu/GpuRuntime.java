package org.jhal.driver.gpu;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.ThreadBinding;

/**
 * The native calls on one open device: what a driver maps, one method to one native call or two.
 * Addresses, of host and of device memory, are numbers.
 *
 * <p>Failures are {@link HalException}s made by {@link #failure}, so that a code which loses the
 * device is remembered. Methods that give something back never throw: they use {@link #checkFreed}.
 *
 * <p>Called from any thread, with the device bound to it ({@link #bindToThread}) but for {@link
 * #retain} and {@link #release}, and no lock held. What is put into one stream is put there by one
 * thread at a time. No handle is passed after it was destroyed.
 *
 * @param <S> a stream, and what calls on it need
 * @param <E> an event
 * @param <K> a kernel
 */
public abstract class GpuRuntime<S, E, K> implements ThreadBinding {
  private static final System.Logger LOG = System.getLogger(GpuRuntime.class.getName());

  private final ResultCodes codes;
  private final PinnedRanges pinned;

  /** The addresses of those that this device has made and not given back. */
  private final Set<Long> ownPinned = ConcurrentHashMap.newKeySet();

  private volatile boolean isLost;

  /**
   * For subclasses.
   *
   * @param codes what the native results mean
   * @param pinned what all devices of the driver have page-locked
   */
  protected GpuRuntime(ResultCodes codes, PinnedRanges pinned) {
    this.codes = codes;
    this.pinned = pinned;
  }

  // Failures.

  /** Whether a call has returned an error after which all fail. */
  public final boolean isLost() {
    return isLost;
  }

  /** Throws the failure of a call, if it is one. */
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
   * As {@link #check}, for a call that gives something back. Nothing else fails because of it, so
   * it is only logged; a lost device refuses it, and takes everything with it when it is released.
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
  final void callBound(Runnable body) {
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

  private static HalException asLoss(HalException failure) {
    return failure.status() == Status.UNAVAILABLE
        ? failure
        : new HalException(Status.UNAVAILABLE, failure.getMessage(), failure);
  }

  /**
   * Calls {@code body}, which gives something back, with the device bound; where that is not
   * possible, what it would give back goes with the device. Never throws.
   */
  final void giveBack(Runnable body) {
    try {
      long token = bindToThread();
      try {
        body.run();
      } finally {
        unbindFromThread(token);
      }
    } catch (Throwable t) { // nobody can do anything about it
      if (!isLost) {
        LOG.log(Level.WARNING, "something is not given back before its device ends", t);
      }
    }
  }

  // The device.

  /** Takes one more reference to what native memory needs, which one more release gives back. */
  protected abstract void retain();

  /** Gives a reference back, of which opening took the first. Never throws. */
  protected abstract void release();

  /** What loads kernels for it; always the same. */
  protected abstract KernelLoader<?, K> kernels();

  // Streams.

  /** A stream that waits for no other one. */
  protected abstract S createStream();

  /** Destroys a stream on which nothing runs any more. Never throws. */
  protected abstract void destroyStream(S stream);

  /** Waits until everything in the stream is over. */
  protected abstract void synchronizeStream(S stream);

  /** Whether everything in the stream is over; does not wait. */
  protected abstract boolean isIdle(S stream);

  // Events.

  /**
   * An event without a time.
   *
   * @param canSleep whether {@link #synchronizeEvent} sleeps in the system rather than spins
   */
  protected abstract E createEvent(boolean canSleep);

  /** Never throws. */
  protected abstract void destroyEvent(E event);

  /** The event fires when what the stream holds now is over. */
  protected abstract void recordEvent(E event, S stream);

  /** What is put into the stream later waits for the last recording of the event. */
  protected abstract void waitEvent(S stream, E event);

  /** Whether the last recording has fired; does not wait. */
  protected abstract boolean queryEvent(E event);

  /** Waits until the last recording has fired. */
  protected abstract void synchronizeEvent(E event);

  // Device memory.

  /**
   * Makes the pool that {@link #allocate} takes from: one of this device alone, so that the
   * settings of the default one stay what other users of the runtime expect. It keeps what is
   * freed.
   */
  protected abstract void createPool();

  /** Ends the pool. Never throws. */
  protected abstract void destroyPool();

  /**
   * Has the pool give back what nobody uses, where it would not do that by itself before it says
   * that there is no more memory. Never throws.
   */
  protected void trimPool() {}

  /** Allocates in the order of the stream; never waits for the device. */
  protected abstract long allocate(long bytes, S stream);

  /** Frees in the order of the stream; never waits for the device. */
  protected abstract void free(long address, S stream);

  // Host memory.

  /**
   * Page-locks host memory, for all devices; returns the device's address of it.
   *
   * @throws HalException FAILED_PRECONDITION if some of it is page-locked already
   */
  final long register(long hostAddress, long bytes) {
    addPinned(hostAddress, bytes);
    try {
      pageLock(hostAddress, bytes);
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
  final void unregister(long hostAddress) {
    pageUnlock(hostAddress);
    forgetPinned(hostAddress);
  }

  private void addPinned(long hostAddress, long bytes) {
    pinned.add(hostAddress, bytes);
    ownPinned.add(hostAddress);
  }

  /**
   * Does not count memory as page-locked any more, whether the runtime can be told or not. No other
   * memory may have got the address since it was.
   */
  final void forgetPinned(long hostAddress) {
    if (ownPinned.remove(hostAddress)) {
      pinned.remove(hostAddress);
    }
  }

  /** The same of all that the device has not given back, now that it is closed. */
  final void forgetPinned() {
    ownPinned.forEach(this::forgetPinned);
  }

  /**
   * Page-locks host memory, for all devices.
   *
   * @throws HalException FAILED_PRECONDITION if somebody else has page-locked a part of it, where
   *     the runtime can tell
   */
  protected abstract void pageLock(long hostAddress, long bytes);

  /** Undoes that; may wait until the device is idle. Never throws. */
  protected abstract void pageUnlock(long hostAddress);

  /**
   * Allocates write-combined, page-locked host memory for the device; returns where. It is given
   * back by {@link #forgetPinned(long)} and then {@link #freeHost}.
   */
  final long allocatePinned(long bytes) {
    long address = allocateHost(bytes);
    addPinned(address, bytes);
    return address;
  }

  /** Allocates write-combined, page-locked host memory, for all devices; returns where. */
  protected abstract long allocateHost(long bytes);

  /** The device's address of memory that is page-locked. */
  protected abstract long deviceAddress(long hostAddress);

  /** Frees memory from {@link #allocateHost}; may wait until the device is idle. Never throws. */
  protected abstract void freeHost(long hostAddress);

  /** Whether the driver itself has page-locked all from {@code first} to {@code last}. */
  final boolean hasPinned(long first, long last) {
    return pinned.contains(first, last);
  }

  /** Whether the device reaches the host's memory from {@code first} to {@code last} in one go. */
  final boolean isPinned(long first, long last) {
    return hasPinned(first, last) || isPinnedByOthers(first, last);
  }

  /**
   * As {@link #isPinned}, for memory that the driver has not page-locked itself. Only for runtimes
   * that can be asked of any address at all.
   */
  protected boolean isPinnedByOthers(long first, long last) {
    return false;
  }

  // Commands.

  /**
   * Writes a pattern again and again.
   *
   * @param patternBytes 1, 2 or 4
   * @param count how many times
   */
  protected abstract void fill(S stream, long target, int pattern, int patternBytes, long count);

  /** Copies within the device's memory. */
  protected abstract void copy(S stream, long target, long source, long bytes);

  /** Copies where either or both sides are page-locked host memory, at the device's address. */
  protected abstract void copyWithHost(S stream, long target, long source, long bytes);

  /** Copies from page-locked memory, at the host's address. */
  protected abstract void copyToDevice(S stream, long target, long hostAddress, long bytes);

  /** Copies to page-locked memory, at the host's address. */
  protected abstract void copyToHost(S stream, long hostAddress, long source, long bytes);

  /**
   * Runs a kernel.
   *
   * @param arguments packed; read before this returns
   */
  protected abstract void launch(
      S stream,
      K kernel,
      int groupsX,
      int groupsY,
      int groupsZ,
      Workgroups size,
      int sharedBytes,
      LaunchBuffer arguments);

  /** The word that ends the list of a {@link LaunchBuffer}. */
  protected abstract long endOfLaunchList();

  /** The address of a direct buffer's first byte, whatever its position. */
  static long address(ByteBuffer direct) {
    return com.sun.jna.Pointer.nativeValue(com.sun.jna.Native.getDirectBufferPointer(direct));
  }
}
