// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The typed views of a kernel's memory. */
class ViewsTest {
  /** Some bytes. */
  private record Memory(ByteBuffer raw) implements KernelMemory {
    Memory(int size) {
      this(ByteBuffer.allocate(size).order(ByteOrder.nativeOrder()));
    }

    private static int at(long index) {
      return index == (int) index ? (int) index : -1;
    }

    @Override
    public long size() {
      return raw.capacity();
    }

    @Override
    public byte getByte(long index) {
      return raw.get(at(index));
    }

    @Override
    public short getShort(long index) {
      return raw.getShort(at(index));
    }

    @Override
    public int getInt(long index) {
      return raw.getInt(at(index));
    }

    @Override
    public long getLong(long index) {
      return raw.getLong(at(index));
    }

    @Override
    public float getFloat(long index) {
      return raw.getFloat(at(index));
    }

    @Override
    public double getDouble(long index) {
      return raw.getDouble(at(index));
    }

    @Override
    public void putByte(long index, byte value) {
      raw.put(at(index), value);
    }

    @Override
    public void putShort(long index, short value) {
      raw.putShort(at(index), value);
    }

    @Override
    public void putInt(long index, int value) {
      raw.putInt(at(index), value);
    }

    @Override
    public void putLong(long index, long value) {
      raw.putLong(at(index), value);
    }

    @Override
    public void putFloat(long index, float value) {
      raw.putFloat(at(index), value);
    }

    @Override
    public void putDouble(long index, double value) {
      raw.putDouble(at(index), value);
    }

    @Override
    public int getAndAddInt(long index, int delta) {
      int before = getInt(index);
      putInt(index, before + delta);
      return before;
    }
  }

  private final Memory memory = new Memory(21); // no whole number of elements of any type but bytes

  private static void assertOutside(Executable access) {
    assertThrows(IndexOutOfBoundsException.class, access);
  }

  @Test
  void lengthsCountWholeElements() {
    assertEquals(21, memory.bytes().length());
    assertEquals(10, memory.shorts().length());
    assertEquals(5, memory.ints().length());
    assertEquals(2, memory.longs().length());
    assertEquals(10, memory.float16s().length());
    assertEquals(10, memory.bfloat16s().length());
    assertEquals(5, memory.floats().length());
    assertEquals(2, memory.doubles().length());
    assertEquals(0, new Memory(0).bytes().length());
    assertEquals("5 ints", memory.ints().toString());
  }

  @Test
  void indicesCountElements() {
    memory.bytes().set(20, (byte) -2);
    assertEquals(-2, memory.getByte(20));
    assertEquals(254, memory.bytes().getUnsigned(20));
    memory.shorts().set(9, (short) -2);
    assertEquals(-2, memory.getShort(18));
    assertEquals(65534, memory.shorts().getUnsigned(9));
    memory.ints().set(3, -2);
    assertEquals(-2, memory.getInt(12));
    assertEquals(0xFFFF_FFFEL, memory.ints().getUnsigned(3));
    assertEquals(-2, memory.ints().getAndAdd(3, 5));
    assertEquals(3, memory.ints().get(3));
    memory.longs().set(1, Long.MIN_VALUE);
    assertEquals(Long.MIN_VALUE, memory.getLong(8));
    memory.floats().set(1, -0.5f);
    assertEquals(-0.5f, memory.getFloat(4));
    memory.doubles().set(1, 0.1);
    assertEquals(0.1, memory.getDouble(8));
    assertEquals(0.1, memory.doubles().get(1));
  }

  @Test
  void shortFloatsAreRounded() {
    memory.float16s().set(2, 0.1f);
    assertEquals(Float16.of(0.1f), memory.getShort(4));
    assertEquals(Float16.toFloat(Float16.of(0.1f)), memory.float16s().get(2));
    memory.bfloat16s().set(3, 0.1f);
    assertEquals(BFloat16.of(0.1f), memory.getShort(6));
    assertEquals(BFloat16.toFloat(BFloat16.of(0.1f)), memory.bfloat16s().get(3));
  }

  /** Also an index whose offset in bytes would be that of an element again. */
  @Test
  void accessOutsideThrows() {
    for (long index : new long[] {-1, 21, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 61, 1L << 63}) {
      assertOutside(() -> memory.bytes().get(index));
      assertOutside(() -> memory.shorts().get(index));
      assertOutside(() -> memory.ints().set(index, 1));
      assertOutside(() -> memory.ints().getAndAdd(index, 1));
      assertOutside(() -> memory.longs().get(index));
      assertOutside(() -> memory.float16s().set(index, 1));
      assertOutside(() -> memory.bfloat16s().get(index));
      assertOutside(() -> memory.floats().set(index, 1));
      assertOutside(() -> memory.doubles().get(index));
    }
  }
}
