// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.ByteBuffer;
import org.example.tiny.TinyGroup;

/** The kernels of the examples in the format {@code tiny}. */
public final class TinyExamples {
  private static final int ITEMS = 256;
  private static final int TILE = 16;

  private TinyExamples() {}

  /** Parameters: n, a, x, y. */
  public static void saxpy(TinyGroup group) {
    float a = Float.intBitsToFloat(group.i32(1));
    ByteBuffer x = group.buffers()[2];
    ByteBuffer y = group.buffers()[3];
    for (int i = group.x() * ITEMS; i < Math.min(group.i32(0), (group.x() + 1) * ITEMS); i++) {
      y.putFloat(4 * i, Math.fma(a, x.getFloat(4 * i), y.getFloat(4 * i)));
    }
  }

  /** Parameters: n, groups, values, sums. */
  public static void reduction(TinyGroup group) {
    int n = group.i32(0);
    ByteBuffer values = group.buffers()[2];
    double sum = 0;
    for (int start = group.x() * ITEMS; start < n; start += group.i32(1) * ITEMS) {
      for (int i = start; i < Math.min(n, start + ITEMS); i++) {
        sum += values.getFloat(4 * i);
      }
    }
    group.buffers()[3].putFloat(4 * group.x(), (float) sum);
  }

  /** Parameters: rows, inner, columns, a, b, c. */
  public static void matmul(TinyGroup group) {
    int inner = group.i32(1);
    int columns = group.i32(2);
    ByteBuffer[] buffers = group.buffers();
    for (int row = group.y() * TILE; row < Math.min(group.i32(0), (group.y() + 1) * TILE); row++) {
      for (int column = group.x() * TILE;
          column < Math.min(columns, (group.x() + 1) * TILE);
          column++) {
        double sum = 0;
        for (int k = 0; k < inner; k++) {
          sum +=
              (double) buffers[3].getFloat(4 * (row * inner + k))
                  * buffers[4].getFloat(4 * (k * columns + column));
        }
        buffers[5].putFloat(4 * (row * columns + column), (float) sum);
      }
    }
  }

  /** Parameters: n, values. */
  public static void generate(TinyGroup group) {
    for (int i = group.x() * ITEMS; i < Math.min(group.i32(0), (group.x() + 1) * ITEMS); i++) {
      group.buffers()[1].putInt(4 * i, (int) ((long) i * i % 1009));
    }
  }

  /** Parameters: n, values, smoothed. */
  public static void smooth(TinyGroup group) {
    int n = group.i32(0);
    ByteBuffer values = group.buffers()[1];
    for (int i = group.x() * ITEMS; i < Math.min(n, (group.x() + 1) * ITEMS); i++) {
      int before = values.getInt(4 * Math.max(i - 1, 0));
      int after = values.getInt(4 * Math.min(i + 1, n - 1));
      group.buffers()[2].putInt(4 * i, (before + 2 * values.getInt(4 * i) + after) / 4);
    }
  }

  /** Parameters: n, block, values, sums. */
  public static void sum(TinyGroup group) {
    int n = group.i32(0);
    int block = group.i32(1);
    int sums = (n + block - 1) / block;
    for (int j = group.x() * 64; j < Math.min(sums, (group.x() + 1) * 64); j++) {
      int sum = 0;
      for (int i = j * block; i < Math.min(n, (j + 1) * block); i++) {
        sum += group.buffers()[2].getInt(4 * i);
      }
      group.buffers()[3].putInt(4 * j, sum);
    }
  }
}
