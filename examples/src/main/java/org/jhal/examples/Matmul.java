// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Floats;
import org.jhal.kernel.Workgroup;

/**
 * The kernel of {@code examples/matmul} in Java; {@code matmul.cpp} beside it is its twin and adds
 * in the same order.
 */
public final class Matmul {
  /** How many elements of the product a workgroup computes along each axis. */
  static final int TILE = 16;

  private Matmul() {}

  /** {@code c = a * b}. */
  public static void matmul(
      Workgroup group, long rows, long inner, long columns, Floats a, Floats b, Floats c) {
    long row = group.firstY();
    long column = group.firstX();
    float[] tileA = new float[TILE * TILE];
    float[] tileB = new float[TILE * TILE];
    float[] sums = new float[TILE * TILE];
    for (long first = 0; first < inner; first += TILE) {
      read(a, rows, inner, row, first, tileA);
      read(b, inner, columns, first, column, tileB);
      for (int y = 0; y < TILE; y++) {
        for (int k = 0; k < TILE; k++) {
          for (int x = 0; x < TILE; x++) {
            int at = y * TILE + x;
            sums[at] = Math.fma(tileA[y * TILE + k], tileB[k * TILE + x], sums[at]);
          }
        }
      }
    }
    for (int y = 0; y < Math.min(TILE, rows - row); y++) {
      for (int x = 0; x < Math.min(TILE, columns - column); x++) {
        c.set((row + y) * columns + column + x, sums[y * TILE + x]);
      }
    }
  }

  /** The tile of a matrix at a place; zero beyond the edges. */
  private static void read(
      Floats matrix, long rows, long columns, long row, long column, float[] tile) {
    for (int y = 0; y < TILE; y++) {
      for (int x = 0; x < TILE; x++) {
        boolean isInside = row + y < rows && column + x < columns;
        tile[y * TILE + x] = isInside ? matrix.get((row + y) * columns + column + x) : 0;
      }
    }
  }
}
