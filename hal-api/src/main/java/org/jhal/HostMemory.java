package org.jhal;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A range of the host's memory that an upload reads or a readback writes: a byte buffer, direct or
 * on the heap, or an array, whose elements have native byte order.
 *
 * <p>The memory is borrowed, not copied: the caller must leave it alone until the operation's
 * signals are reached or failed (rule Q2); if they failed because the device is lost, until that is
 * closed. The range itself is captured here; moving the position of the byte buffer later changes
 * nothing.
 *
 * <p>Thread-safe, as far as the memory is.
 */
public final class HostMemory {
  private final Buffer view; // of the whole range, at position 0
  private final int elementBytes;
  private final long size;

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

  /** How many bytes the range has. */
  public long size() {
    return size;
  }

  /** Whether a readback may write it. */
  public boolean isWritable() {
    return !view.isReadOnly();
  }

  /**
   * The range as a direct byte buffer at position 0, for drivers that hand its address on; null if
   * it is on the heap.
   */
  public @Nullable ByteBuffer direct() {
    return view instanceof ByteBuffer bytes && bytes.isDirect()
        ? bytes.duplicate().order(ByteOrder.nativeOrder())
        : null;
  }

  /**
   * Copies bytes of the range out, for drivers.
   *
   * @param offset where to start, in bytes; a multiple of the element size of an array
   * @param target takes its remaining bytes, a multiple of the element size of an array
   * @throws IndexOutOfBoundsException if the range is shorter
   * @throws HalException INVALID_ARGUMENT if an element would be cut
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
   * @throws HalException INVALID_ARGUMENT if an element would be cut
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
  public String toString() {
    return (isWritable() ? "" : "read-only ")
        + (view.isDirect() ? "direct memory of " : "heap memory of ")
        + size
        + " bytes";
  }
}
