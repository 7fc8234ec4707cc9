package org.jhal.mock;

import java.util.Objects;
import org.jhal.kernel.KernelMemory;
import org.jspecify.annotations.Nullable;

/**
 * A range of a {@link MockMemory} as a kernel sees it. Checks every access. Objects are reused for
 * other ranges.
 */
final class MockView implements KernelMemory {
  private @Nullable MockMemory memory;
  private long base;
  private long size;

  void set(@Nullable MockMemory newMemory, long newBase, long newSize) {
    memory = newMemory;
    base = newBase;
    size = newSize;
  }

  private MockMemory memory() {
    return Objects.requireNonNull(memory);
  }

  private long at(long index, int bytes) {
    if (index < 0 || index > size - bytes) {
      throw new IndexOutOfBoundsException(
          "access to " + bytes + " bytes at index " + index + " of " + size + " bytes");
    }
    return base + index;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public byte getByte(long index) {
    return memory().getByte(at(index, 1));
  }

  @Override
  public short getShort(long index) {
    return memory().getShort(at(index, 2));
  }

  @Override
  public int getInt(long index) {
    return memory().getInt(at(index, 4));
  }

  @Override
  public long getLong(long index) {
    return memory().getLong(at(index, 8));
  }

  @Override
  public float getFloat(long index) {
    return Float.intBitsToFloat(memory().getInt(at(index, 4)));
  }

  @Override
  public double getDouble(long index) {
    return Double.longBitsToDouble(memory().getLong(at(index, 8)));
  }

  @Override
  public void putByte(long index, byte value) {
    memory().putByte(at(index, 1), value);
  }

  @Override
  public void putShort(long index, short value) {
    memory().putShort(at(index, 2), value);
  }

  @Override
  public void putInt(long index, int value) {
    memory().putInt(at(index, 4), value);
  }

  @Override
  public void putLong(long index, long value) {
    memory().putLong(at(index, 8), value);
  }

  @Override
  public void putFloat(long index, float value) {
    memory().putInt(at(index, 4), Float.floatToRawIntBits(value));
  }

  @Override
  public void putDouble(long index, double value) {
    memory().putLong(at(index, 8), Double.doubleToRawLongBits(value));
  }

  @Override
  public int getAndAddInt(long index, int delta) {
    return memory().getAndAddInt(at(index, 4), delta);
  }

  @Override
  public String toString() {
    return "memory of " + size + " bytes";
  }
}
