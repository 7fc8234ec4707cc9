// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.lang.System.Logger.Level;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.ShortBuffer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jhal.spi.DurationText;
import org.jhal.spi.HostRange;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;

/**
 * A range of host memory that an upload reads or a readback writes: an array or a part of one, or a
 * buffer, direct or on the heap. In a device buffer, the elements of an array or of a typed buffer
 * have native byte order, whatever the typed buffer's own order is.
 *
 * <p>The memory is borrowed, not copied (rule Q2), from the call that enqueues the operation until
 * nothing reads or writes the memory for that operation any more. Until then, the caller must not
 * write the source of an upload, and must neither read nor write the target of a readback. If the
 * operation succeeds, the borrow ends before the operation raises its signals. If another signal
 * raised the timeline earlier, or if the signals fail, the device may use the memory for longer;
 * {@link #isBorrowed} reports whether it does, {@link #awaitFree} waits until it does not, and
 * {@link #onFree} calls back then. Each object counts only the operations that it was passed to,
 * not those of other objects over the same memory.
 *
 * <p>The range is fixed when the object is created; moving the position of the buffer later changes
 * nothing.
 *
 * <p>The methods are thread-safe; access to the bytes is not.
 */
public final class HostMemory {
  /** How long a waiting thread parks at most before it checks the state itself. */
  private static final long LOOK_NANOS = 1_000_000_000;

  private static final System.Logger LOG = System.getLogger(HostMemory.class.getName());

  private final HostRange range;
  private final long size;
  private int borrowers; // number of operations that may use the memory; guarded by this

  private @Nullable Runnable watcher; // see watch(); guarded by this

  // Called in this order when borrowers reaches 0; null if there are none. Guarded by this.
  private @Nullable Set<Listener> listeners;

  private HostMemory(Buffer view, int elementBytes) {
    this(new BufferRange(view, elementBytes));
  }

  private HostMemory(HostRange range) {
    this.range = range;
    this.size = range.size();
  }

  /**
   * Returns host memory of another kind, such as that of {@code hal-segments}. It may be larger
   * than an array.
   *
   * @throws HalException OUT_OF_RANGE if its size is negative
   */
  public static HostMemory of(HostRange range) {
    long size = Objects.requireNonNull(range, "range").size();
    if (size < 0) {
      throw new HalException(Status.OUT_OF_RANGE, "a range of host memory has size " + size);
    }
    return new HostMemory(range);
  }

  /**
   * Returns host memory for the bytes from the position to the limit of {@code bytes}. Threads of
   * the device access them, so an operation on a view of a memory segment that is confined to one
   * thread fails with ABORTED.
   */
  public static HostMemory of(ByteBuffer bytes) {
    Objects.requireNonNull(bytes, "bytes");
    return new HostMemory(bytes.slice().order(ByteOrder.nativeOrder()), 1);
  }

  /** Returns host memory for the elements from the position to the limit of {@code elements}. */
  public static HostMemory of(ShortBuffer elements) {
    Objects.requireNonNull(elements, "elements");
    return new HostMemory(elements.slice(), 2);
  }

  /** Returns host memory for the elements from the position to the limit of {@code elements}. */
  public static HostMemory of(IntBuffer elements) {
    Objects.requireNonNull(elements, "elements");
    return new HostMemory(elements.slice(), 4);
  }

  /** Returns host memory for the elements from the position to the limit of {@code elements}. */
  public static HostMemory of(LongBuffer elements) {
    Objects.requireNonNull(elements, "elements");
    return new HostMemory(elements.slice(), 8);
  }

  /** Returns host memory for the elements from the position to the limit of {@code elements}. */
  public static HostMemory of(FloatBuffer elements) {
    Objects.requireNonNull(elements, "elements");
    return new HostMemory(elements.slice(), 4);
  }

  /** Returns host memory for the elements from the position to the limit of {@code elements}. */
  public static HostMemory of(DoubleBuffer elements) {
    Objects.requireNonNull(elements, "elements");
    return new HostMemory(elements.slice(), 8);
  }

  /** Returns host memory for all of {@code array}. */
  public static HostMemory of(byte[] array) {
    Objects.requireNonNull(array, "array");
    return of(array, 0, array.length);
  }

