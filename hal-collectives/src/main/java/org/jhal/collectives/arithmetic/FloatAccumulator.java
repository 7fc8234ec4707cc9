// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import java.nio.ByteBuffer;
import java.nio.ShortBuffer;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;

/** For numbers of 16 and 32 bits. */
final class FloatAccumulator extends Accumulator {
  private static final short F16_NAN = 0x7E00;
  private static final short BF16_NAN = 0x7FC0;

  private final float[] sum;
  private final float[] other;

  FloatAccumulator(Reduction reduction, ElementType type, int capacity) {
    super(reduction, type);
    this.sum = new float[capacity];
    this.other = new float[capacity];
  }

  @Override
  public void first(ByteBuffer elements, int count) {
    load(elements, sum, count);
  }

  @Override
  public void next(ByteBuffer elements, int count) {
    float[] a = sum;
    float[] b = other;
    load(elements, b, count);
    switch (reduction) {
      case SUM, AVERAGE -> {
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
          a[i] = Math.min(a[i], b[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < count; i++) {
          a[i] = Math.max(a[i], b[i]);
        }
      }
    }
  }

  private void load(ByteBuffer elements, float[] target, int count) {
    ByteBuffer in = view(elements);
    if (type == ElementType.F32) {
      in.asFloatBuffer().get(target, 0, count);
      return;
    }
    ShortBuffer shorts = in.asShortBuffer();
    boolean isHalf = type == ElementType.F16;
    for (int i = 0; i < count; i++) {
      short bits = shorts.get(i);
      target[i] = isHalf ? Float16.toFloat(bits) : BFloat16.toFloat(bits);
    }
  }

  @Override
  public void result(ByteBuffer elements, int count, int ranks) {
    ByteBuffer out = view(elements);
    boolean isAverage = reduction == Reduction.AVERAGE;
    if (type == ElementType.F32) {
      if (isAverage) {
        for (int i = 0; i < count; i++) {
          sum[i] /= ranks;
        }
      }
      for (int i = 0; i < count; i++) {
        sum[i] = Float.isNaN(sum[i]) ? Float.NaN : sum[i];
      }
      out.asFloatBuffer().put(sum, 0, count);
      return;
    }
    ShortBuffer shorts = out.asShortBuffer();
    boolean isHalf = type == ElementType.F16;
    short nan = isHalf ? F16_NAN : BF16_NAN;
    for (int i = 0; i < count; i++) {
      double value = isAverage ? (double) sum[i] / ranks : sum[i];
      short rounded = isHalf ? Float16.of(value) : BFloat16.of(value);
      shorts.put(i, Double.isNaN(value) ? nan : rounded);
    }
  }
}
