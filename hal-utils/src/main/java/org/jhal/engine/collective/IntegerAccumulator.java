package org.jhal.engine.collective;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import org.jhal.ElementType;
import org.jhal.Reduction;

/**
 * For integers. Those of less than 64 bits are extended, by their sign or by zeros, and cut off at
 * the end.
 */
final class IntegerAccumulator extends Accumulator {
  private final long[] sum;
  private final long[] other;

  IntegerAccumulator(Reduction reduction, ElementType type, int capacity) {
    super(reduction, type);
    this.sum = new long[capacity];
    this.other = new long[capacity];
  }

  @Override
  public void first(ByteBuffer elements, int count) {
    load(elements, sum, count);
  }

  @Override
  public void next(ByteBuffer elements, int count) {
    long[] a = sum;
    long[] b = other;
    load(elements, b, count);
    long sign = type == ElementType.U64 ? Long.MIN_VALUE : 0; // makes signed order unsigned
    switch (reduction) {
      case SUM -> {
        for (int i = 0; i < count; i++) {
          a[i] += b[i];
        }
      }
      case PRODUCT -> {
        for (int i = 0; i < count; i++) {
          a[i] *= b[i];
        }
      }
      case MIN -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.min(a[i] ^ sign, b[i] ^ sign) ^ sign;
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.max(a[i] ^ sign, b[i] ^ sign) ^ sign;
        }
      }
      case AVERAGE -> throw new AssertionError("integers have no average");
    }
  }

  private void load(ByteBuffer elements, long[] target, int count) {
    ByteBuffer in = view(elements);
    switch (type.bytes()) {
      case 1 -> {
        int mask = type == ElementType.U8 ? 0xFF : -1;
        for (int i = 0; i < count; i++) {
          target[i] = in.get(i) & mask;
        }
      }
      case 2 -> {
        ShortBuffer shorts = in.asShortBuffer();
        int mask = type == ElementType.U16 ? 0xFFFF : -1;
        for (int i = 0; i < count; i++) {
          target[i] = shorts.get(i) & mask;
        }
      }
      case 4 -> {
        IntBuffer ints = in.asIntBuffer();
        long mask = type == ElementType.U32 ? 0xFFFF_FFFFL : -1;
        for (int i = 0; i < count; i++) {
          target[i] = ints.get(i) & mask;
        }
      }
      default -> in.asLongBuffer().get(target, 0, count);
    }
  }

  @Override
  public void result(ByteBuffer elements, int count, int ranks) {
    ByteBuffer out = view(elements);
    switch (type.bytes()) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          out.put(i, (byte) sum[i]);
        }
      }
      case 2 -> {
        ShortBuffer shorts = out.asShortBuffer();
        for (int i = 0; i < count; i++) {
          shorts.put(i, (short) sum[i]);
        }
      }
      case 4 -> {
        IntBuffer ints = out.asIntBuffer();
        for (int i = 0; i < count; i++) {
          ints.put(i, (int) sum[i]);
        }
      }
      default -> out.asLongBuffer().put(sum, 0, count);
    }
  }
}