  /**
   * Returns host memory for {@code length} elements of {@code array}, from index {@code from} on.
   *
   * @throws HalException OUT_OF_RANGE if they do not lie within the array
   */
  public static HostMemory of(byte[] array, int from, int length) {
    checkRange(from, length, Objects.requireNonNull(array, "array").length);
    return new HostMemory(
        ByteBuffer.wrap(array, from, length).slice().order(ByteOrder.nativeOrder()), 1);
  }

  /** Returns host memory for all of {@code array}. */
  public static HostMemory of(short[] array) {
    Objects.requireNonNull(array, "array");
    return of(array, 0, array.length);
  }

  /**
   * Returns host memory for {@code length} elements of {@code array}, from index {@code from} on.
   *
   * @throws HalException OUT_OF_RANGE if they do not lie within the array
   */
  public static HostMemory of(short[] array, int from, int length) {
    checkRange(from, length, Objects.requireNonNull(array, "array").length);
    return new HostMemory(ShortBuffer.wrap(array, from, length).slice(), 2);
  }

  /** Returns host memory for all of {@code array}. */
  public static HostMemory of(int[] array) {
    Objects.requireNonNull(array, "array");
    return of(array, 0, array.length);
  }

  /**
   * Returns host memory for {@code length} elements of {@code array}, from index {@code from} on.
   *
   * @throws HalException OUT_OF_RANGE if they do not lie within the array
   */
  public static HostMemory of(int[] array, int from, int length) {
    checkRange(from, length, Objects.requireNonNull(array, "array").length);
    return new HostMemory(IntBuffer.wrap(array, from, length).slice(), 4);
  }

  /** Returns host memory for all of {@code array}. */
  public static HostMemory of(long[] array) {
    Objects.requireNonNull(array, "array");
    return of(array, 0, array.length);
  }

  /**
   * Returns host memory for {@code length} elements of {@code array}, from index {@code from} on.
   *
   * @throws HalException OUT_OF_RANGE if they do not lie within the array
   */
  public static HostMemory of(long[] array, int from, int length) {
    checkRange(from, length, Objects.requireNonNull(array, "array").length);
    return new HostMemory(LongBuffer.wrap(array, from, length).slice(), 8);
  }

  /** Returns host memory for all of {@code array}. */
  public static HostMemory of(float[] array) {
    Objects.requireNonNull(array, "array");
    return of(array, 0, array.length);
  }

  /**
   * Returns host memory for {@code length} elements of {@code array}, from index {@code from} on.
   *
   * @throws HalException OUT_OF_RANGE if they do not lie within the array
   */
  public static HostMemory of(float[] array, int from, int length) {
    checkRange(from, length, Objects.requireNonNull(array, "array").length);
    return new HostMemory(FloatBuffer.wrap(array, from, length).slice(), 4);
  }

  /** Returns host memory for all of {@code array}. */
  public static HostMemory of(double[] array) {
    Objects.requireNonNull(array, "array");
    return of(array, 0, array.length);
  }

  /**
   * Returns host memory for {@code length} elements of {@code array}, from index {@code from} on.
   *
   * @throws HalException OUT_OF_RANGE if they do not lie within the array
   */
  public static HostMemory of(double[] array, int from, int length) {
    checkRange(from, length, Objects.requireNonNull(array, "array").length);
    return new HostMemory(DoubleBuffer.wrap(array, from, length).slice(), 8);
  }

  private static void checkRange(int from, int length, int size) {
    if (from < 0 || length < 0 || from > size - length) {
      throw new HalException(
          Status.OUT_OF_RANGE, length + " elements from index " + from + " of an array of " + size);
    }
  }

  /** Returns the size of the range in bytes. */
  public long size() {
    return size;
  }

  // Borrowing.

  /** Returns whether an operation may still read or write the memory. */
  public boolean isBorrowed() {
    boolean isFree = isFree();
    if (isFree) {
      seenFree();
    }
    return !isFree;
  }

  private synchronized boolean isFree() {
    return borrowers == 0;
  }

  /**
   * Waits until no operation uses the memory. Returns immediately if none does, also in a thread
   * that is interrupted.
   *
   * @throws HalException FAILED_PRECONDITION on a thread that must not wait, as {@link
   *     TimelineSemaphore#await}
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  public void awaitFree() throws InterruptedException {
    await(null);
  }

  /**
   * Waits until no operation uses the memory, for at most {@code timeout}; if that is zero or less,
   * only checks.
   *
   * @throws HalException DEADLINE_EXCEEDED if the memory is still in use when the time is up;
   *     FAILED_PRECONDITION on a thread that must not wait, unless this only checks
   * @throws InterruptedException if the thread is interrupted; nothing stays registered
   */
  public void awaitFree(Duration timeout) throws InterruptedException {
    await(Objects.requireNonNull(timeout, "timeout"));
  }

