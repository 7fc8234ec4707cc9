// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import java.nio.ByteBuffer;
import org.jhal.ElementType;
import org.jhal.Reduction;

/** For numbers of 64 bits. */
final class DoubleAccumulator extends Accumulator {
  private final double[] sum;
  private final double[] other;

  DoubleAccumulator(Reduction reduction, ElementType type, int capacity) {
    super(reduction, type);
    this.sum = new double[capacity];
    this.other = new double[capacity];
  }

  @Override
  public void first(ByteBuffer elements, int count) {
    load(elements, sum, count);
  }

  @Override
  public void next(ByteBuffer elements, int count) {
    double[] a = sum;
    double[] b = other;
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

  private static void load(ByteBuffer elements, double[] target, int count) {
    view(elements).asDoubleBuffer().get(target, 0, count);
  }

  @Override
  public void result(ByteBuffer elements, int count, int ranks) {
    if (reduction == Reduction.AVERAGE) {
      for (int i = 0; i < count; i++) {
        sum[i] /= ranks;
      }
    }
    for (int i = 0; i < count; i++) {
      sum[i] = Double.isNaN(sum[i]) ? Double.NaN : sum[i];
    }
    view(elements).asDoubleBuffer().put(sum, 0, count);
  }
}
