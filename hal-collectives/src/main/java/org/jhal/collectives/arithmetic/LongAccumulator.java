// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import java.nio.ByteBuffer;
import org.jhal.ElementType;
import org.jhal.Reduction;

/** For integers of 64 bits. */
final class LongAccumulator extends Accumulator {
  private final long[] sum;
  private final long[] other;

  LongAccumulator(Reduction reduction, ElementType type, int capacity) {
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
    boolean isUnsigned = type == ElementType.U64;
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
          boolean isLess = isUnsigned ? Long.compareUnsigned(b[i], a[i]) < 0 : b[i] < a[i];
          a[i] = isLess ? b[i] : a[i];
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          boolean isLess = isUnsigned ? Long.compareUnsigned(a[i], b[i]) < 0 : a[i] < b[i];
          a[i] = isLess ? b[i] : a[i];
        }
      }
      case AVERAGE -> throw refused();
    }
  }

  private static void load(ByteBuffer elements, long[] target, int count) {
    view(elements).asLongBuffer().get(target, 0, count);
  }

  @Override
  public void result(ByteBuffer elements, int count, int ranks) {
    view(elements).asLongBuffer().put(sum, 0, count);
  }
}