  private void await(@Nullable Duration timeout) throws InterruptedException {
    if (timeout == null || FenceWait.isPositive(timeout)) {
      HostWaits.check();
    }
    long start = System.nanoTime();
    long limit = timeout == null ? Long.MAX_VALUE : FenceWait.saturatedNanos(timeout);
    AtomicBoolean isFree = new AtomicBoolean();
    Thread waiter = Thread.currentThread();
    Registration registration =
        onFree(
            () -> {
              isFree.set(true);
              LockSupport.unpark(waiter);
            });
    try {
      while (!isFree.get() && isBorrowed()) { // either notes that it was seen
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        long left = limit - (System.nanoTime() - start);
        if (left <= 0) {
          throw new HalException(
              Status.DEADLINE_EXCEEDED,
              (timeout == null || limit == 0 ? "" : "waited " + DurationText.of(timeout) + "; ")
                  + this
                  + " is not free");
        }
        LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
      }
    } finally {
      registration.cancel();
    }
  }

  /**
   * Calls {@code callback} once: when no operation uses the memory any more, or immediately, on
   * this thread, if none does now. Like callbacks of semaphores, it may signal, fail and enqueue,
   * but must not block or close a device (rule S7). An exception that it throws is logged and
   * dropped.
   *
   * @return the registration, which can cancel the callback
   */
  public Registration onFree(Runnable callback) {
    Listener listener = new Listener(Objects.requireNonNull(callback, "callback"));
    synchronized (this) {
      if (borrowers > 0) {
        if (listeners == null) {
          listeners = new LinkedHashSet<>();
        }
        listeners.add(listener);
        return () -> remove(listener);
      }
    }
    listener.run();
    return () -> false;
  }

  private synchronized boolean remove(Listener listener) {
    if (listeners == null || !listeners.remove(listener)) {
      return false;
    }
    if (listeners.isEmpty()) {
      listeners = null;
    }
    return true;
  }

  /**
   * For engines: has {@code watcher} called whenever the program has seen that no operation uses
   * the memory, before the program goes on, on any thread and with no lock held. It replaces an
   * earlier one.
   */
  public synchronized void watch(Runnable watcher) {
    this.watcher = Objects.requireNonNull(watcher, "watcher");
  }

  private void seenFree() {
    Runnable told;
    synchronized (this) {
      told = watcher;
    }
    if (told != null) {
      told.run();
    }
  }

  /** For engines: marks the memory as used by an operation, until the returned borrow has ended. */
  public synchronized Borrow borrow() {
    Borrow made = new Borrow(); // first, because this may throw
    borrowers++;
    return made;
  }

  /**
   * For engines: one operation's use of the memory.
   *
   * <p>Thread-safe: several threads may end it. Once any of these calls has returned, it has ended.
   */
  public final class Borrow {
    private boolean hasEnded; // guarded by the memory

    private Borrow() {}

    /**
     * Ends the borrow: the operation does not use the memory any more. If it was the last one, this
     * runs the callbacks of {@link #onFree}, so call it with no lock held.
     */
    public void end() {
      end(Runnable::run);
    }

    /** Returns the memory. */
    public HostMemory memory() {
      return HostMemory.this;
    }

    /** Returns whether it has ended. */
    public boolean hasEnded() {
      synchronized (HostMemory.this) {
        return hasEnded;
      }
    }

    /**
     * As {@link #end()}, but has {@code executor} run the callbacks, in one task, if there are any.
     */
    public void end(Executor executor) {
      Set<Listener> freed = null;
      synchronized (HostMemory.this) {
        if (!hasEnded) {
          hasEnded = true;
          if (--borrowers == 0) {
            freed = listeners;
            listeners = null;
          }
        }
      }
      if (freed != null) {
        Set<Listener> ended = freed;
        executor.execute(() -> ended.forEach(Listener::run));
      }
    }
  }

  /** Compared by identity, because a callback may be registered twice. */
  private final class Listener {
    private final Runnable callback;

