// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import java.nio.ByteBuffer;
import java.nio.ShortBuffer;
import org.jhal.ElementType;
import org.jhal.Reduction;

/** For integers of up to 32 bits. Shorter ones are extended, by their sign or by zeros. */
final class IntAccumulator extends Accumulator {
  private final int[] sum;
  private final int[] other;

  IntAccumulator(Reduction reduction, ElementType type, int capacity) {
    super(reduction, type);
    this.sum = new int[capacity];
    this.other = new int[capacity];
  }

  @Override
  public void first(ByteBuffer elements, int count) {
    load(elements, sum, count);
  }

  @Override
  public void next(ByteBuffer elements, int count) {
    int[] a = sum;
    int[] b = other;
    load(elements, b, count);
    boolean isUnsigned = type == ElementType.U32; // shorter ones are not negative
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
          boolean isLess = isUnsigned ? Integer.compareUnsigned(b[i], a[i]) < 0 : b[i] < a[i];
          a[i] = isLess ? b[i] : a[i];
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          boolean isLess = isUnsigned ? Integer.compareUnsigned(a[i], b[i]) < 0 : a[i] < b[i];
          a[i] = isLess ? b[i] : a[i];
        }
      }
      case AVERAGE -> throw refused();
    }
  }

  private void load(ByteBuffer elements, int[] target, int count) {
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
      default -> in.asIntBuffer().get(target, 0, count);
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
      default -> out.asIntBuffer().put(sum, 0, count);
    }
  }
}
