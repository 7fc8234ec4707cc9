package org.jhal;

import java.lang.System.Logger.Level;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A range of host memory that an upload reads or a readback writes: a byte buffer, direct or on the
 * heap, or an array, whose elements are in native byte order.
 *
 * <p>The memory is borrowed, not copied (rule Q2): from the call that enqueues the operation until
 * nothing reads or writes the memory for it any more. Until then the caller must not write the
 * source of an upload, nor read or write the target of a readback. If the operation succeeds, the
 * borrow ends before the operation raises its signals. If somebody else raised them before, or if
 * they fail for whatever reason, the device may use the memory for a while longer; {@link
 * #isBorrowed}, {@link #awaitFree} and {@link #onFree} tell. Each object counts only the operations
 * that it was passed to, not those of other objects over the same memory.
 *
 * <p>The range is captured when the object is made; moving the position of the byte buffer later
 * changes nothing.
 *
 * <p>The methods are thread-safe; access to the bytes is not.
 */
public final class HostMemory {
  /** How long a thread that waits parks at most before it looks itself. */
  private static final long LOOK_NANOS = 1_000_000_000;

  private static final System.Logger LOG = System.getLogger(HostMemory.class.getName());

  private final Buffer view; // of the whole range, at position 0
  private final int elementBytes;
  private final long size;
  private int borrowers; // operations that may use the memory; guarded by this
  private List<Listener> listeners = List.of(); // run when borrowers reaches 0; guarded by this

  private HostMemory(Buffer view, int elementBytes) {
    this.view = view;
    this.elementBytes = elementBytes;
    this.size = (long) view.capacity() * elementBytes;
  }

  /** The bytes from the position to the limit of {@code bytes}. */
  public static HostMemory of(ByteBuffer bytes) {
    Objects.requireNonNull(bytes, "bytes");
    return new HostMemory(bytes.slice().order(ByteOrder.nativeOrder()), 1);
  }

  /** All of {@code array}. */
  public static HostMemory of(byte[] array) {
    Objects.requireNonNull(array, "array");
    return new HostMemory(ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()), 1);
  }

  /** All of {@code array}. */
  public static HostMemory of(short[] array) {
    Objects.requireNonNull(array, "array");
    return new HostMemory(ShortBuffer.wrap(array), 2);
  }

  /** All of {@code array}. */
  public static HostMemory of(int[] array) {
    Objects.requireNonNull(array, "array");
    return new HostMemory(IntBuffer.wrap(array), 4);
  }

  /** All of {@code array}. */
  public static HostMemory of(long[] array) {
    Objects.requireNonNull(array, "array");
    return new HostMemory(LongBuffer.wrap(array), 8);
  }

  /** All of {@code array}. */
  public static HostMemory of(float[] array) {
    Objects.requireNonNull(array, "array");
    return new HostMemory(FloatBuffer.wrap(array), 4);
  }

  /** All of {@code array}. */
  public static HostMemory of(double[] array) {
    Objects.requireNonNull(array, "array");
    return new HostMemory(DoubleBuffer.wrap(array), 8);
  }

  /** The size of the range in bytes. */
  public long size() {
    return size;
  }

  // Borrowing.

  /** Whether some operation may still read or write the memory. */
  public synchronized boolean isBorrowed() {
    return borrowers > 0;
  }

  /**
   * Waits until no operation uses the memory.
   *
   * @throws InterruptedException if the thread is interrupted; nothing of the wait stays behind
   */
  public void awaitFree() throws InterruptedException {
    await(null);
  }

  /**
   * Waits until no operation uses the memory, for at most {@code timeout}; with zero or less it
   * only checks.
   *
   * @throws HalException DEADLINE_EXCEEDED if the memory is still in use when the time is up
   * @throws InterruptedException if the thread is interrupted; nothing of the wait stays behind
   */
  public void awaitFree(Duration timeout) throws InterruptedException {
    await(Objects.requireNonNull(timeout, "timeout"));
  }

  private void await(@Nullable Duration timeout) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
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
      while (!isFree.get() && isBorrowed()) {
        long left = limit - (System.nanoTime() - start);
        if (left <= 0) {
          throw new HalException(
              Status.DEADLINE_EXCEEDED,
              (limit == 0 ? "" : "waited " + timeout + "; ") + this + " is not free");
        }
        LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      registration.cancel();
    }
  }

  /**
   * Calls {@code callback} once: when no operation uses the memory any more, or immediately, on
   * this thread, if none does. Like callbacks of semaphores it may signal, fail and enqueue, and
   * may not block or close a device (rule S7); what it throws is logged and dropped.
   *
   * @return cancels the callback
   */
  public Registration onFree(Runnable callback) {
    Listener listener = new Listener(Objects.requireNonNull(callback, "callback"));
    synchronized (this) {
      if (borrowers > 0) {
        List<Listener> more = new ArrayList<>(listeners);
        more.add(listener);
        listeners = more;
        return () -> remove(listener);
      }
    }
    listener.run();
    return () -> false;
  }

  private synchronized boolean remove(Listener listener) {
    List<Listener> fewer = new ArrayList<>(listeners);
    boolean isRemoved = fewer.remove(listener);
    listeners = fewer;
    return isRemoved;
  }

  /** For engines: marks the memory as used by an operation, until the returned borrow is ended. */
  public synchronized Borrow borrow() {
    borrowers++;
    return new Borrow();
  }

  /**
   * For engines: one operation's use of the memory.
   *
   * <p>Thread-safe: several threads may end it; when one of them has returned, it is ended.
   */
  public final class Borrow {
    private boolean hasEnded; // guarded by the memory

    private Borrow() {}

    /**
     * Ends the borrow: the operation does not use the memory any more. If it was the last one, this
     * runs the callbacks of {@link #onFree}; call it with no lock held.
     */
    public void end() {
      List<Listener> told = List.of();
      synchronized (HostMemory.this) {
        if (!hasEnded) {
          hasEnded = true;
          if (--borrowers == 0) {
            told = listeners;
            listeners = List.of();
          }
        }
      }
      told.forEach(Listener::run);
    }
  }

  /** Compared by identity, as one callback may be registered twice. */
  private static final class Listener {
    private final Runnable callback;

    Listener(Runnable callback) {
      this.callback = callback;
    }

    void run() {
      try {
        callback.run();
      } catch (Throwable t) { // rule S7: what a callback throws is logged and dropped
        LOG.log(Level.ERROR, "a callback on free host memory threw", t);
      }
    }
  }

  /** Whether a readback may write to the memory. */
  public boolean isWritable() {
    return !view.isReadOnly();
  }

  /**
   * The range as a direct byte buffer at position 0, for drivers that need its address; null if it
   * is on the heap.
   */
  public @Nullable ByteBuffer direct() {
    return view instanceof ByteBuffer bytes && bytes.isDirect()
        ? bytes.duplicate().order(ByteOrder.nativeOrder())
        : null;
  }

  /**
   * Copies bytes out of the range, for drivers.
   *
   * @param offset where to start, in bytes; a multiple of the element size of an array
   * @param target takes its remaining bytes, a multiple of the element size of an array
   * @throws IndexOutOfBoundsException if the range is shorter
   * @throws HalException INVALID_ARGUMENT if the bytes would split an element
   */
  public void read(long offset, ByteBuffer target) {
    check(offset, Objects.requireNonNull(target, "target").remaining());
    ByteBuffer out =
        target.order() == ByteOrder.nativeOrder()
            ? target
            : target.slice().order(ByteOrder.nativeOrder());
    int count = target.remaining();
    if (view instanceof ByteBuffer bytes) {
      out.duplicate().put(bytes.duplicate().position((int) offset).limit((int) offset + count));
    } else if (view instanceof ShortBuffer shorts) {
      out.asShortBuffer()
          .put(shorts.duplicate().position((int) (offset / 2)).limit((int) ((offset + count) / 2)));
    } else if (view instanceof IntBuffer ints) {
      out.asIntBuffer()
          .put(ints.duplicate().position((int) (offset / 4)).limit((int) ((offset + count) / 4)));
    } else if (view instanceof LongBuffer longs) {
      out.asLongBuffer()
          .put(longs.duplicate().position((int) (offset / 8)).limit((int) ((offset + count) / 8)));
    } else if (view instanceof FloatBuffer floats) {
      out.asFloatBuffer()
          .put(floats.duplicate().position((int) (offset / 4)).limit((int) ((offset + count) / 4)));
    } else {
      out.asDoubleBuffer()
          .put(
              ((DoubleBuffer) view)
                  .duplicate()
                  .position((int) (offset / 8))
                  .limit((int) ((offset + count) / 8)));
    }
    target.position(target.limit());
  }

  /**
   * Copies bytes into the range, for drivers.
   *
   * @param offset where to start, in bytes; a multiple of the element size of an array
   * @param source gives its remaining bytes, a multiple of the element size of an array
   * @throws IndexOutOfBoundsException if the range is shorter
   * @throws HalException INVALID_ARGUMENT if the bytes would split an element
   */
  public void write(long offset, ByteBuffer source) {
    check(offset, Objects.requireNonNull(source, "source").remaining());
    ByteBuffer in = source.slice().order(ByteOrder.nativeOrder());
    if (view instanceof ByteBuffer bytes) {
      bytes.duplicate().position((int) offset).put(in);
    } else if (view instanceof ShortBuffer shorts) {
      shorts.duplicate().position((int) (offset / 2)).put(in.asShortBuffer());
    } else if (view instanceof IntBuffer ints) {
      ints.duplicate().position((int) (offset / 4)).put(in.asIntBuffer());
    } else if (view instanceof LongBuffer longs) {
      longs.duplicate().position((int) (offset / 8)).put(in.asLongBuffer());
    } else if (view instanceof FloatBuffer floats) {
      floats.duplicate().position((int) (offset / 4)).put(in.asFloatBuffer());
    } else {
      ((DoubleBuffer) view).duplicate().position((int) (offset / 8)).put(in.asDoubleBuffer());
    }
    source.position(source.limit());
  }

  private void check(long offset, int count) {
    Objects.checkFromIndexSize(offset, count, size);
    if (offset % elementBytes != 0 || count % elementBytes != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "offset " + offset + ", length " + count + ": elements have " + elementBytes + " bytes");
    }
  }

  @Override
  public synchronized String toString() {
    return (isWritable() ? "" : "read-only ")
        + (view.isDirect() ? "direct memory of " : "heap memory of ")
        + size
        + " bytes"
        + (borrowers == 0 ? "" : ", used by " + borrowers + " operations");
  }
}