    Listener(Runnable callback) {
      this.callback = callback;
    }

    void run() {
      String before = HostWaits.refuse("a callback");
      try {
        seenFree();
        callback.run();
      } catch (Throwable t) { // rule S7: what a callback throws is logged and dropped
        log(t);
      } finally {
        HostWaits.restore(before);
      }
    }
  }

  /**
   * Logs {@code thrown}. Throws nothing, even if {@code thrown} throws when its message is read.
   */
  private static void log(Throwable thrown) {
    try {
      LOG.log(Level.ERROR, "a callback on free host memory threw", thrown);
    } catch (Throwable silent) {
      try {
        LOG.log(Level.ERROR, "a callback on free host memory threw a " + thrown.getClass());
      } catch (Throwable exhausted) {
        return; // there is no way left to report it
      }
    }
  }

  /**
   * For engines: returns what the bytes belong to, to be compared by identity: the array of which
   * this is a part, or, if there is none or it is not known, this object.
   */
  public Object base() {
    Object array = range instanceof BufferRange buffer ? buffer.array() : null;
    return array == null ? this : array;
  }

  /** For engines: returns where the range begins in its {@link #base}, in bytes. */
  public long baseOffset() {
    return range instanceof BufferRange buffer && buffer.array() != null ? buffer.arrayOffset() : 0;
  }

  /** Returns whether a readback may write to the memory. */
  public boolean isWritable() {
    return range.isWritable();
  }

  /** Returns whether the memory is on the heap, where no device can access it. */
  public boolean isOnHeap() {
    return range.isOnHeap();
  }

  /**
   * For drivers: returns the range as a direct buffer whose first element is at position 0, to get
   * its address. Returns null if the memory is on the heap, is not a buffer, or has elements that
   * are not in native byte order; only {@link #read} and {@link #write} may access it then.
   */
  public @Nullable Buffer direct() {
    return range instanceof BufferRange buffer ? buffer.direct() : null;
  }

  /**
   * Returns the native address of the range, or 0 if the memory is a buffer, is on the heap, or has
   * no known address.
   */
  public long address() {
    return range.address();
  }

  /**
   * For drivers: copies bytes out of the range.
   *
   * @param offset where to start, in bytes; a multiple of the range's element size
   * @param target receives as many bytes as it has remaining, which is a multiple of the range's
   *     element size; its position moves to its limit
   * @throws IndexOutOfBoundsException if the range is too short
   * @throws HalException INVALID_ARGUMENT if the bytes would split an element; ABORTED if the
   *     memory cannot be read, for example because its arena is closed
   */
  public void read(long offset, ByteBuffer target) {
    long unused = checkFromIndexSize(offset, Objects.requireNonNull(target, "target").remaining());
    try {
      range.read(offset, target);
    } catch (HalException e) {
      throw e;
    } catch (RuntimeException e) {
      throw inaccessible("read", e);
    }
    target.position(target.limit());
  }

  /**
   * For drivers: copies bytes into the range.
   *
   * @param offset where to start, in bytes; a multiple of the range's element size
   * @param source supplies its remaining bytes, which are a multiple of the range's element size;
   *     its position moves to its limit
   * @throws IndexOutOfBoundsException if the range is too short
   * @throws ReadOnlyBufferException if the range is a read-only buffer
   * @throws HalException INVALID_ARGUMENT if the bytes would split an element; ABORTED if the
   *     memory cannot be written, for example because its arena is closed
   */
  public void write(long offset, ByteBuffer source) {
    long unused = checkFromIndexSize(offset, Objects.requireNonNull(source, "source").remaining());
    try {
      range.write(offset, source);
    } catch (HalException | ReadOnlyBufferException e) {
      throw e;
    } catch (RuntimeException e) {
      throw inaccessible("written", e);
    }
    source.position(source.limit());
  }

  private HalException inaccessible(String how, RuntimeException e) {
    return new HalException(Status.ABORTED, this + " cannot be " + how + ": " + e, e);
  }

  private long checkFromIndexSize(long offset, int count) {
    return Objects.checkFromIndexSize(offset, count, size);
  }

  @Override
  public synchronized String toString() {
    return (isWritable() ? "" : "read-only ")
        + (isOnHeap() ? "heap memory of " : "direct memory of ")
        + size
        + " bytes"
        + (borrowers == 0 ? "" : ", used by " + borrowers + " operations");
  }
}
