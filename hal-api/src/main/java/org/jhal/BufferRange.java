// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.jhal.spi.HostRange;
import org.jspecify.annotations.Nullable;

/** An array or a buffer as a range of bytes. Elements have native byte order. */
final class BufferRange implements HostRange {
  private final Buffer view; // of the whole range, at position 0
  private final int elementBytes;

  /** Creates a range of all elements of {@code view}. */
  BufferRange(Buffer view, int elementBytes) {
    this.view = view;
    this.elementBytes = elementBytes;
  }

  @Override
  public long size() {
    return (long) view.capacity() * elementBytes;
  }

  @Override
  public boolean isWritable() {
    return !view.isReadOnly();
  }

  @Override
  public boolean isOnHeap() {
    return !view.isDirect();
  }

  /** Returns 0: the JDK does not expose the address of a buffer. See {@link #direct}. */
  @Override
  public long address() {
    return 0;
  }

  /** Returns the array that it is a part of, or null if that is not known. */
  @Nullable Object array() {
    return view.hasArray() ? view.array() : null;
  }

  /** Where in {@link #array} it begins, in bytes. */
  long arrayOffset() {
    return (long) view.arrayOffset() * elementBytes;
  }

  /** Returns the buffer if native code may access it directly, else null. */
  @Nullable Buffer direct() {
    return view.isDirect() && isNative(view) ? view : null;
  }

  private static boolean isNative(Buffer view) {
    ByteOrder order =
        view instanceof ShortBuffer shorts
            ? shorts.order()
            : view instanceof IntBuffer ints
                ? ints.order()
                : view instanceof LongBuffer longs
                    ? longs.order()
                    : view instanceof FloatBuffer floats
                        ? floats.order()
                        : view instanceof DoubleBuffer doubles
                            ? doubles.order()
                            : ByteOrder.nativeOrder();
    return order == ByteOrder.nativeOrder();
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    check(offset, target.remaining());
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
  }

  @Override
  public void write(long offset, ByteBuffer source) {
    check(offset, source.remaining());
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
  }

  private void check(long offset, int count) {
    if (offset % elementBytes != 0 || count % elementBytes != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "offset " + offset + ", length " + count + ": elements have " + elementBytes + " bytes");
    }
  }
}
