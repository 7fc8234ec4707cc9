// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Bytes;
import org.jhal.kernel.Workgroup;

/**
 * The kernel of {@code examples/edges} in Java; {@code edges.cpp} beside it is its twin and gives
 * the same bytes.
 */
public final class Edges {
  private Edges() {}

  /**
   * Sobel's edge filter. A picture of 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels
   * becomes a grey one with dark edges on white.
   */
  public static void edges(
      Workgroup group, Bytes image, Bytes edges, int width, int height, int channels) {
    int[][] p = new int[3][3];
    for (long y = group.firstY(); y < group.endY(height); y++) {
      for (long x = group.firstX(); x < group.endX(width); x++) {
        for (int dy = 0; dy < 3; dy++) {
          for (int dx = 0; dx < 3; dx++) {
            p[dy][dx] = grey(image, width, height, channels, x + dx - 1, y + dy - 1);
          }
        }
        int gx = (p[0][2] + 2 * p[1][2] + p[2][2]) - (p[0][0] + 2 * p[1][0] + p[2][0]);
        int gy = (p[2][0] + 2 * p[2][1] + p[2][2]) - (p[0][0] + 2 * p[0][1] + p[0][2]);
        int slope = Math.abs(gx) + Math.abs(gy);
        edges.set(y * width + x, (byte) Math.max(0, 255 - slope));
      }
    }
  }

  private static int grey(Bytes image, int width, int height, int channels, long x, long y) {
    long column = Math.max(0, Math.min(width - 1, x));
    long row = Math.max(0, Math.min(height - 1, y));
    long at = (row * width + column) * channels;
    int first = image.getUnsigned(at);
    if (channels < 3) {
      return first;
    }
    return (77 * first + 150 * image.getUnsigned(at + 1) + 29 * image.getUnsigned(at + 2) + 128)
        >> 8;
  }
}
